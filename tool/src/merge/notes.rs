//! What a user should know of a result that nothing is wrong with.

use profdata::sink::Flags;
use profdata::{Profile, Target};

use super::target;
use crate::report::{NO_FUNCTIONS, percent};
use crate::text::many;

/// The share of the counts, in percent, from which on it is noted that they lie under other hashes.
const NOTED: u128 = 1;

/// Returns notes on a profile that is written for a target, which the user has named or not.
pub(crate) fn of(profile: &Profile, target: Target, is_named: bool) -> Vec<String> {
    let mut notes = Vec::new();
    if profile.is_empty() {
        notes.push(NO_FUNCTIONS.to_owned());
    }
    notes.extend(target::doubt(profile, target, is_named));
    // Most profiles have one record of each name.
    let is_mixed = profile.len() > profile.names().len();
    let other = if is_mixed { OtherHashes::of(profile) } else { OtherHashes::default() };
    if other.counts > 0 && other.counts.saturating_mul(100) >= other.all.saturating_mul(NOTED) {
        notes.push(format!(
            "at least {} of the counts are under other hashes of functions that have several ({}), and a compiler uses one: the inputs come \
             from several compilers or sources",
            percent(other.counts, other.all),
            many(other.functions, "function")
        ));
    }
    notes
}

/// Functions with counts under several hashes. A compiler finds only those under the hash that it computes itself.
#[derive(Default)]
pub(crate) struct OtherHashes {
    pub(crate) functions: u64,
    /// Sum of the counters of their records, without the largest record of each.
    pub(crate) counts: u128,
    /// Sum of all counters.
    pub(crate) all: u128,
}

impl OtherHashes {
    /// Looks at a profile in which the records of a name are neighbors.
    pub(crate) fn of(profile: &Profile) -> OtherHashes {
        let mut found = OtherHashes::default();
        // A function has one record without and one with its callers.
        let has_contexts = profile.flags().has(Flags::IR);
        let (mut last, mut largest, mut is_counted) = (None, 0, false);
        for record in profile.records().filter(|record| !record.is_pseudo()) {
            let sum = record.counters.iter().map(|count| u128::from(*count)).sum();
            let function = Some((record.name.hash, has_contexts && record.is_context_sensitive()));
            if function != last {
                (last, largest, is_counted) = (function, 0, false);
            }
            let other = largest.min(sum);
            if other > 0 && !is_counted {
                found.functions += 1;
                is_counted = true;
            }
            found.all += sum;
            found.counts += other;
            largest = largest.max(sum);
        }
        found
    }
}
