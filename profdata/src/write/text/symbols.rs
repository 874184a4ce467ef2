//! Names by their hashes.

use hashbrown::HashMap;

use crate::name::name_hash;
use crate::profile::Profile;

/// Names of functions and vtables, by their hashes.
#[derive(Clone, Debug, Default)]
pub struct Symbols<'a> {
    by_hash: HashMap<u64, &'a [u8]>,
}

impl<'a> Symbols<'a> {
    /// Collects the names of a profile. Nothing refers to a name when there are no values and no traces, and then there are none.
    pub fn of(profile: &'a Profile) -> Symbols<'a> {
        let mut by_hash = HashMap::new();
        if profile.traces().is_empty() && profile.records().all(|record| record.values.is_none()) {
            return Symbols { by_hash };
        }
        by_hash.extend(profile.records().filter_map(|record| Some((record.name.hash, record.name.bytes?))));
        by_hash.extend(profile.vtable_names().iter().map(|name| (name_hash(name), name.as_slice())));
        Symbols { by_hash }
    }

    /// Adds a name.
    pub fn add(&mut self, name: &'a [u8]) {
        self.by_hash.insert(name_hash(name), name);
    }

    /// Forgets the names for which `is_kept` is false.
    pub(super) fn retain(&mut self, is_kept: impl Fn(&[u8]) -> bool) {
        self.by_hash.retain(|_, name| is_kept(name));
    }

    /// Returns the name with this hash.
    pub fn get(&self, hash: u64) -> Option<&'a [u8]> {
        self.by_hash.get(&hash).copied().filter(|_| hash != 0)
    }
}
