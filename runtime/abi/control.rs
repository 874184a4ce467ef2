//! Resetting, time stamps, and access to records.

use crate::native::Record;
use crate::sync::{AtomicU64, Ordering};

/// The last time stamp given out.
static CLOCK: AtomicU64 = AtomicU64::new(0);

export! {
    /// Sets all counters and values of this image to their initial state, and clears the dumped mark.
    fn __llvm_profile_reset_counters() { crate::reset() }
    /// Returns the address after a record.
    fn __llvm_profile_iterate_data(record: *const Record) -> *const Record { record.wrapping_add(1) }
    /// Returns the address of a record's function.
    fn __llvm_get_function_addr(record: *const Record) -> *const u8 {
        // SAFETY: the caller's record.
        unsafe { (*record).function_pointer as *const u8 }
    }
    /// Stores the next time stamp in a counter that still has its initial value (0, or all ones), so the first call wins.
    /// Clang 17 is the first that emits the call, still with raw version 8.
    fn __llvm_profile_set_timestamp(probe: *mut u64) {
        // SAFETY: a counter of the caller's, which other threads use as an atomic too.
        let probe = unsafe { AtomicU64::from_ptr(probe) };
        let now = probe.load(Ordering::Relaxed);
        if now == 0 || now == u64::MAX {
            probe.store(CLOCK.fetch_add(1, Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        }
    }
}
