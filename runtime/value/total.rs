//! The total of a node: what its owner, or the process's only thread, has counted, and what others have.

use super::node::Node;
#[cfg(thread_pointers)]
use super::thread_counts::tables;
#[cfg(thread_pointers)]
use crate::os;
use crate::sync::Ordering;

impl Node {
    /// Returns the number of times that the value was seen. The sum wraps: an eviction can make the node's own counts negative.
    #[inline]
    pub fn total(&self) -> u64 {
        let count = self.count.load(Ordering::Relaxed);
        #[cfg(thread_pointers)]
        if tables::any() {
            return count.wrapping_add(self.shared_count.load(Ordering::Relaxed)).wrapping_add(tables::sum(self));
        }
        count
    }

    /// Adds to the count that all threads may write.
    #[cfg(thread_pointers)]
    #[inline]
    pub fn add_shared(&self, by: u64) {
        tables::expect_counts();
        self.shared_count.fetch_add(by, Ordering::Relaxed);
    }

    /// Adds a difference, which may wrap below 0, to the total. (A store would lose what other threads add meanwhile.)
    #[inline]
    pub fn correct(&self, by: u64) {
        #[cfg(thread_pointers)]
        if !os::single_threaded() {
            return self.add_shared(by);
        }
        self.count.fetch_add(by, Ordering::Relaxed);
    }

    /// Makes `total` the total of the node, unless another thread adds at the same time.
    #[inline]
    pub fn set_total(&self, total: u64) {
        self.correct(total.wrapping_sub(self.total()));
    }
}
