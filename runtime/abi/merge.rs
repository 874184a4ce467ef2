//! A profile in memory of the caller, and this image.

use core::ffi::c_int;

use crate::merge::into_memory;
use crate::state::note_odd;

/// # Safety
/// `size` readable bytes, or null.
unsafe fn bytes<'a>(profile: *const u8, size: u64) -> &'a [u8] {
    // More bytes than half of all there are is a size that was never one.
    let len = if profile.is_null() { 0 } else { isize::try_from(size).map_or(0, isize::unsigned_abs) };
    // SAFETY: the caller's bytes, or none.
    if len == 0 { &[] } else { unsafe { core::slice::from_raw_parts(profile, len) } }
}

export! {
    /// Whether the profile is one of this image: 0, or 1 when not.
    fn __llvm_profile_check_compatibility(profile: *const u8, size: u64) -> c_int {
        // SAFETY: the caller's bytes.
        c_int::from(into_memory::compatible(unsafe { bytes(profile, size) }).is_err())
    }
    /// Adds the profile to what this image has counted. 0, or 1 when it is none of this image; then nothing changes.
    fn __llvm_profile_merge_from_buffer(profile: *const u8, size: u64) -> c_int {
        // SAFETY: the caller's bytes.
        let Ok(odd) = into_memory::merge(unsafe { bytes(profile, size) }) else { return 1 };
        note_odd(odd.count, odd.function);
        0
    }
}
