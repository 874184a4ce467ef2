//! Limits the values that a site holds.

#![allow(unsafe_code)]

use crate::format::value::MAX_VALUES_PER_SITE;
use crate::sync::{AtomicBool, AtomicU32, Ordering};
use crate::value::full;
use crate::value::optional::provide;

/// The default limit of values of a site.
pub const DEFAULT: u32 = 24;

/// The configured limit. Invariant: 1 to 255.
static MAX_VALUES: AtomicU32 = AtomicU32::new(DEFAULT);

/// The limit that hooks obey: the configured one, or the largest while a merge runs.
static OBEYED: AtomicU32 = AtomicU32::new(DEFAULT);

/// The number of merges in progress: they add the values of other runs without the configured limit.
static MERGES: AtomicU32 = AtomicU32::new(0);

/// Returns the limit that hooks obey.
#[inline]
pub fn max_values() -> u32 {
    OBEYED.load(Ordering::Relaxed)
}

/// Makes hooks obey the configured limit, or the largest one while a merge runs.
///
/// One store would not be enough: another thread may change the limit after this one has computed it and store first, and then this thread's
/// outdated limit would stay. So a thread that has replaced a different limit computes and stores again, until it replaces the limit that it
/// stores.
fn enforce() {
    loop {
        let merging = MERGES.load(Ordering::Relaxed) > 0;
        let now = if merging { MAX_VALUES_PER_SITE as u32 } else { MAX_VALUES.load(Ordering::Relaxed) };
        if OBEYED.swap(now, Ordering::Relaxed) == now {
            break;
        }
    }
}

/// Does `work` while sites may hold as many values as a profile can.
pub fn without_limit(work: impl FnOnce()) {
    MERGES.fetch_add(1, Ordering::Relaxed);
    enforce();
    // Sites that are known to be full no longer are.
    full::forget_all();
    work();
    MERGES.fetch_add(u32::MAX, Ordering::Relaxed);
    enforce();
}

/// Whether the program or the user has set the limit.
static IS_SET: AtomicBool = AtomicBool::new(false);

/// Raises the limit to what a profile can hold, unless it was set. For two cases: the first array of heads is allocated at run time, where the
/// official runtime raises it too; and sites hold values of earlier runs, which must leave space for new ones.
pub fn raise_unless_set() {
    if !IS_SET.load(Ordering::Relaxed) {
        set(MAX_VALUES_PER_SITE as u32);
    }
}

provide!("profrt_values_limit": fn(u32) = set_max_values);

/// Sets the limit of values of a site, at most what a profile can hold.
pub fn set_max_values(max: u32) {
    IS_SET.store(true, Ordering::Relaxed);
    set(max);
}

/// Sets the configured limit.
fn set(max: u32) {
    MAX_VALUES.store(max.clamp(1, MAX_VALUES_PER_SITE as u32), Ordering::Relaxed);
    enforce();
    // After the limit is stored: a site that another thread enters in between is entered with the new limit.
    full::forget_all();
}
