//! Adds to a count that no other thread writes, so that a signal handler runs before or after the addition: by one instruction on x86-64, by
//! an atomic addition on other CPUs. On x86-64 a concurrent addition of another thread would be lost: each caller is the only writer.

#![allow(unsafe_code)]

use core::ptr;

use super::node::Node;
#[cfg(not(all(target_arch = "x86_64", not(halves))))]
use crate::sync::{AtomicU64, Ordering};

/// Adds to the count of a node that no other thread may write: in a process with one thread, or as the node's owner.
#[inline(always)]
pub fn add_to_node(node: &Node, by: u64) {
    const COUNT: usize = memoffset::offset_of!(Node, count);
    let node = ptr::from_ref(node).cast();
    // SAFETY: `COUNT` is the offset of an `AtomicU64` in the node.
    unsafe { if by == 1 { increment_at::<COUNT>(node) } else { add_at::<COUNT>(node, by) } }
}

/// Adds 1 to the word that is `OFFSET` bytes after `base`.
///
/// # Safety
/// That of [`add_at`].
#[inline(always)]
unsafe fn increment_at<const OFFSET: usize>(base: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(halves)))]
    // SAFETY: an `AtomicU64`, by this function's contract.
    unsafe {
        core::arch::asm!("inc qword ptr [{} + {}]", in(reg) base, const OFFSET, options(nostack));
    }
    #[cfg(not(all(target_arch = "x86_64", not(halves))))]
    // SAFETY: this function's contract is that of `add_at`.
    unsafe {
        add_at::<OFFSET>(base, 1);
    }
}

/// Adds to the word that is `OFFSET` bytes after `base`.
///
/// # Safety
/// An `AtomicU64` must be there. An addition that another thread makes at the same time may be lost.
#[inline(always)]
unsafe fn add_at<const OFFSET: usize>(base: *const u8, by: u64) {
    #[cfg(all(target_arch = "x86_64", not(halves)))]
    // SAFETY: an `AtomicU64`, by this function's contract.
    unsafe {
        core::arch::asm!("add qword ptr [{} + {}], {}", in(reg) base, const OFFSET, in(reg) by, options(nostack));
    }
    #[cfg(not(all(target_arch = "x86_64", not(halves))))]
    // SAFETY: an `AtomicU64`, by this function's contract.
    unsafe { &*base.wrapping_add(OFFSET).cast::<AtomicU64>() }.fetch_add(by, Ordering::Relaxed);
}
