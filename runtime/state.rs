//! Statics that several modules share.

use crate::sync::{AtomicBool, AtomicU32};

/// Further writes to the file are skipped until the counters are reset: the profile was written at exit, or the program has called
/// `__llvm_profile_dump` or `__llvm_profile_set_dumped`.
pub static DUMPED: AtomicBool = AtomicBool::new(false);
/// How often the counters were reset: what was written before stays in the file.
pub static RESETS: AtomicU32 = AtomicU32::new(0);

#[cfg(feature = "hosted")]
pub mod request {
    //! Whether continuous mode is requested: statics, each with its invariant.

    use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    /// Continuous mode is requested, by `%c` in the name or by a call. Cleared by a call, and when the mode is not possible.
    pub static WANTED: AtomicBool = AtomicBool::new(false);
    /// The page size that the program or the name has requested, which the system may be unable to map; 0: none yet.
    pub static REQUESTED_PAGE_SIZE: AtomicU32 = AtomicU32::new(0);

    /// Returns whether continuous mode is requested and its page size known. Counters that are mapped stay so when a call ends the request.
    pub fn enabled() -> bool {
        WANTED.load(Ordering::Relaxed) && REQUESTED_PAGE_SIZE.load(Ordering::Relaxed) != 0
    }

    /// Requests the mode, with this page size unless the program has set another one.
    pub fn want(page_size: usize) {
        let size = u32::try_from(page_size).unwrap_or(4096);
        let _ = REQUESTED_PAGE_SIZE.compare_exchange(0, size, Ordering::Relaxed, Ordering::Relaxed);
        WANTED.store(true, Ordering::Relaxed);
    }
}
