//! The total of a node: what its owner, or the process's only thread, has counted, and what others have.

use super::node::Node;
#[cfg(feature = "hosted")]
use super::thread_counts::tables;
#[cfg(feature = "hosted")]
use crate::os;
use crate::sync::Ordering;

impl Node {
    /// Returns the number of times that the value was seen. The sum wraps: an eviction can make the node's own counts negative.
    #[inline]
    pub fn total(&self) -> u64 {
        #[cfg(feature = "hosted")]
        return self.without_cells().wrapping_add(tables::sum(self));
        #[cfg(not(feature = "hosted"))]
        self.count.load(Ordering::Relaxed)
    }

    /// Returns the total while no thread has cells.
    #[cfg(feature = "hosted")]
    #[inline]
    pub fn without_cells(&self) -> u64 {
        self.count.load(Ordering::Relaxed).wrapping_add(self.shared_count.load(Ordering::Relaxed))
    }

    /// Adds to the count that all threads may write.
    #[cfg(feature = "hosted")]
    #[inline]
    pub fn add_shared(&self, by: u64) {
        self.shared_count.fetch_add(by, Ordering::Relaxed);
    }

    /// Adds a difference, which may wrap below 0, to the total. (A store would lose what other threads add meanwhile.)
    #[inline]
    pub fn correct(&self, by: u64) {
        #[cfg(feature = "hosted")]
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
