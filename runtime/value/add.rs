//! Adds to a count that no other thread writes, so that a signal handler runs before or after the addition: by one instruction on x86-64, by
//! an atomic addition on other CPUs. On x86-64 a concurrent addition of another thread would be lost: each caller is the only writer.

#![allow(unsafe_code)]

use super::node::Node;
#[cfg(not(all(target_arch = "x86_64", not(halves))))]
use crate::sync::Ordering;

/// Adds to the count of a node that no other thread may write: in a process with one thread, or as the node's owner.
#[inline(always)]
pub fn add_to_node(node: &Node, by: u64) {
    #[cfg(all(target_arch = "x86_64", not(halves)))]
    {
        const COUNT: usize = memoffset::offset_of!(Node, count);
        // SAFETY: changes an `AtomicU64` at `COUNT` of the node, by one instruction.
        unsafe {
            if by == 1 {
                core::arch::asm!("inc qword ptr [{} + {}]", in(reg) node, const COUNT, options(nostack));
            } else {
                core::arch::asm!("add qword ptr [{} + {}], {}", in(reg) node, const COUNT, in(reg) by, options(nostack));
            }
        }
    }
    #[cfg(not(all(target_arch = "x86_64", not(halves))))]
    node.count.fetch_add(by, Ordering::Relaxed);
}
