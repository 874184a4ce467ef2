//! Counts of each thread, so that threads at one site do not compete for a node's cache line.
//!
//! A thread claims a slot by its thread pointer, and maps a table of [`CELLS`] cells for it. A cell is a node and the count that this thread
//! adds to it. A cell belongs for good to the first node that the thread counts there; where another node has the cell, the thread adds to
//! the node itself, atomically. Only the slot's thread writes the counts in its cells, as [`super::add`] does; every thread may read them. A
//! slot and its counts outlive the thread: the next thread with the same thread pointer uses them.
//!
//! The total of a node is its own count and the counts of its cells in all tables. [`Node::total`] adds them up with [`tables::sum`]; so
//! does `profrt rebuild`, in a saved memory.
//!
//! # Two cells for one node
//!
//! A table has two places for the cell of a node, since a thread should know early where to write. The first nodes of a list it
//! finds by a walk: their cells stand where the address of the node says ([`add_by_node`]). To the others it does not walk:
//! their cells stand where site and value say ([`add_by_value`]). The sum does not know the place of the node in its list, so it adds both.
//! An eviction gives a node to another value, and so another cell by value, which may have counts of an earlier stay of that value: the new
//! count makes up for them ([`Node::total_as`]).

#![allow(unsafe_code)]

pub mod tables;

use core::ptr;

use super::add::add_to_cell;
use super::cache::NOBODY;
use super::node::{Head, Node};
use crate::format::node::{BITS, CELLS, hash};
use crate::os;
use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use tables::{SLOTS, ThreadCell, index_by_node};

/// The number of slots that a thread tries.
const PROBES: usize = 8;
/// Stands for a thread pointer while a slot is being set up. No thread has its data at this address.
const SETTING_UP: usize = 1;

/// The slot of a thread, which leads to its cells.
#[derive(Debug)]
pub struct ThreadSlot {
    /// The thread pointer, 0 while free. Invariant: once it is a thread pointer, it stays, and `cells` is set.
    thread: AtomicUsize,
    /// The table of `CELLS` cells.
    cells: AtomicPtr<ThreadCell>,
}

// The host tool reads nodes and cells from core files. Not in their own files, which tests compile with other atomics.
const _: () = {
    use crate::format::node::{CELL_COUNT, CELL_NODE, CELL_SIZE, COUNT, NEXT, VALUE};
    use memoffset::offset_of;
    assert!(offset_of!(Node, value) == VALUE);
    assert!(offset_of!(Node, count) == COUNT);
    assert!(offset_of!(Node, next) == NEXT);
    // On CPUs that align a u64 to less than 8 bytes no thread has cells.
    assert!(align_of::<AtomicU64>() < 8 || offset_of!(ThreadCell, node) == CELL_NODE);
    assert!(align_of::<AtomicU64>() < 8 || offset_of!(ThreadCell, count) == CELL_COUNT);
    assert!(align_of::<AtomicU64>() < 8 || size_of::<ThreadCell>() == CELL_SIZE);
};

/// The slots of all threads.
static SLOT_LIST: [ThreadSlot; SLOTS] =
    [const { ThreadSlot { thread: AtomicUsize::new(0), cells: AtomicPtr::new(ptr::null_mut()) } }; SLOTS];

/// Returns the slot where a thread's search begins.
#[inline(always)]
fn first_slot(thread: usize) -> usize {
    // Thread pointers are a stack and a guard page apart, so this byte differs from thread to thread. The CPU has it at once, which
    // matters because the address of the cell depends on it.
    usize::from((thread >> 12) as u8)
}

/// Returns this thread's slot, if it is set up and is the first that the thread tries.
#[inline(always)]
pub fn known_slot() -> Option<&'static ThreadSlot> {
    let thread = os::thread_pointer()?;
    let slot = SLOT_LIST.get(first_slot(thread))?;
    (slot.thread.load(Ordering::Relaxed) == thread).then_some(slot)
}

/// Returns the cell of a slot that is set up.
#[inline(always)]
fn cell_at(slot: &ThreadSlot, index: usize) -> &'static ThreadCell {
    let cells = slot.cells.load(Ordering::Acquire);
    // SAFETY: a table of CELLS cells, by the slot's invariant; `index_by_node` and `hash` are below that.
    unsafe { &*cells.wrapping_add(index) }
}

/// Adds to this thread's cell for a node that a walk has found. Returns `false` and changes nothing where another node has the cell.
#[inline(always)]
pub fn add_by_node(slot: &ThreadSlot, node: &Node, by: u64) -> bool {
    let cell = cell_at(slot, index_by_node(node));
    let own = ptr::eq(cell.node.load(Ordering::Relaxed), node);
    if own {
        add_to_cell(cell, by);
    }
    own
}

/// Adds to this thread's cell for a value at a site. Returns `false` and changes nothing where the node of another value has the cell.
#[inline(always)]
pub fn add_by_value(slot: &ThreadSlot, head: *const Head, value: u64, by: u64) -> bool {
    let cell = cell_at(slot, hash(head.addr(), value, BITS));
    // SAFETY: `NOBODY` by `claim`, or a node by `add_to_cell_or_node`; both live for ever.
    let node = unsafe { &*cell.node.load(Ordering::Relaxed) };
    let hit = node.value.load(Ordering::Relaxed) == value && ptr::eq(node.site.load(Ordering::Relaxed), head);
    if hit {
        add_to_cell(cell, by);
    }
    hit
}

/// Adds to a node's count while other threads may do so: to its cell of this thread if that is free, else atomically to the node.
/// `walked`: whether the cell stands where [`add_by_node`] looks for it.
pub fn add_to_cell_or_node(head: &Head, value: u64, node: &Node, walked: bool, by: u64) {
    if let Some(slot) = find_or_claim_slot() {
        let cell =
            cell_at(slot, if walked { index_by_node(node) } else { hash(ptr::from_ref(head).addr(), value, BITS) });
        let own = ptr::from_ref(node).cast_mut();
        let nobody = (&raw const NOBODY).cast_mut();
        // Only this thread binds its cells, but its signal handlers do so too: hence the exchange.
        let bound = cell.node.compare_exchange(nobody, own, Ordering::Relaxed, Ordering::Relaxed);
        if bound.is_ok() || bound == Err(own) {
            return add_to_cell(cell, by);
        }
    }
    node.count.fetch_add(by, Ordering::Relaxed);
}

/// Returns the slot of this thread, and claims one if the thread has none.
fn find_or_claim_slot() -> Option<&'static ThreadSlot> {
    let thread = os::thread_pointer()?;
    let first = first_slot(thread);
    let slots = || (0..PROBES).filter_map(|probe| SLOT_LIST.get(first.wrapping_add(probe) % SLOTS));
    if let Some(slot) = slots().find(|slot| slot.thread.load(Ordering::Relaxed) == thread) {
        return Some(slot);
    }
    slots().find(|slot| slot.thread.load(Ordering::Relaxed) == 0 && claim(slot, thread))
}

/// Claims a free slot for this thread and maps its cells. A signal handler may claim another slot meanwhile: a thread may have two.
#[cold]
fn claim(slot: &ThreadSlot, thread: usize) -> bool {
    if slot.thread.compare_exchange(0, SETTING_UP, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        return false;
    }
    let Some(pages) = os::map_pages(CELLS * size_of::<ThreadCell>()) else {
        slot.thread.store(0, Ordering::Relaxed);
        return false;
    };
    let cells = pages.cast::<ThreadCell>();
    for index in 0..CELLS {
        let cell = ThreadCell { node: AtomicPtr::new((&raw const NOBODY).cast_mut()), count: AtomicU64::new(0) };
        // SAFETY: `pages` has space for CELLS cells.
        unsafe { cells.wrapping_add(index).write(cell) };
    }
    // Release: a thread that reads the pointer sees cells that are set up.
    slot.cells.store(cells, Ordering::Release);
    slot.thread.store(thread, Ordering::Release);
    tables::include(cells);
    true
}
