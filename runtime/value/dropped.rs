//! Counts dropped values, and limits the nodes that come from mapped pages.

use crate::sync::{AtomicU64, AtomicUsize, Ordering};

/// The number of values dropped for lack of memory.
static DROPPED: AtomicU64 = AtomicU64::new(0);
/// The number of nodes that may come from mapped pages. Invariant: set before threads start, or by the program.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The number of nodes that came from mapped pages.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// The number of values dropped because the interrupted code was inside `value`, on CPUs where that matters (`sync::exclusive`). Only
/// interrupt handlers write it.
static DROPPED_REENTRANT: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of values dropped since the program began.
pub fn dropped() -> u64 {
    DROPPED.load(Ordering::Relaxed).wrapping_add(DROPPED_REENTRANT.load(Ordering::Relaxed) as u64)
}

/// Counts a value dropped in an interrupt handler. (May lose one when another handler interrupts the addition.)
#[cold]
pub fn drop_reentrant() {
    DROPPED_REENTRANT.fetch_add(1, Ordering::Relaxed);
}

/// Counts a value dropped for lack of memory.
#[cfg_attr(feature = "hosted", inline)]
pub fn drop_one() {
    DROPPED.fetch_add(1, Ordering::Relaxed);
}

/// Limits the nodes that come from mapped pages.
pub fn set_limit(nodes: usize) {
    LIMIT.store(nodes, Ordering::Relaxed);
}

/// Returns the limit on nodes from mapped pages.
pub fn limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}

/// Counts one more node from mapped pages, if the limit allows. Returns whether it does.
#[cfg_attr(feature = "hosted", inline)]
pub fn may_map() -> bool {
    one_more(&MAPPED, limit())
}

/// Adds one to `mapped` unless it has reached `limit`. Returns whether it has added.
fn one_more(mapped: &AtomicUsize, limit: usize) -> bool {
    let next = |mapped: usize| (mapped < limit).then(|| mapped.wrapping_add(1));
    mapped.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
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
