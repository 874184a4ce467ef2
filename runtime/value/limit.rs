//! How many values a site holds.

#![allow(unsafe_code)]

use super::full;
use crate::format::value::MAX_VALUES_PER_SITE;
use crate::sync::{AtomicBool, AtomicU32, Ordering};

/// Values a site holds when nothing else is said.
pub const DEFAULT: u32 = 24;

/// Values a site holds at most, as was said. Invariant: 1 to 255.
static MAX_VALUES: AtomicU32 = AtomicU32::new(DEFAULT);

/// The same as of now: what hooks look at.
static IN_FORCE: AtomicU32 = AtomicU32::new(DEFAULT);

/// Merges under way: values of other runs are not turned away for what this one may take.
static LIFTED: AtomicU32 = AtomicU32::new(0);

/// Values a site holds at most.
#[inline]
pub fn max_values() -> u32 {
    IN_FORCE.load(Ordering::Relaxed)
}

/// Puts in force what was said, or what a merge needs.
fn enforce() {
    loop {
        let lifted = LIFTED.load(Ordering::Relaxed) > 0;
        let now = if lifted { MAX_VALUES_PER_SITE as u32 } else { MAX_VALUES.load(Ordering::Relaxed) };
        // Again when another one has stored what is not true any more.
        if IN_FORCE.swap(now, Ordering::Relaxed) == now {
            break;
        }
    }
}

/// Does `work` while sites hold as many values as a file can say.
pub fn lifted(work: impl FnOnce()) {
    LIFTED.fetch_add(1, Ordering::Relaxed);
    enforce();
    // Those that are known to be full are not any more.
    full::forget_all();
    work();
    LIFTED.fetch_add(u32::MAX, Ordering::Relaxed);
    enforce();
}

/// Somebody has said a number.
static SAID: AtomicBool = AtomicBool::new(false);

/// Heads are allocated at run time: unless a number was said, all sites of the image hold as many values as a file can
/// say, from now on. (So does the official runtime.)
pub fn heads_allocated() {
    if !SAID.load(Ordering::Relaxed) {
        set(MAX_VALUES_PER_SITE as u32);
    }
}

/// Sites hold values of earlier runs, which must not be in the way of this one's: the same.
pub fn values_taken_over() {
    heads_allocated();
}

#[cfg(feature = "archive")]
core::arch::global_asm!(".hidden profrt_values_limit");

/// Sets how many values a site holds, limited to what a file can say.
#[cfg_attr(all(feature = "hosted", feature = "archive"), unsafe(export_name = "profrt_values_limit"))]
pub fn set_max_values(max: u32) {
    SAID.store(true, Ordering::Relaxed);
    set(max);
}

fn set(max: u32) {
    MAX_VALUES.store(max.clamp(1, MAX_VALUES_PER_SITE as u32), Ordering::Relaxed);
    enforce();
    // Behind the number: a site that is learnt in between is learnt with it.
    full::forget_all();
}
