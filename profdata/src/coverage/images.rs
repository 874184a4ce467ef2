//! Functions that several programs have under one name and structural hash, with other sources: plugins, `main`. One record of a merged profile
//! has the sum of all; raw profiles, which have a build id, say which counts are of which program.

use std::collections::BTreeMap;

use super::counts::{Counts, Sum};
use super::function::{Builds, Function};
use super::mapping::Mapping;
use crate::error::Error;
use crate::sink::{Heading, RecordRef, Sink};

/// Name hash and structural hash.
type Key = (u64, u64);

/// The counts of functions that several programs have, of each program by itself. Takes what a reader hands over.
#[derive(Clone, Debug, Default)]
pub struct Images<'a> {
    wanted: BTreeMap<Key, Vec<(Function<'a>, Builds<'a>)>>,
    /// The build id of the profile that is read.
    build: Option<Vec<u8>>,
    counts: BTreeMap<Key, BTreeMap<Vec<u8>, Sum>>,
}

impl<'a> Images<'a> {
    /// Looks for the functions of a mapping that several programs have with other sources.
    pub fn of(mapping: &Mapping<'a>) -> Images<'a> {
        let mut wanted = BTreeMap::<_, Vec<_>>::new();
        for (function, builds) in mapping.of_several_images().into_values() {
            wanted.entry(function.key()).or_default().push((*function, builds));
        }
        Images { wanted, ..Images::default() }
    }

    /// Returns whether there is nothing to tell apart.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Gives counts those of each program. Returns the number of functions whose counts stay the sum: a program has no build id, or profiles do
    /// not say of which build their counts are.
    pub fn give_to(&self, counts: &mut Counts<'_>) -> usize {
        let mut unclear = 0usize;
        let nothing = BTreeMap::new();
        for (key, functions) in &self.wanted {
            let of_builds = self.counts.get(key).unwrap_or(&nothing);
            let (mut all, mut here) = (Sum::default(), Sum::default());
            for (build, sum) in of_builds {
                add(&mut all, &sum.0, &sum.1);
                if functions.iter().any(|(_, builds)| builds.contains(&Some(build))) {
                    add(&mut here, &sum.0, &sum.1);
                }
            }
            // An object file has no build id. It is in a program that has one, or has not run if all counts are those of the programs that are here.
            let is_told = here.0 == all.0 || functions.iter().all(|(_, builds)| builds.iter().any(Option::is_some));
            if !is_told || counts.counters_of(*key).is_some_and(|counters| counters != all.0) {
                unclear = unclear.saturating_add(functions.len());
                continue;
            }
            for (function, builds) in functions {
                let mut own = Sum::default();
                let sums = builds.iter().flatten().filter_map(|build| of_builds.get(*build));
                sums.for_each(|sum| add(&mut own, &sum.0, &sum.1));
                counts.set(function, own);
            }
        }
        unclear
    }
}

fn add(sum: &mut Sum, counters: &[u64], bitmap: &[u8]) {
    sum.0.resize(counters.len().max(sum.0.len()), 0);
    sum.0.iter_mut().zip(counters).for_each(|(sum, count)| *sum = sum.saturating_add(*count).min(RecordRef::MAX_COUNT));
    sum.1.resize(bitmap.len().max(sum.1.len()), 0);
    sum.1.iter_mut().zip(bitmap).for_each(|(sum, bits)| *sum |= bits);
}

impl Sink for Images<'_> {
    fn heading(&mut self, _: &Heading) -> Result<(), Error> {
        self.build = None;
        Ok(())
    }

    fn binary_id(&mut self, id: &[u8]) {
        self.build = Some(id.to_vec());
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        let key = (record.name.hash, record.hash);
        if let Some(build) = self.build.as_ref().filter(|_| self.wanted.contains_key(&key)) {
            let sum = self.counts.entry(key).or_default().entry(build.clone()).or_default();
            add(sum, record.counters, record.bitmap);
        }
        Ok(())
    }
}
