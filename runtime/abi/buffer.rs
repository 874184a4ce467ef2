//! Writing the profile to memory of the caller.

use core::ffi::c_int;

use crate::dump::{self, memory};
use crate::native::empty_plan;
use crate::sections::Image;
#[allow(unused_imports)]
use crate::span::Span;

/// Returns -1 for failures, else 0. (Inlined, since a call would link the other functions of this module.)
#[inline(always)]
pub(super) fn status(result: crate::error::Result) -> c_int {
    if result.is_ok() { 0 } else { -1 }
}

/// Returns the size of a profile with these bounds, without value data. With this image's records that size may be used for a buffer of
/// [`memory::write`], since both size calls of LLVM's runtime return the same number.
fn size_of(image: &Image) -> u64 {
    if image.data.start == Image::this().data.start {
        memory::fix_without_values();
    }
    let mut plan = empty_plan();
    dump::set_plan(&mut plan, image).map_or(0, |()| plan.fixed_size())
}

/// Writes a profile with these bounds, without value data. Returns 0, or -1.
///
/// # Safety
/// The bounds must be those of an image, and `buffer` must have space for [`size_of`] bytes.
unsafe fn write_to(buffer: *mut u8, image: &mut Image) -> c_int {
    image.set_distances();
    let mut plan = empty_plan();
    if dump::set_plan(&mut plan, image).is_err() {
        return -1;
    }
    let capacity = usize::try_from(plan.fixed_size()).unwrap_or(0);
    // SAFETY: `buffer` has space for the plan's size by this function's contract.
    let mut sink = unsafe { crate::sink::buffer::Buffer::new(buffer, capacity) };
    // SAFETY: the bounds are those of an image by this function's contract, and the plan was made of them.
    status(unsafe { crate::raw::write_parts(image, &plan, &mut sink) })
}

/// Expands to an image with this image's notes and other bounds.
macro_rules! image {
    ($($field:ident: $begin:ident, $end:ident);* $(;)?) => {
        Image { notes: crate::sections::elf::notes::spans(), $($field: Span::between($begin, $end),)* ..Image::EMPTY }
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
}

#[cfg(raw = "8")]
export! {
    brings profrt_buffer_calls;
    /// Returns the size of a profile with these bounds.
    fn __llvm_profile_get_size_for_buffer_internal(
        data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        names: *const u8, names_end: *const u8,
    ) -> u64 {
        size_of(&image! { data: data, data_end; counters: counters, counters_end; names: names, names_end })
    }
    /// Writes a profile with these bounds. Returns 0, or -1.
    fn __llvm_profile_write_buffer_internal(
        buffer: *mut u8, data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        names: *const u8, names_end: *const u8,
    ) -> c_int {
        let mut image = image! { data: data, data_end; counters: counters, counters_end; names: names, names_end };
        // SAFETY: the caller's buffer and bounds.
        unsafe { write_to(buffer, &mut image) }
    }
}

#[cfg(raw = "9")]
export! {
    brings profrt_buffer_calls;
    /// Returns the size of a profile with these bounds.
    fn __llvm_profile_get_size_for_buffer_internal(
        data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        bitmap: *const u8, bitmap_end: *const u8, names: *const u8, names_end: *const u8,
    ) -> u64 {
        size_of(&image! {
            data: data, data_end; counters: counters, counters_end; bitmap: bitmap, bitmap_end; names: names, names_end
        })
    }
}

#[cfg(any(raw = "10", raw = "11"))]
export! {
    brings profrt_buffer_calls;
    /// Returns the size of a profile with these bounds.
    fn __llvm_profile_get_size_for_buffer_internal(
        data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        bitmap: *const u8, bitmap_end: *const u8, names: *const u8, names_end: *const u8,
        vtables: *const u8, vtables_end: *const u8, vnames: *const u8, vnames_end: *const u8,
    ) -> u64 {
        size_of(&image! {
            data: data, data_end; counters: counters, counters_end; bitmap: bitmap, bitmap_end; names: names, names_end;
            vtables: vtables, vtables_end; vnames: vnames, vnames_end
        })
    }
}

#[cfg(not(raw = "8"))]
export! {
    brings profrt_buffer_calls;
    /// Writes a profile with these bounds. Returns 0, or -1.
    fn __llvm_profile_write_buffer_internal(
        buffer: *mut u8, data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        bitmap: *const u8, bitmap_end: *const u8, names: *const u8, names_end: *const u8,
    ) -> c_int {
        let mut image = image! {
            data: data, data_end; counters: counters, counters_end; bitmap: bitmap, bitmap_end; names: names, names_end
        };
        // SAFETY: the caller's buffer and bounds.
        unsafe { write_to(buffer, &mut image) }
    }
}
