//! Values that were not counted, and how many nodes there may be.

use crate::sync::{AtomicU64, AtomicUsize, Ordering};

/// Values dropped for want of a node.
static DROPPED: AtomicU64 = AtomicU64::new(0);
/// Nodes that may come from mapped pages. Invariant: set before threads start, or by the program.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Nodes that did.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Values that came while the interrupted code was in here, where that matters (`sync::exclusive`). Only such calls write it.
static TURNED_AWAY: AtomicUsize = AtomicUsize::new(0);

/// Values dropped since the program began.
pub fn dropped() -> u64 {
    DROPPED.load(Ordering::Relaxed).wrapping_add(TURNED_AWAY.load(Ordering::Relaxed) as u64)
}

/// Counts one that was turned away. (A handler that is interrupted by another one here may lose one of the two.)
#[cold]
pub fn turn_away() {
    TURNED_AWAY.fetch_add(1, Ordering::Relaxed);
}

/// Counts one more.
#[cfg_attr(feature = "hosted", inline)]
pub fn drop_one() {
    DROPPED.fetch_add(1, Ordering::Relaxed);
}

/// Limits the nodes that come from mapped pages.
pub fn set_limit(nodes: usize) {
    LIMIT.store(nodes, Ordering::Relaxed);
}

/// The limit on nodes from mapped pages.
pub fn limit() -> usize {
    LIMIT.load(Ordering::Relaxed)
}

/// Whether one more node may come from mapped pages; it is counted if so.
#[cfg_attr(feature = "hosted", inline)]
pub fn may_map() -> bool {
    one_more(&MAPPED, limit())
}

fn one_more(mapped: &AtomicUsize, limit: usize) -> bool {
    let next = |mapped: usize| (mapped < limit).then(|| mapped.wrapping_add(1));
    mapped.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limited() {
        // Not the process's own, for other tests take nodes meanwhile.
        let mapped = AtomicUsize::new(0);
        assert_eq!([2, 2, 2, 2].map(|limit| one_more(&mapped, limit)), [true, true, false, false]);
        assert_eq!([3, 3].map(|limit| one_more(&mapped, limit)), [true, false]);
        assert!(one_more(&mapped, usize::MAX));
    }
}
