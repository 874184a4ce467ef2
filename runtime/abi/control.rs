//! Resetting, checking and merging counts, time stamps, and access to records.

use core::ffi::c_int;

use crate::merge::into_memory;
use crate::native::Record;
use crate::sync::{AtomicU64, Ordering};

/// The last time stamp given out.
static CLOCK: AtomicU64 = AtomicU64::new(0);

/// Returns the bytes of a profile; none for null, or for a size that no memory has.
///
/// # Safety
/// `profile` must be null or point to `size` readable bytes.
unsafe fn bytes<'a>(profile: *const u8, size: u64) -> &'a [u8] {
    // No object has more than `isize::MAX` bytes.
    let len = if profile.is_null() { 0 } else { isize::try_from(size).map_or(0, isize::unsigned_abs) };
    // SAFETY: the caller's bytes, or none.
    if len == 0 { &[] } else { unsafe { core::slice::from_raw_parts(profile, len) } }
}

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
    /// Checks whether a profile is of this image. Returns 0, or 1 when it is not.
    fn __llvm_profile_check_compatibility(profile: *const u8, size: u64) -> c_int {
        // SAFETY: the caller's bytes.
        c_int::from(into_memory::compatible(unsafe { bytes(profile, size) }).is_err())
    }
    /// Merges a profile into the counts of this image. Returns 0, or 1 when the profile is not of this image; then nothing changes.
    fn __llvm_profile_merge_from_buffer(profile: *const u8, size: u64) -> c_int {
        // SAFETY: the caller's bytes.
        c_int::from(into_memory::merge(unsafe { bytes(profile, size) }).is_err())
    }
}
