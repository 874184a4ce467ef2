//! Threads where nothing tells how many there are, and no instruction which is running.

pub use super::super::nothing::thread_pointer;

/// Does nothing.
pub fn learn_threads() {}

/// Returns `false`: there may be others.
#[inline(always)]
pub fn single_threaded() -> bool {
    false
}

/// Returns `None`: it is not known.
pub fn thread_block() -> Option<usize> {
    None
}
