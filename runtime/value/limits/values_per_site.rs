//! Limits the values that a site holds.

#![allow(unsafe_code)]

use crate::format::value::MAX_VALUES_PER_SITE;
use crate::sync::{AtomicBool, AtomicU32, Ordering};
use crate::value::full;

/// The default limit of values of a site.
pub const DEFAULT: u32 = 24;

/// The configured limit, 1 to 255, and in the bits above it the number of merges in progress: they add the values of other runs without
/// that limit.
static LIMIT: AtomicU32 = AtomicU32::new(DEFAULT);
/// One merge in [`LIMIT`].
const MERGE: u32 = 256;
const MOST: u32 = MAX_VALUES_PER_SITE as u32;

/// Returns the limit that hooks obey: the configured one, or the largest while a merge runs.
#[inline]
pub fn max_values() -> u32 {
    LIMIT.load(Ordering::Relaxed).min(MOST)
}

/// Does `work` while sites may hold as many values as a profile can.
pub fn without_limit(work: impl FnOnce()) {
    LIMIT.fetch_add(MERGE, Ordering::Relaxed);
    // Sites that are known to be full no longer are.
    full::forget_all();
    work();
    LIMIT.fetch_add(MERGE.wrapping_neg(), Ordering::Relaxed);
}

/// Whether the limit was set.
static IS_SET: AtomicBool = AtomicBool::new(false);

/// Raises the limit to what a profile can hold, unless it was set. For two cases: an array of heads is allocated at run time, where the
/// official runtime raises it too; and sites hold values of earlier runs, which must leave space for new ones.
pub fn raise_unless_set() {
    if !IS_SET.load(Ordering::Relaxed) {
        set(MOST);
    }
}

/// Sets the limit of values of a site, at most what a profile can hold.
pub fn set_max_values(max: u32) {
    IS_SET.store(true, Ordering::Relaxed);
    set(max);
}

/// Sets the configured limit.
fn set(max: u32) {
    let max = max.clamp(1, MOST);
    let mut limit = LIMIT.load(Ordering::Relaxed);
    while let Err(now) =
        LIMIT.compare_exchange(limit, (limit / MERGE * MERGE) | max, Ordering::Relaxed, Ordering::Relaxed)
    {
        limit = now;
    }
    // After the limit is stored, for later searches. (A search that has read the old limit may still enter its site afterwards.)
    full::forget_all();
}
