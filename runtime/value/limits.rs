//! The limits of value profiling, and the number of values that were dropped: not counted for lack of memory, or in an interrupt handler.
//! (Values that a full site turns away are not among them.)
//!
//! | limit | default | largest | set by |
//! | --- | --- | --- | --- |
//! | values of a site ([`values_per_site`]) | 24; 255 where heads are allocated at run time | 255, what a profile can hold | `LLVM_VP_MAX_NUM_VALS_PER_SITE` |
//! | nodes from mapped pages ([`may_map`]) | none | none | `PROFRT_MAX_VALUE_NODES` |
//! | pairs of a write | none | none | the caller, for its buffer |
//!
//! `crate::lifecycle::value_limits` reads the variables of the environment. Programs without values link what is in this file, and not
//! [`values_per_site`].

pub mod values_per_site;

use crate::sync::{AtomicU64, AtomicUsize, Ordering};

/// The number of nodes that may come from mapped pages. Invariant: set before threads start, or by the program.
static MOST_MAPPED: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The number of nodes that came from mapped pages.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Limits the nodes that come from mapped pages.
pub fn set_most_mapped(nodes: usize) {
    MOST_MAPPED.store(nodes, Ordering::Relaxed);
}

/// Returns the limit on nodes from mapped pages; `usize::MAX` without a limit.
pub fn most_mapped() -> usize {
    MOST_MAPPED.load(Ordering::Relaxed)
}

/// Counts one more node from mapped pages, if the limit allows. Returns whether it does.
#[cfg_attr(feature = "hosted", inline)]
pub fn may_map() -> bool {
    one_more(&MAPPED, most_mapped())
}

/// Adds one to `mapped` unless it has reached `limit`. Returns whether it has added.
fn one_more(mapped: &AtomicUsize, limit: usize) -> bool {
    let next = |mapped: usize| (mapped < limit).then(|| mapped.wrapping_add(1));
    mapped.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
}

/// The number of values dropped for lack of memory, or on devices because lists were frozen.
static DROPPED: AtomicU64 = AtomicU64::new(0);
/// The number of values dropped because the interrupted code was inside `value`, on CPUs where that matters (`sync::exclusive`). Only
/// interrupt handlers write it.
static DROPPED_REENTRANT: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of values dropped since the program began.
pub fn dropped_values() -> u64 {
    DROPPED.load(Ordering::Relaxed).wrapping_add(DROPPED_REENTRANT.load(Ordering::Relaxed) as u64)
}

/// Counts a value dropped in an interrupt handler. (May lose one when another handler interrupts the addition.)
#[cold]
pub fn drop_reentrant_value() {
    DROPPED_REENTRANT.fetch_add(1, Ordering::Relaxed);
}

/// Counts a value that got no node.
#[cfg_attr(feature = "hosted", inline)]
pub fn drop_value() {
    DROPPED.fetch_add(1, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limited() {
        // Not the static, because other tests take nodes meanwhile.
        let mapped = AtomicUsize::new(0);
        assert_eq!([2, 2, 2, 2].map(|limit| one_more(&mapped, limit)), [true, true, false, false]);
        assert_eq!([3, 3].map(|limit| one_more(&mapped, limit)), [true, false]);
        assert!(one_more(&mapped, usize::MAX));
    }
}
