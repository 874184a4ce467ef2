//! The records of a profile, by name hash and structural hash.

use std::iter;

use hashbrown::HashMap;

use super::function::Function;
use super::rules::Rules;
use crate::flags::Flags;
use crate::profile::Profile;
use crate::read::Lookup;
use crate::sink::Format;

/// The bit of structural hashes that says that a function was instrumented a second time, of hashes that have such a bit.
const KIND: u64 = 1 << 60;

/// The records of a profile, to be found for functions. Takes about 30 bytes a record.
#[derive(Clone, Debug)]
pub struct Counts<'p> {
    profile: &'p Profile,
    format: Format,
    /// The number of the last record of each name.
    last: HashMap<u64, u32>,
    /// For each record the number of the one before it that has the same name.
    before: Vec<Option<u32>>,
}

impl<'p> Counts<'p> {
    /// Returns the records of a profile, which was read from this format: it says what the bits of MC/DC bitmaps stand for.
    pub fn of(profile: &'p Profile, format: Format) -> Counts<'p> {
        let mut last = HashMap::with_capacity(profile.len());
        let before = profile.records().zip(0..).map(|(record, number)| last.insert(record.name.hash, number)).collect();
        Counts { profile, format, last, before }
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
    pub fn find(&self, function: &Function<'_>) -> Lookup<'p> {
        self.find_by(function, Rules::Own)
    }

    /// Returns the same by other rules: `llvm-cov` compares the hash 0 of dummies, too, and from 16 on it takes hashes for those of other
    /// functions if their bits 60 are different.
    pub(super) fn find_by(&self, function: &Function<'_>, rules: Rules) -> Lookup<'p> {
        let (name, hash) = (function.name_hash(), function.hash());
        if rules == Rules::Own && function.is_dummy() {
            return Lookup::Unknown;
        }
        let before = |number: &u32| self.before.get(*number as usize).copied().flatten();
        let same = iter::successors(self.last.get(&name).copied(), before);
        let mut lookup = Lookup::Unknown;
        for record in same.filter_map(|number| self.profile.record(number as usize)) {
            if record.hash == hash {
                return Lookup::Found(record);
            }
            if !(rules.has_two_kinds() && (record.hash ^ hash) & KIND != 0) {
                lookup = Lookup::HashMismatch;
            }
        }
        lookup
    }
}
