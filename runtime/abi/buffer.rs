//! Writing the profile to memory of the caller.

use core::ffi::c_int;

use crate::dump::memory;
use crate::sections::Image;
#[allow(unused_imports)]
use crate::span::Span;

/// Returns -1 for failures, else 0. (Inlined, since a call would link the other functions of this module.)
#[inline(always)]
pub(super) fn status(result: crate::error::Result) -> c_int {
    if result.is_ok() { 0 } else { -1 }
}

/// Expands to an image with this image's notes and other bounds.
macro_rules! image {
    ($($(#[$if:meta])* $field:ident: $begin:ident, $end:ident);*) => {
        Image {
            notes: crate::link::notes::spans(),
            sections: $crate::format::layout::Sections {
                $($(#[$if])* $field: Span::between($begin, $end),)*
                ..Image::EMPTY.sections
            },
            ..Image::EMPTY
        }
    };
}
pub(super) use image;

export! {
    brings profrt_buffer_calls;
    /// Returns the number of bytes that `__llvm_profile_write_buffer` will write. The first call fixes the number.
    fn __llvm_profile_get_size_for_buffer() -> u64 { memory::size().unwrap_or(0) }
    /// Writes the profile to `buffer`, which has space for the number of bytes that `__llvm_profile_get_size_for_buffer` returns; all
    /// of them are written. Without an earlier call of that function, the profile has no values. Returns 0, or -1, also for null.
    fn __llvm_profile_write_buffer(buffer: *mut u8) -> c_int {
        // SAFETY: the caller's buffer.
        if buffer.is_null() { -1 } else { status(unsafe { memory::write(buffer) }) }
    }
    /// Returns the size of a profile with these bounds, without value data.
    fn __llvm_profile_get_size_for_buffer_internal(
        data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        #[cfg(since = "9")] bitmap: *const u8, #[cfg(since = "9")] bitmap_end: *const u8,
        names: *const u8, names_end: *const u8,
        #[cfg(since = "10")] vtables: *const u8, #[cfg(since = "10")] vtables_end: *const u8,
        #[cfg(since = "10")] vnames: *const u8, #[cfg(since = "10")] vnames_end: *const u8,
    ) -> u64 {
        let image = image! {
            data: data, data_end; counters: counters, counters_end; #[cfg(since = "9")] bitmap: bitmap, bitmap_end;
            names: names, names_end; #[cfg(since = "10")] vtables: vtables, vtables_end;
            #[cfg(since = "10")] vnames: vnames, vnames_end
        };
        memory::size_without_values(&image).unwrap_or(0)
    }
    /// Writes a profile with these bounds, without value data. Returns 0, or -1.
    fn __llvm_profile_write_buffer_internal(
        buffer: *mut u8, data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        #[cfg(since = "9")] bitmap: *const u8, #[cfg(since = "9")] bitmap_end: *const u8,
        names: *const u8, names_end: *const u8,
    ) -> c_int {
        let mut image = image! {
            data: data, data_end; counters: counters, counters_end; #[cfg(since = "9")] bitmap: bitmap, bitmap_end;
            names: names, names_end
        };
        image.set_distances();
        // SAFETY: the caller's buffer and bounds.
        status(unsafe { memory::write_without_values(buffer, &image) })
    }
}
