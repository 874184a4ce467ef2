//! The records of a profile, by name hash and structural hash.

use std::iter;

use hashbrown::HashMap;

use super::function::Function;
use super::region::Regions;
use super::rules::Rules;
use crate::error::Error;
use crate::flags::Flags;
use crate::name::Name;
use crate::profile::Profile;
use crate::read::Lookup;
use crate::sink::{Format, RecordRef};

/// The bit of structural hashes that says that a function was instrumented a second time, of hashes that have such a bit.
const KIND: u64 = 1 << 60;

/// Counters and bitmap.
pub(super) type Sum = (Vec<u64>, Vec<u8>);

/// The records of a profile, to be found for functions. Takes about 30 bytes a record.
#[derive(Clone, Debug)]
pub struct Counts<'p> {
    profile: &'p Profile,
    format: Format,
    /// The place in memory of the last record of each name.
    last: HashMap<u64, u32>,
    /// For each record the place of the one before it that has the same name.
    before: Vec<Option<u32>>,
    /// Of functions that several programs have, by [`Function::place`]: see [`Images`](super::Images).
    own: HashMap<(u32, usize), Sum>,
    tells_builds: bool,
    is_running: bool,
}

impl<'p> Counts<'p> {
    /// Returns the records of a profile, which was read from this format: it says what the bits of MC/DC bitmaps stand for.
    pub fn of(profile: &'p Profile, format: Format) -> Counts<'p> {
        let mut last = HashMap::with_capacity(profile.len());
        let names = (0..profile.len()).filter_map(|place| profile.stored_record(place)).map(|record| record.name.hash);
        let before = names.zip(0..).map(|(name, place)| last.insert(name, place)).collect();
        Counts { profile, format, last, before, own: HashMap::new(), tells_builds: false, is_running: false }
    }

    /// Lets a function have not run, instead of having changed, if its program has none of the profile's build ids and only another program's
    /// function has its name, as `main`. Of a profile without build ids it changes nothing.
    pub fn tell_builds(&mut self) {
        self.tells_builds = !self.profile.binary_ids().is_empty();
    }

    /// Says that the program has not ended: then [`Regions::certain_counts`] count.
    pub fn while_running(&mut self) {
        self.is_running = true;
    }

    /// Returns the counts of regions that have these counters.
    pub(super) fn of_regions(&self, regions: &Regions, counters: &[u64], rules: Rules) -> Result<Vec<[u64; 2]>, Error> {
        match self.is_running {
            true => regions.certain_counts(counters, self.flags()),
            false => regions.counts(counters, self.flags(), rules),
        }
    }

    fn is_of_other_program(&self, function: &Function<'_>) -> bool {
        self.tells_builds && function.build().is_none_or(|build| !self.profile.binary_ids().contains(build))
    }

    /// Sets the counts of a function of one program among several.
    pub(super) fn set(&mut self, function: &Function<'_>, sum: Sum) {
        self.own.insert(function.place(), sum);
    }

    /// Returns whether a function has counts that are those of its programs only.
    pub(super) fn is_own(&self, function: &Function<'_>) -> bool {
        self.own.contains_key(&function.place())
    }

    /// Returns the counters of a name hash and a structural hash; `None`: there is no such record.
    pub(super) fn counters_of(&self, (name, hash): (u64, u64)) -> Option<&'p [u64]> {
        self.of_name(name).find(|record| record.hash == hash).map(|record| record.counters)
    }

    fn of_name(&self, name: u64) -> impl Iterator<Item = RecordRef<'p>> {
        let before = |place: &u32| self.before.get(*place as usize).copied().flatten();
        let same = iter::successors(self.last.get(&name).copied(), before);
        same.filter_map(|place| self.profile.stored_record(place as usize))
    }

    /// Returns the flags of the profile.
    pub(super) fn flags(&self) -> Flags {
        self.profile.flags()
    }

    /// Returns the format of the profile.
    pub(super) fn format(&self) -> Format {
        self.format
    }

    /// Returns the record of a function. [`Lookup::HashMismatch`]: the profile has the name with another structural hash, so the function has
    /// changed between the builds. [`Lookup::Unknown`]: it did not run, or the profile is of another program. Dummies are never found: they have
    /// no hash to compare.
    pub fn find(&self, function: &Function<'_>) -> Lookup<'_> {
        self.find_by(function, Rules::Own)
    }

    /// Returns the same by other rules: `llvm-cov` compares the hash 0 of dummies, too, and from 16 on it takes hashes for those of other
    /// functions if their bits 60 are different.
    pub(super) fn find_by(&self, function: &Function<'_>, rules: Rules) -> Lookup<'_> {
        let (name, hash) = (function.name_hash(), function.hash());
        if rules == Rules::Own && function.is_dummy() {
            return Lookup::Unknown;
        }
        if let Some((counters, bitmap)) = self.own.get(&function.place()) {
            let own = RecordRef { name: Name::of_hash(name), hash, counters, bitmap, ..RecordRef::EMPTY };
            return if counters.is_empty() { Lookup::Unknown } else { Lookup::Found(own) };
        }
        let mut lookup = Lookup::Unknown;
        for record in self.of_name(name) {
            if record.hash == hash {
                return Lookup::Found(record);
            }
            let is_other = match rules {
                Rules::Own => self.is_of_other_program(function),
                Rules::Llvm(_) => rules.has_two_kinds() && (record.hash ^ hash) & KIND != 0,
            };
            if !is_other {
                lookup = Lookup::HashMismatch;
            }
        }
        lookup
    }
}
