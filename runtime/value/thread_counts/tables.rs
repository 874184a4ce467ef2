//! Tables of the cells in which threads count, and the sum over all threads. The parent module claims the tables, which takes an
//! operating system.

#![allow(unsafe_code)]

use core::ptr;

use crate::format::node::{BITS, HOSTED_SLOTS, cell_index, hash};
use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use crate::value::node::Node;

/// The number of threads that can have cells here. (On devices no thread has cells, and memory is short.)
pub const SLOTS: usize = if cfg!(feature = "hosted") { HOSTED_SLOTS } else { 1 };

/// The count of one node by one thread.
#[derive(Debug)]
#[repr(C)]
pub struct ThreadCell {
    /// The node, or [`crate::value::cache::NOBODY`]. Set once, by the slot's thread.
    pub node: AtomicPtr<Node>,
    /// The count. Invariant: only the slot's thread writes it.
    pub count: AtomicU64,
}

/// The tables that are set up, in the order in which threads claimed them.
static CLAIMED: [AtomicPtr<ThreadCell>; SLOTS] = [const { AtomicPtr::new(ptr::null_mut()) }; SLOTS];
/// The number of entries of [`CLAIMED`] in use. Never shrinks. The last entries may be null for a moment.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Makes [`sum`] include a table of [`crate::format::node::CELLS`] cells, for ever. At most [`SLOTS`] calls.
pub fn include(cells: *mut ThreadCell) {
    let place = USED.fetch_add(1, Ordering::AcqRel);
    if let Some(entry) = CLAIMED.get(place) {
        entry.store(cells, Ordering::Release);
    }
}

/// Returns the index of the cell for a node that a walk has found.
#[inline(always)]
pub fn index_by_node(node: *const Node) -> usize {
    cell_index(node.addr())
}

/// Returns whether any thread has cells.
#[inline]
pub fn any() -> bool {
    // On devices no thread has cells.
    cfg!(feature = "hosted") && USED.load(Ordering::Acquire) > 0
}

/// Returns the sum of a node's cells in the tables of all threads.
#[inline]
pub fn sum(node: &Node) -> u64 {
    sum_as(node, node.value.load(Ordering::Relaxed))
}

/// Returns the sum of the cells that a node would have with `value`.
#[inline]
pub fn sum_as(node: &Node, value: u64) -> u64 {
    let used = if cfg!(feature = "hosted") { USED.load(Ordering::Acquire) } else { 0 };
    match used {
        0 => 0,
        used => sum_used(node, value, used),
    }
}

#[cold]
fn sum_used(node: &Node, value: u64, used: usize) -> u64 {
    let site = node.site.load(Ordering::Relaxed);
    let (walked, known) = (index_by_node(node), hash(site.addr(), value, BITS));
    let mut sum: u64 = 0;
    for entry in CLAIMED.iter().take(used) {
        let cells = entry.load(Ordering::Acquire);
        if cells.is_null() {
            continue;
        }
        let count = |index: usize| {
            // SAFETY: a table of CELLS cells, by `include`; both indexes are below that.
            let cell = unsafe { &*cells.wrapping_add(index) };
            let own = ptr::eq(cell.node.load(Ordering::Relaxed), node);
            if own { cell.count.load(Ordering::Relaxed) } else { 0 }
        };
        let second = if known == walked { 0 } else { count(known) };
        sum = sum.wrapping_add(count(walked)).wrapping_add(second);
    }
    sum
}
