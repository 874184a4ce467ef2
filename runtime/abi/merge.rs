//! Checking and merging a profile in memory of the caller.

use core::ffi::c_int;

use crate::merge::into_memory;

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
