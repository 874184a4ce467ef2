//! Limits the nodes that come from mapped pages.

use crate::sync::{AtomicUsize, Ordering};

/// The number of nodes that may come from mapped pages. Invariant: set before threads start, or by the program.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// The number of nodes that came from mapped pages.
static MAPPED: AtomicUsize = AtomicUsize::new(0);

/// Limits the nodes that come from mapped pages.
pub fn set_limit(nodes: usize) {
    LIMIT.store(nodes, Ordering::Relaxed);
}

/// Returns the limit on nodes from mapped pages; `usize::MAX` without a limit.
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
