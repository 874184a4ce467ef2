//! The count of a node: how threads add to it, and its total.
//!
//! While the process has one thread, that thread adds to `count` ([`super::add`]). The first thread that counts a node while there are several
//! owns it for good and goes on so; all others add to `shared_count`, atomically. The total is the sum.
//!
//! A thread is known by its thread pointer. When it ends, the next thread with the same thread pointer, of which there is only one at a time, owns
//! its nodes. `profrt device rebuild` adds both counts up, too, in a saved memory.

use super::add::add_to_node;
use super::node::Node;
use crate::os;
use crate::sync::Ordering;

/// Adds to the count of a node.
#[inline(always)]
pub fn add(node: &Node, by: u64) {
    #[cfg(thread_pointers)]
    let owner = node.owner.load(Ordering::Relaxed);
    // Not the other way round: before there is an owner, reading the thread pointer may be a fault.
    #[cfg(thread_pointers)]
    if owner != 0 {
        if os::thread_block() == Some(owner) {
            add_to_node(node, by);
        } else {
            node.shared_count.fetch_add(by, Ordering::Relaxed);
        }
        return;
    }
    if os::single_threaded() {
        add_to_node(node, by);
    } else {
        add_first(by, node);
    }
}

/// Adds to the count of a node that no thread owned a moment ago, and becomes its owner unless another thread was faster.
/// (`profrt device rebuild` looks for this symbol, to know whether nodes have a shared count.)
#[cfg(thread_pointers)]
#[inline(never)]
fn add_first(by: u64, node: &Node) {
    // (0 stands for nobody.)
    if let Some(thread) = os::thread_pointer().filter(|thread| *thread != 0)
        && node.owner.compare_exchange(0, thread, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    {
        add_to_node(node, by);
    } else {
        node.shared_count.fetch_add(by, Ordering::Relaxed);
    }
}

/// Adds to the count of a node in a process with several threads, which cannot be told apart.
#[cfg(not(thread_pointers))]
#[inline(always)]
fn add_first(by: u64, node: &Node) {
    node.count.fetch_add(by, Ordering::Relaxed);
}

impl Node {
    /// Returns the number of times that the value was seen. The sum wraps: an eviction can make one of the counts negative.
    #[inline]
    pub fn total(&self) -> u64 {
        let count = self.count.load(Ordering::Relaxed);
        #[cfg(thread_pointers)]
        let count = count.wrapping_add(self.shared_count.load(Ordering::Relaxed));
        count
    }

    /// Adds a difference, which may wrap below 0, to the total. (A store would lose what other threads add meanwhile.)
    #[inline]
    pub fn correct(&self, by: u64) {
        #[cfg(thread_pointers)]
        if !os::single_threaded() {
            self.shared_count.fetch_add(by, Ordering::Relaxed);
            return;
        }
        self.count.fetch_add(by, Ordering::Relaxed);
    }
}
