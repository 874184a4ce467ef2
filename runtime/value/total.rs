//! The total of a node: what the node itself has counted, and what threads have counted for it in cells of their own.

use core::ptr;

use super::node::{Head, Node};
use super::thread_counts::tables;
use crate::sync::Ordering;

impl Node {
    /// How often the value was seen. Cells may make up for each other, so the sum wraps.
    #[inline]
    pub fn total(&self) -> u64 {
        self.count.load(Ordering::Relaxed).wrapping_add(tables::sum(self))
    }

    /// What [`Node::total`] would be with another value in the node, which may have counts in cells from earlier.
    #[inline]
    pub fn total_as(&self, value: u64) -> u64 {
        self.count.load(Ordering::Relaxed).wrapping_add(tables::sum_as(self, value))
    }

    /// Makes [`Node::total`] this number, as far as no other thread is adding.
    #[inline]
    pub fn set_total(&self, total: u64) {
        self.count.store(total.wrapping_sub(tables::sum(self)), Ordering::Relaxed);
    }

    /// Takes `by` from the total.
    #[inline]
    pub fn decay(&self, by: u64) {
        self.count.fetch_sub(by, Ordering::Relaxed);
    }

    /// Fills a fresh node that nobody else knows.
    pub fn fill(&self, site: &Head, value: u64, count: u64) {
        self.value.store(value, Ordering::Relaxed);
        self.set_total(count);
        self.next.store(ptr::null_mut(), Ordering::Relaxed);
        self.site.store(ptr::from_ref(site).cast_mut(), Ordering::Relaxed);
    }
}

/// A reset while other threads count can take more from a count than there is: that is 0, and no number of 20 digits.
#[inline]
pub fn not_negative(count: u64) -> u64 {
    if count >> 63 == 0 { count } else { 0 }
}
