//! Counts of each thread, so that threads at one site do not compete for a node's cache line.
//!
//! Each node has an owner: the first thread that counts it while there are several. The owner adds to the node's own count, as the only
//! thread of a process does ([`super::add`]). Every other thread adds to the node's shared count, atomically, and once that happens
//! [`OFTEN`], to a cell of its own: a cell is a node and the count that one thread adds to it, and belongs for good to the first node that the
//! thread counts there. Where another node has the cell, the thread goes on with the shared count; a thread to which that happens often maps
//! a larger table of cells.
//!
//! A thread is known by its thread pointer. When it ends, its nodes, its cells and their counts stay: the next thread with the same thread
//! pointer, of which there is only one at a time, goes on with them.
//!
//! The total of a node is its own count, its shared count, and the counts of its cells in all tables ([`tables::sum`]). `profrt
//! rebuild` adds them up, too, in a saved memory.

#![allow(unsafe_code)]

pub mod tables;

use core::ptr;

use super::add::{add_to_cell, add_to_node};
use super::node::Node;
use crate::format::node::{CELL_SIZE, FIRST_BITS, LARGEST_BITS, cell_offset, hash, last_cell};
use crate::os;
use crate::sync::{AtomicPtr, AtomicUsize, Ordering};
use tables::{Table, ThreadCell};

/// The number of threads that can have cells as a power of two.
const SLOT_BITS: u32 = 10;
/// The number of slots that a thread tries.
const PROBES: usize = 8;
/// From which shared count on a node gets cells. Most nodes are never counted that often, so most threads need no table. (Models of
/// interleavings count a few times.)
const OFTEN: u64 = if cfg!(profrt_loom) { 0 } else { 256 };
/// Stands for a thread pointer while a slot is being set up. No thread has its data at this address.
const SETTING_UP: usize = 1;

/// The slot of a thread, which leads to its cells.
#[derive(Debug)]
#[repr(align(32))]
struct ThreadSlot {
    /// The thread pointer, 0 while free, [`SETTING_UP`] while the table changes. Invariant: while it is a thread pointer, `cells` and `last` are of
    /// one table.
    thread: AtomicUsize,
    /// The cells of the table that the thread uses now, the largest that it has mapped.
    cells: AtomicPtr<ThreadCell>,
    /// The offset of the last of these cells.
    last: AtomicUsize,
    /// How often a node had no cell in this table. Only the thread changes it.
    misses: AtomicUsize,
}

/// The slots of all threads.
static SLOTS: [ThreadSlot; 1 << SLOT_BITS] = [const {
    ThreadSlot {
        thread: AtomicUsize::new(0),
        cells: AtomicPtr::new(ptr::null_mut()),
        last: AtomicUsize::new(0),
        misses: AtomicUsize::new(0),
    }
}; 1 << SLOT_BITS];

/// Adds to the count of a node.
#[inline(always)]
pub fn add(node: &Node, by: u64) {
    let owner = node.owner.load(Ordering::Relaxed);
    // Not the other way round: before there is an owner, reading the thread pointer may be a fault.
    if owner == 0 {
        return add_to_unowned(by, node);
    }
    match os::own_block() {
        Some(thread) if thread == owner => add_to_node(node, by),
        thread => add_as_other(by, node, thread.unwrap_or_default()),
    }
}

/// Adds to the count of a node that no thread owns: plainly in a process with one thread.
#[inline(always)]
fn add_to_unowned(by: u64, node: &Node) {
    if os::single_threaded() {
        add_to_node(node, by);
    } else {
        add_first(by, node);
    }
}

/// Adds to the count of a node that no thread owned a moment ago, in a process with several threads.
#[inline(never)]
fn add_first(by: u64, node: &Node) {
    // (0 stands for nobody.)
    match os::thread_pointer().filter(|thread| *thread != 0) {
        Some(thread) => add_anew(thread, node, by),
        None => node.add_shared(by),
    }
}

/// Adds to the count of a node that another thread owns. The node has the place that it has in most callers, so that they do not move it.
#[inline(never)]
fn add_as_other(by: u64, node: &Node, thread: usize) {
    let slot = first_slot(thread);
    if slot.thread.load(Ordering::Relaxed) == thread {
        let cell = slot.cell(node);
        if ptr::eq(cell.node.load(Ordering::Relaxed), node) {
            return add_to_cell(cell, by);
        }
    }
    add_anew(thread, node, by);
}

/// Adds to the count of a node of which the thread is not known to be the owner, and for which it has no cell, or not in its first slot.
#[inline(never)]
fn add_anew(thread: usize, node: &Node, by: u64) {
    if node.owner.load(Ordering::Relaxed) == 0
        && node.owner.compare_exchange(0, thread, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        return add_to_node(node, by);
    }
    // (A count that an eviction has made negative is a large one here.)
    let cell = if node.shared_count.load(Ordering::Relaxed) >= OFTEN {
        find_or_claim_slot(thread).and_then(|slot| slot.bind(node))
    } else {
        None
    };
    match cell {
        Some(cell) => add_to_cell(cell, by),
        None => node.add_shared(by),
    }
}

/// Returns the first slot that a thread tries.
#[inline(always)]
fn first_slot(thread: usize) -> &'static ThreadSlot {
    // SAFETY: `hash` returns a number of SLOT_BITS bits, and there are as many slots.
    unsafe { SLOTS.get_unchecked(hash(thread, 0, SLOT_BITS)) }
}

/// Returns the slot of a thread, and claims one if the thread has none.
fn find_or_claim_slot(thread: usize) -> Option<&'static ThreadSlot> {
    let first = hash(thread, 0, SLOT_BITS);
    for slot in (0..PROBES).filter_map(|probe| SLOTS.get(first.wrapping_add(probe) % SLOTS.len())) {
        let found = slot.thread.load(Ordering::Relaxed);
        if found == thread {
            return Some(slot);
        }
        if found == 0 && tables::has_space() && slot.reserve() {
            return slot.set_up(thread).then_some(slot);
        }
    }
    None
}

impl ThreadSlot {
    /// Reserves the slot, if it is free still.
    fn reserve(&self) -> bool {
        self.thread.compare_exchange(0, SETTING_UP, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// Gives the reserved slot to this thread, with a table. Without memory the slot is free again. A signal handler may claim another slot
    /// meanwhile: a thread may have two.
    #[cold]
    fn set_up(&self, thread: usize) -> bool {
        let done = self.use_table(FIRST_BITS);
        self.thread.store(if done { thread } else { 0 }, Ordering::Release);
        done
    }

    /// Maps a table, and uses it from now on. Returns whether there was memory. The slot is being set up, so that nobody uses it meanwhile.
    fn use_table(&self, bits: u32) -> bool {
        let Some(table) = Table::map(bits) else { return false };
        self.cells.store(table.cells(), Ordering::Release);
        #[cfg(test)]
        tests::interrupt();
        self.last.store(last_cell(bits), Ordering::Release);
        true
    }

    /// Uses a larger table from now on, if there is one and memory for it. A signal handler in between does not find the slot, whose fields
    /// contradict each other for a moment, and claims another one: a thread may have two.
    #[cold]
    fn grow(&self) {
        let thread = self.thread.load(Ordering::Relaxed);
        self.thread.store(SETTING_UP, Ordering::Relaxed);
        // Only now, since a handler before may have done the same.
        if let Some(bits) = larger(self.last.load(Ordering::Relaxed)) {
            self.use_table(bits);
        }
        self.thread.store(thread, Ordering::Release);
    }

    /// Returns the cell that this thread has for a node if it has one.
    #[inline(always)]
    fn cell(&self, node: &Node) -> &'static ThreadCell {
        let last = self.last.load(Ordering::Acquire);
        let cells = self.cells.load(Ordering::Acquire);
        // SAFETY: `use_table` has set both, the only function that does, so that the table has a cell at `last`; nobody gets here between its
        // two stores, while the slot is being set up. Tables stay mapped.
        unsafe { &*cells.wrapping_byte_add(cell_offset(ptr::from_ref(node).addr(), last)) }
    }

    /// Returns the cell for a node, unless another node has it.
    fn bind(&self, node: &Node) -> Option<&'static ThreadCell> {
        let cell = self.cell(node);
        if cell.bind(node) {
            return Some(cell);
        }
        // Often: a larger table.
        let last = self.last.load(Ordering::Relaxed);
        if self.misses.fetch_add(1, Ordering::Relaxed) > last / CELL_SIZE && larger(last).is_some() {
            self.misses.store(0, Ordering::Relaxed);
            self.grow();
        }
        None
    }
}

/// Returns the size, as a power of two, of the table after one whose last cell has the offset `last`; `None` after the largest table.
fn larger(last: usize) -> Option<u32> {
    let bits = last.count_ones();
    (bits < LARGEST_BITS).then(|| bits.wrapping_add(3).min(LARGEST_BITS))
}

#[cfg(test)]
mod tests {
    use std::boxed::Box;
    use std::cell::RefCell;

    use super::*;

    std::thread_local! {
        /// What a signal handler does that runs while the table of a slot changes.
        static HANDLER: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
    }

    /// Runs the signal handler, once.
    pub(super) fn interrupt() {
        if let Some(handler) = HANDLER.take() {
            handler();
        }
    }

    #[test]
    fn tables_grow_up_to_the_largest() {
        let sizes = core::iter::successors(Some(FIRST_BITS), |bits| larger(last_cell(*bits)));
        assert!(sizes.eq([8, 11, 14, LARGEST_BITS]));
    }

    // (In models of interleavings there are no atomics outside of a model.)
    #[cfg(not(profrt_loom))]
    #[test]
    fn a_handler_while_a_table_grows_loses_nothing() {
        // No thread of the test has its data there.
        const THREAD: usize = 0x40;
        fn count(nodes: &[Node]) -> u64 {
            let bind = |node| find_or_claim_slot(THREAD).and_then(|slot| slot.bind(node));
            nodes.iter().filter_map(bind).map(|cell| add_to_cell(cell, 1)).count() as u64
        }
        let nodes = || -> &'static [Node] { Box::leak((0..1000).map(|_| Node::new()).collect()) };
        let (own, handlers) = (nodes(), nodes());
        let counted = &*Box::leak(Box::new(AtomicUsize::new(0)));
        let slot = find_or_claim_slot(THREAD).unwrap();
        HANDLER.set(Some(Box::new(|| counted.store(count(handlers) as usize, Ordering::Relaxed))));
        slot.grow();
        let expected = counted.load(Ordering::Relaxed) as u64;
        assert!(expected > 0);
        assert_eq!(handlers.iter().map(tables::sum).sum::<u64>(), expected);
        let expected = count(own);
        assert_eq!(own.iter().map(tables::sum).sum::<u64>(), expected);
    }
}
