//! Statics that several modules share, each with its invariant.

use crate::sync::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

#[cfg(feature = "hosted")]
pub mod contributions;
#[cfg(feature = "hosted")]
pub mod output;

/// The profile was dumped and the counters were not reset since: further writes are skipped.
pub static DUMPED: AtomicBool = AtomicBool::new(false);
/// The function that resets counters which are pages of a file; null while no counters are. Invariant: null, or an `extern "C" fn()`
/// of this image. (Called by address, so that programs without files do not link that code.)
pub static RESET_MAPPED: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// Counters that merges from memory have held at what readers take, and that nobody was told of yet.
pub static SATURATED_IN_MEMORY: AtomicUsize = AtomicUsize::new(0);
/// Name hash of the function of one of them. Meaningful while there are any.
pub static FIRST_SATURATED_IN_MEMORY: AtomicU64 = AtomicU64::new(0);

/// Keeps how many there were in one merge.
pub fn note_saturated(saturated: usize, function: u64) {
    if saturated > 0 {
        FIRST_SATURATED_IN_MEMORY.store(function, Ordering::Relaxed);
        SATURATED_IN_MEMORY.fetch_add(saturated, Ordering::Relaxed);
    }
}

/// How often the counters were reset: profiles written before a reset stay in the file.
pub static RESETS: AtomicU32 = AtomicU32::new(0);
