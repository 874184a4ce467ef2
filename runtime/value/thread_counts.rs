//! Counts that each thread keeps for itself, so that threads on one site do not fight for a node's cache line.
//!
//! A thread claims a slot by its thread pointer, and a table of cells comes with it. A cell belongs to the first node that
//! the thread counts there, for good; a node that finds its cell taken is counted atomically in the node itself. Only the
//! thread writes its counts, by plain additions; everybody may read them. A slot outlives its thread, with its counts: the
//! next thread with that thread pointer goes on with it.

#![allow(unsafe_code)]

pub mod tables;

use core::ptr;

use super::cache::NOBODY;
use super::key::hash;
use super::node::{Head, Node};
use crate::os;
use crate::sync::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use tables::{BITS, CELLS, SLOTS, ThreadCell, index_of};

/// Slots that a thread tries.
const PROBES: usize = 8;
/// In the place of a thread pointer: the slot is being set up. No thread has its data there.
const SETTING_UP: usize = 1;

/// A thread's cells.
#[derive(Debug)]
pub struct ThreadSlot {
    /// The thread pointer, 0 while free. Invariant: once it is a thread pointer, it stays, and `cells` is set.
    thread: AtomicUsize,
    /// `CELLS` cells.
    cells: AtomicPtr<ThreadCell>,
}

static TABLE: [ThreadSlot; SLOTS] =
    [const { ThreadSlot { thread: AtomicUsize::new(0), cells: AtomicPtr::new(ptr::null_mut()) } }; SLOTS];
/// A plain addition to the count of a node that no signal handler can fall into.
#[inline(always)]
pub fn add_to_node(node: &Node, by: u64) {
    const COUNT: usize = memoffset::offset_of!(Node, count);
    // SAFETY: adds to a word that the reference vouches for.
    unsafe { add_at::<COUNT>(ptr::from_ref(node).cast(), by) }
}

/// Adds to the word `OFFSET` bytes behind `base`.
///
/// # Safety
/// There must be an `AtomicU64`, and no other thread may write to it.
#[inline(always)]
unsafe fn add_at<const OFFSET: usize>(base: *const u8, by: u64) {
    #[cfg(all(target_arch = "x86_64", not(halves)))]
    // SAFETY: the caller's contract. One instruction, so a signal comes before or behind it.
    unsafe {
        if by == 1 {
            core::arch::asm!("inc qword ptr [{} + {}]", in(reg) base, const OFFSET, options(nostack));
        } else {
            core::arch::asm!("add qword ptr [{} + {}], {}", in(reg) base, const OFFSET, in(reg) by, options(nostack));
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(halves))))]
    // SAFETY: the caller's contract.
    unsafe { &*base.wrapping_add(OFFSET).cast::<AtomicU64>() }.fetch_add(by, Ordering::Relaxed);
}

/// Adds to the cell.
#[inline(always)]
fn add_to_cell(cell: &ThreadCell, by: u64) {
    const COUNT: usize = memoffset::offset_of!(ThreadCell, count);
    // SAFETY: only ever called with cells of this thread.
    unsafe { add_at::<COUNT>(ptr::from_ref(cell).cast(), by) }
}

/// The slot where a thread's search begins.
#[inline(always)]
fn first_slot(thread: usize) -> usize {
    // Thread pointers are a stack and a guard page apart, so this byte differs from thread to thread; and the processor
    // has it at once, which counts, for the address of the cell depends on it.
    usize::from((thread >> 12) as u8)
}

/// This thread's slot, if it is set up and stands at the first place.
#[inline(always)]
pub fn known_slot() -> Option<&'static ThreadSlot> {
    let thread = os::thread_pointer()?;
    let slot = TABLE.get(first_slot(thread))?;
    (slot.thread.load(Ordering::Relaxed) == thread).then_some(slot)
}

/// The cell of a slot that is set up.
#[inline(always)]
fn cell_at(slot: &ThreadSlot, index: usize) -> &'static ThreadCell {
    let cells = slot.cells.load(Ordering::Acquire);
    // SAFETY: a table of CELLS cells, by the slot's invariant; both hashes are below that.
    unsafe { &*cells.wrapping_add(index) }
}

/// Adds to the count of a node, if this thread has a cell for it.
#[inline(always)]
pub fn add_walked(slot: &ThreadSlot, node: &Node, by: u64) -> bool {
    let cell = cell_at(slot, index_of(node));
    let own = ptr::eq(cell.node.load(Ordering::Relaxed), node);
    if own {
        add_to_cell(cell, by);
    }
    own
}

/// Adds to the count of a value at a site, if this thread has a cell for it.
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

/// Adds to a node's count while other threads may do the same, in a cell if there is one. `walked`: the node is one that
/// [`add_walked`] will look for.
pub fn add_shared(head: &Head, value: u64, node: &Node, walked: bool, by: u64) {
    if let Some(slot) = own_slot() {
        let cell = cell_at(slot, if walked { index_of(node) } else { hash(ptr::from_ref(head).addr(), value, BITS) });
        let own = ptr::from_ref(node).cast_mut();
        let nobody = (&raw const NOBODY).cast_mut();
        // Only this thread binds its cells, but a signal handler on it may come in between: hence the exchange.
        let bound = cell.node.compare_exchange(nobody, own, Ordering::Relaxed, Ordering::Relaxed);
        if bound.is_ok() || bound == Err(own) {
            return add_to_cell(cell, by);
        }
    }
    node.count.fetch_add(by, Ordering::Relaxed);
}

/// The slot of this thread, claimed now if need be.
fn own_slot() -> Option<&'static ThreadSlot> {
    let thread = os::thread_pointer()?;
    let first = first_slot(thread);
    let slots = || (0..PROBES).filter_map(|probe| TABLE.get(first.wrapping_add(probe) % SLOTS));
    if let Some(slot) = slots().find(|slot| slot.thread.load(Ordering::Relaxed) == thread) {
        return Some(slot);
    }
    slots().find(|slot| slot.thread.load(Ordering::Relaxed) == 0 && claim(slot, thread))
}

/// Takes a free slot for this thread. A signal handler that comes in between claims another one: a thread may have two.
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
    // Release: who reads the sum sees cells that are set up.
    slot.cells.store(cells, Ordering::Release);
    slot.thread.store(thread, Ordering::Release);
    tables::publish(cells);
    true
}
