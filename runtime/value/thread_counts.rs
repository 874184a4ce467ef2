//! Counts that each thread keeps in cells of its own, so that threads at one site do not compete for a node's cache line.
//!
//! A thread claims a slot by its thread pointer, and maps a table of cells for it. A cell belongs for good to the first node that the
//! thread counts there; where another node has the cell, the thread adds to the node itself, atomically. Only the slot's thread
//! writes the counts in its cells, by plain additions; every thread may read them. A slot and its counts outlive the thread: the
//! next thread with the same thread pointer uses them.

#![allow(unsafe_code)]

pub mod tables;

use core::ptr;

use super::cache::NOBODY;
use super::node::{Head, Node};
use crate::format::node::{BITS, CELLS, hash};
use crate::os;
use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use tables::{SLOTS, ThreadCell, index_of};

/// The number of slots that a thread tries.
const PROBES: usize = 8;
/// Stands for a thread pointer while a slot is being set up. No thread has its data at this address.
const SETTING_UP: usize = 1;

/// The slot of a thread: leads to its cells.
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

static TABLE: [ThreadSlot; SLOTS] =
    [const { ThreadSlot { thread: AtomicUsize::new(0), cells: AtomicPtr::new(ptr::null_mut()) } }; SLOTS];
/// Adds to the count of a node by a plain addition that no signal handler can interrupt.
#[inline(always)]
pub fn add_to_node(node: &Node, by: u64) {
    const COUNT: usize = memoffset::offset_of!(Node, count);
    // SAFETY: the node's count; callers are in a process with one thread.
    unsafe { add_at::<COUNT>(ptr::from_ref(node).cast(), by) }
}

/// Adds to the word that is `OFFSET` bytes after `base`.
///
/// # Safety
/// The word must be an `AtomicU64` that no other thread writes.
#[inline(always)]
unsafe fn add_at<const OFFSET: usize>(base: *const u8, by: u64) {
    #[cfg(all(target_arch = "x86_64", not(halves)))]
    // SAFETY: the word that this function's contract asks for. One instruction, so a signal comes before or after it.
    unsafe {
        if by == 1 {
            core::arch::asm!("inc qword ptr [{} + {}]", in(reg) base, const OFFSET, options(nostack));
        } else {
            core::arch::asm!("add qword ptr [{} + {}], {}", in(reg) base, const OFFSET, in(reg) by, options(nostack));
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(halves))))]
    // SAFETY: the word that this function's contract asks for.
    unsafe { &*base.wrapping_add(OFFSET).cast::<AtomicU64>() }.fetch_add(by, Ordering::Relaxed);
}

/// Adds to the count of a cell of this thread.
#[inline(always)]
fn add_to_cell(cell: &ThreadCell, by: u64) {
    const COUNT: usize = memoffset::offset_of!(ThreadCell, count);
    // SAFETY: the cell's count; callers have the cell from this thread's slot, and only this thread writes it.
    unsafe { add_at::<COUNT>(ptr::from_ref(cell).cast(), by) }
}

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
    let slot = TABLE.get(first_slot(thread))?;
    (slot.thread.load(Ordering::Relaxed) == thread).then_some(slot)
}

/// Returns the cell of a slot that is set up.
#[inline(always)]
fn cell_at(slot: &ThreadSlot, index: usize) -> &'static ThreadCell {
    let cells = slot.cells.load(Ordering::Acquire);
    // SAFETY: a table of CELLS cells, by the slot's invariant; `index_of` and `hash` are below that.
    unsafe { &*cells.wrapping_add(index) }
}

/// Adds to the count of a node that a walk has found. Returns whether this thread has a cell for the node; else nothing changes.
#[inline(always)]
pub fn add_walked(slot: &ThreadSlot, node: &Node, by: u64) -> bool {
    let cell = cell_at(slot, index_of(node));
    let own = ptr::eq(cell.node.load(Ordering::Relaxed), node);
    if own {
        add_to_cell(cell, by);
    }
    own
}

/// Adds to the count of a value at a site by the hash of the value. Returns whether this thread has a cell for its node; else
/// nothing changes.
#[inline(always)]
pub fn add_known(slot: &ThreadSlot, head: *const Head, value: u64, by: u64) -> bool {
    let cell = cell_at(slot, hash(head.addr(), value, BITS));
    // SAFETY: `NOBODY` or a node; both live for ever.
    let node = unsafe { &*cell.node.load(Ordering::Relaxed) };
    let hit = node.value.load(Ordering::Relaxed) == value && ptr::eq(node.site.load(Ordering::Relaxed), head);
    if hit {
        add_to_cell(cell, by);
    }
    hit
}

/// Adds to a node's count while other threads may do so: in a cell of this thread if one is free, else atomically in the node.
/// `walked`: whether [`add_walked`] will look for the node.
pub fn add_shared(head: &Head, value: u64, node: &Node, walked: bool, by: u64) {
    if let Some(slot) = own_slot() {
        let cell = cell_at(slot, if walked { index_of(node) } else { hash(ptr::from_ref(head).addr(), value, BITS) });
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
fn own_slot() -> Option<&'static ThreadSlot> {
    let thread = os::thread_pointer()?;
    let first = first_slot(thread);
    let slots = || (0..PROBES).filter_map(|probe| TABLE.get(first.wrapping_add(probe) % SLOTS));
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
        // SAFETY: fresh pages with room for CELLS cells.
        unsafe { cells.wrapping_add(index).write(cell) };
    }
    // Release: a thread that reads the pointer sees cells that are set up.
    slot.cells.store(cells, Ordering::Release);
    slot.thread.store(thread, Ordering::Release);
    tables::publish(cells);
    true
}
