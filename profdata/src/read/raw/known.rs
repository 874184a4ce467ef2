//! Records that say the same again.
//!
//! A linker can leave several records of a function in a program, one of each unit that has it, and one counter: weak functions, and inline ones
//! after LTO with clang 14. What they count is counted once. Functions of one name and hash with counters of their own all count.

use std::collections::HashSet;

use super::RecordHead;

/// The records of a profile so far.
#[derive(Default)]
pub(super) struct KnownRecords {
    /// Name, hash and counters. `None`: no two records share counters.
    seen: Option<HashSet<(u64, u64, u64)>>,
}

impl KnownRecords {
    /// Returns no records of a profile that has these.
    pub(super) fn of(heads: impl Iterator<Item = RecordHead>) -> KnownRecords {
        let is_plain = heads.map(|head| head.counters_at).is_sorted_by(|one, next| one < next);
        KnownRecords { seen: (!is_plain).then(HashSet::new) }
    }

    /// Adds a record. Returns whether it is new.
    pub(super) fn add(&mut self, head: &RecordHead) -> bool {
        self.seen.as_mut().is_none_or(|seen| seen.insert((head.name_ref, head.hash, head.counters_at)))
    }
}
