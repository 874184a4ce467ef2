//! Other names for functions, before sizes are chosen and sites are cut.

use std::collections::HashMap;

use hashbrown::HashTable;

use super::Merger;
use super::alternates::SummedPart;
use super::sites::{SiteScratch, add_sites};
use super::sums::RecordSum;
use crate::error::Error;
use crate::flags::Flags;
use crate::name::{Name, NameId, Names, name_hash};
use crate::sink::Heading;
use crate::values::KindSites;

impl Merger {
    /// Returns the flags of all inputs so far.
    pub fn flags(&self) -> Flags {
        self.kinds.flags
    }

    /// Returns the different headings of the inputs so far.
    pub fn headings(&self) -> &[Heading] {
        &self.kinds.headings
    }

    /// Returns the names of all functions so far.
    ///
    /// Errors: [`TooLarge`](crate::error::ErrorKind::TooLarge): there are 2^32 names.
    pub fn names(&mut self) -> Result<&Names, Error> {
        self.complete()?;
        Ok(&self.names)
    }

    /// Gives functions the names that `new_name` returns; `None`: they keep theirs. Returns the number of new names. Two functions that get one name
    /// are added up: each input counts as if it had the new name. Call targets, traces and findings get the new names too.
    ///
    /// Errors: [`TooLarge`](crate::error::ErrorKind::TooLarge): there are 2^32 names.
    ///
    /// ```
    /// use profdata::merge::{MergeOptions, Merger};
    ///
    /// let mut merger = Merger::new(MergeOptions::default());
    /// merger.add_bytes("old", 1, b":ir\na.c:f\n7\n1\n5\n")?;
    /// merger.add_bytes("new", 1, b":ir\na.c;f\n7\n1\n6\n")?;
    /// assert_eq!(merger.rename(|name| (name == b"a.c:f").then(|| b"a.c;f".to_vec()))?, 1);
    /// assert_eq!(merger.finish()?.0.record(0).unwrap().counters, [11]);
    /// # Ok::<(), profdata::Error>(())
    /// ```
    pub fn rename(&mut self, new_name: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Result<u64, Error> {
        self.complete()?;
        let new_names = self.names.iter().filter_map(|(id, name)| Some((id, new_name(name.bytes?)?)));
        let new_names: HashMap<NameId, Vec<u8>> = new_names.collect();
        if !new_names.is_empty() {
            self.rebuild(&new_names, u64::MAX)?;
        }
        Ok(new_names.len() as u64)
    }

    /// Clears bits of all structural hashes. Records of a function that get one hash are added up.
    ///
    /// Errors: [`TooLarge`](crate::error::ErrorKind::TooLarge): there are 2^32 names.
    pub fn keep_hash_bits(&mut self, kept: u64) -> Result<(), Error> {
        self.complete()?;
        self.rebuild(&HashMap::new(), kept)
    }

    /// Gives functions other names, and their hashes these bits only.
    fn rebuild(&mut self, new_names: &HashMap<NameId, Vec<u8>>, kept: u64) -> Result<(), Error> {
        let names = std::mem::take(&mut self.names);
        let hashes: HashMap<u64, u64> =
            new_names.iter().map(|(id, name)| (names.get(*id).hash, name_hash(name))).collect();
        let new_hash = |hash: u64| hashes.get(&hash).copied().unwrap_or(hash);
        let (records, sums) = (std::mem::take(&mut self.records), std::mem::take(&mut self.sums));
        self.index = HashTable::new();
        self.next = 0;
        for mut sum in records {
            rename_targets(&mut sum, new_hash, &mut self.scratch);
            let name = new_names.get(&sum.name).map_or(names.get(sum.name), |name| Name::of(name));
            let place = self.place(name, sum.hash & kept, sum.input)?;
            if let Some(renamed) = self.records.get_mut(place) {
                self.sums.absorb(renamed, &sum, &sums, 1, |input| input, &mut self.scratch);
            }
        }
        self.traces.rename(new_hash);
        let functions = self.findings.iter_mut().filter_map(|finding| finding.function.as_mut());
        functions.for_each(|(name, hash)| (*name, *hash) = (new_hash(*name), *hash & kept));
        Ok(())
    }
}

/// Gives the targets of calls other hashes.
fn rename_targets(sum: &mut RecordSum, new_hash: impl Fn(u64) -> u64, scratch: &mut SiteScratch) {
    let Some(extra) = &mut sum.extra else { return };
    let calls = SummedPart::Sites(0);
    let others =
        extra.alternates.range_mut((calls, 0)..=(calls, usize::MAX)).map(|(_, alternate)| &mut alternate.sites);
    for sites in extra.values.kinds.first_mut().into_iter().chain(others) {
        if sites.values().iter().all(|value| new_hash(value.value) == value.value) {
            continue;
        }
        sites.values_mut().iter_mut().for_each(|value| value.value = new_hash(value.value));
        // Sorts them, and adds those that have become one.
        let mut sorted = KindSites::default();
        add_sites(0, &mut sorted, sites, 1, scratch);
        scratch.found.clear();
        *sites = sorted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::MergeOptions;
    use crate::profile::Profile;

    const INPUTS: [&str; 4] = [
        ":ir\na.c:f\n7\n1\n5\nmain\n8\n1\n1\n1\n0\n1\n2\na.c:f:3\na.c;f:4\n",
        ":ir\na.c:f\n7\n1\n6\n",
        ":ir\na.c;f\n7\n2\n1\n1\n",
        ":ir\na.c;f\n7\n2\n1\n1\nmain\n8\n1\n1\n1\n0\n1\n1\na.c;f:9\n",
    ];

    fn merged(inputs: &[String], split: usize, rename: bool) -> Profile {
        let group = |inputs: &[String]| {
            let mut merger = Merger::new(MergeOptions::default());
            for input in inputs {
                merger.add_bytes("input", 1, input.as_bytes()).unwrap();
            }
            merger
        };
        let mut merger = group(&inputs[split..]);
        merger.absorb(group(&inputs[..split])).unwrap();
        if rename {
            assert_eq!(merger.rename(|name| (name == b"a.c:f").then(|| b"a.c;f".to_vec())).unwrap(), 1);
        }
        merger.finish().unwrap().0
    }

    #[test]
    fn a_sum_that_is_renamed_is_the_sum_of_inputs_that_were() {
        let inputs = INPUTS.map(str::to_owned);
        let renamed = INPUTS.map(|input| input.replace("a.c:f", "a.c;f"));
        let expected = merged(&renamed, 0, false);
        for split in 0..=inputs.len() {
            let found = merged(&inputs, split, true);
            let all = |profile: &Profile| format!("{:?}", profile.records().collect::<Vec<_>>());
            assert_eq!(all(&found), all(&expected), "{split}");
        }
    }
}
