//! The statics of continuous mode that programs ask about, each with its invariant.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Continuous mode is wanted: by `%c` in the name, or by a call. Cleared by a call, and when the mode is not possible.
pub static WANTED: AtomicBool = AtomicBool::new(false);
/// Bytes of the pages that the file is laid out for; 0: nobody has said it yet.
pub static PAGE_SIZE: AtomicU32 = AtomicU32::new(0);

/// Whether counters are, or at the next chance will be, mapped onto the file: what programs are told.
pub fn enabled() -> bool {
    WANTED.load(Ordering::Relaxed) && PAGE_SIZE.load(Ordering::Relaxed) != 0
}

/// Wants the mode, with pages of this size unless a program has said another.
pub fn want(page_size: usize) {
    let size = u32::try_from(page_size).unwrap_or(4096);
    let _ = PAGE_SIZE.compare_exchange(0, size, Ordering::Relaxed, Ordering::Relaxed);
    WANTED.store(true, Ordering::Relaxed);
}
