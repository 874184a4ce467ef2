//! Adds to a count that no other thread writes, by one instruction where the CPU has it: a signal handler runs before or after it.

#![allow(unsafe_code)]

use core::ptr;

use super::node::Node;
use super::thread_counts::tables::ThreadCell;
#[cfg(not(all(target_arch = "x86_64", not(halves))))]
use crate::sync::{AtomicU64, Ordering};

/// Adds to the count of a node. The process must have one thread.
#[inline(always)]
pub fn add_to_node(node: &Node, by: u64) {
    const COUNT: usize = memoffset::offset_of!(Node, count);
    // SAFETY: the node's count. No other thread writes it, by this function's contract.
    unsafe { add_at::<COUNT>(ptr::from_ref(node).cast(), by) }
}

/// Adds to the count of a cell. The cell must be this thread's.
#[inline(always)]
pub fn add_to_cell(cell: &ThreadCell, by: u64) {
    const COUNT: usize = memoffset::offset_of!(ThreadCell, count);
    // SAFETY: the cell's count. No other thread writes it, by this function's contract.
    unsafe { add_at::<COUNT>(ptr::from_ref(cell).cast(), by) }
}

/// Adds to the word that is `OFFSET` bytes after `base`.
///
/// # Safety
/// The word must be an `AtomicU64` that no other thread writes.
#[inline(always)]
unsafe fn add_at<const OFFSET: usize>(base: *const u8, by: u64) {
    #[cfg(all(target_arch = "x86_64", not(halves)))]
    // SAFETY: an `AtomicU64` that no other thread writes, by this function's contract.
    unsafe {
        if by == 1 {
            core::arch::asm!("inc qword ptr [{} + {}]", in(reg) base, const OFFSET, options(nostack));
        } else {
            core::arch::asm!("add qword ptr [{} + {}], {}", in(reg) base, const OFFSET, in(reg) by, options(nostack));
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(halves))))]
    // SAFETY: an `AtomicU64`, by this function's contract.
    unsafe { &*base.wrapping_add(OFFSET).cast::<AtomicU64>() }.fetch_add(by, Ordering::Relaxed);
}
