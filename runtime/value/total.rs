//! The total of a node: what the node itself has counted, and what threads have counted for it in cells of their own.

use core::ptr;

use super::node::{Head, Node};
use super::thread_counts::tables;
use crate::sync::Ordering;

impl Node {
    /// Returns the number of times that the value was seen. The sum wraps: an eviction can make the node's own count negative.
    #[inline]
    pub fn total(&self) -> u64 {
        self.count.load(Ordering::Relaxed).wrapping_add(tables::sum(self))
    }

    /// Returns the total that the node would have with `value`, of which cells may have counts from an earlier stay.
    #[inline]
    pub fn total_as(&self, value: u64) -> u64 {
        self.count.load(Ordering::Relaxed).wrapping_add(tables::sum_as(self, value))
    }

    /// Makes `total` the total of the node, unless another thread adds at the same time.
    #[inline]
    pub fn set_total(&self, total: u64) {
        self.count.store(total.wrapping_sub(tables::sum(self)), Ordering::Relaxed);
    }

    /// Subtracts `by` from the total.
    #[inline]
    pub fn decay(&self, by: u64) {
        self.count.fetch_sub(by, Ordering::Relaxed);
    }

    /// Sets all fields of a new node that nobody else knows.
    pub fn fill(&self, site: &Head, value: u64, count: u64) {
        self.value.store(value, Ordering::Relaxed);
        self.set_total(count);
        self.next.store(ptr::null_mut(), Ordering::Relaxed);
        self.site.store(ptr::from_ref(site).cast_mut(), Ordering::Relaxed);
    }
}
