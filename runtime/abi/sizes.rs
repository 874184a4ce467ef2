//! Magic, version, counts and sizes. Parameters are addresses as the functions of `bounds` return them.

use super::store;
use crate::format::layout::{self, Padding, Part, Shape};
use crate::format::{Variant, WordSize, header};
use crate::native::{Plan, RECORD, empty_plan};
use crate::sections::{Image, variables};
use crate::span::Span;

/// Returns the number of entries of `size` bytes between two addresses. The last entry may be truncated.
fn entries(begin: *const u8, end: *const u8, size: u64) -> u64 {
    layout::entries(Span::between(begin, end).len as u64, size)
}

fn counter_size() -> u64 {
    Variant(variables::raw_version()).counter_size()
}

/// Calls `use_plan` with the plan of an image with parts of these sizes, or with an empty one. (To return a plan takes `memcpy`, which a program
/// without a C library lacks.)
fn with_plan([data, counters, bitmap, names, vtables, vnames]: [u64; 6], use_plan: impl FnOnce(&Plan)) {
    let version = variables::raw_version();
    let empty = crate::raw::shape(&Image::EMPTY, version, Padding::Words);
    let mut plan = empty_plan();
    if plan.set_image(&Shape { data, counters, bitmap, names, vtables, vnames, ..empty }).is_ok() {
        use_plan(&plan);
    } else {
        use_plan(&empty_plan());
    }
}

/// Stores the number of zero bytes after `part`.
///
/// # Safety
/// `to` must be null or point to a `u64` that may be written.
unsafe fn store_padding(plan: &Plan, part: Part, to: *mut u64) {
    if !to.is_null() {
        // SAFETY: not null, and so writable by this function's contract.
        unsafe { store(to, plan.chunk(part).padding) };
    }
}

export! {
    /// Returns the magic of this machine's raw profiles.
    fn __llvm_profile_get_magic() -> u64 { header::magic(WordSize::NATIVE) }
    /// Returns the raw version with the variant flags.
    fn __llvm_profile_get_version() -> u64 { variables::raw_version() }
    /// Returns the number of control records.
    fn __llvm_profile_get_num_data(begin: *const u8, end: *const u8) -> u64 {
        entries(begin, end, RECORD.size)
    }
    /// Returns the size of the control records.
    fn __llvm_profile_get_data_size(begin: *const u8, end: *const u8) -> u64 {
        entries(begin, end, RECORD.size).wrapping_mul(RECORD.size)
    }
    /// Returns the number of counters.
    fn __llvm_profile_get_num_counters(begin: *const u8, end: *const u8) -> u64 {
        entries(begin, end, counter_size())
    }
    /// Returns the size of the counters.
    fn __llvm_profile_get_counters_size(begin: *const u8, end: *const u8) -> u64 {
        entries(begin, end, counter_size()).wrapping_mul(counter_size())
    }
    /// Returns the size of one counter.
    fn __llvm_profile_counter_entry_size() -> usize { counter_size() as usize }
    /// Returns the number of zero bytes that make `size` a multiple of 8.
    fn __llvm_profile_get_num_padding_bytes(size: u64) -> u8 { (size.wrapping_neg() % 8) as u8 }
}

#[cfg(not(raw = "8"))]
export! {
    /// Returns the size of the bitmaps.
    fn __llvm_profile_get_num_bitmap_bytes(begin: *const u8, end: *const u8) -> u64 { entries(begin, end, 1) }
    /// Returns the size of the names.
    fn __llvm_profile_get_name_size(begin: *const u8, end: *const u8) -> u64 { entries(begin, end, 1) }
}

#[cfg(any(raw = "10", raw = "11"))]
export! {
    /// Returns the number of vtable records.
    fn __llvm_profile_get_num_vtable(begin: *const u8, end: *const u8) -> u64 {
        entries(begin, end, layout::vtable_size(WordSize::NATIVE))
    }
    /// Returns the size of the vtable records.
    fn __llvm_profile_get_vtable_section_size(begin: *const u8, end: *const u8) -> u64 { entries(begin, end, 1) }
}

#[cfg(raw = "8")]
export! {
    /// Stores the numbers of zero bytes before and after the counters and after the names, for parts of these sizes.
    fn __llvm_profile_get_padding_sizes_for_counters(
        data: u64, counters: u64, names: u64, before_counters: *mut u64, after_counters: *mut u64, after_names: *mut u64,
    ) {
        let to = [before_counters, after_counters, after_names];
        with_plan([data, counters, 0, names, 0, 0], |plan| {
            for (part, to) in [Part::Data, Part::Counters, Part::Names].into_iter().zip(to) {
                // SAFETY: the caller passes null or pointers to numbers.
                unsafe { store_padding(plan, part, to) };
            }
        });
    }
}

#[cfg(raw = "9")]
export! {
    /// Stores the numbers of zero bytes before and after the counters, after bitmaps and names, for parts of these sizes.
    fn __llvm_profile_get_padding_sizes_for_counters(
        data: u64, counters: u64, bitmap: u64, names: u64,
        before_counters: *mut u64, after_counters: *mut u64, after_bitmap: *mut u64, after_names: *mut u64,
    ) {
        let to = [before_counters, after_counters, after_bitmap, after_names];
        with_plan([data, counters, bitmap, names, 0, 0], |plan| {
            for (part, to) in [Part::Data, Part::Counters, Part::Bitmap, Part::Names].into_iter().zip(to) {
                // SAFETY: the caller passes null or pointers to numbers.
                unsafe { store_padding(plan, part, to) };
            }
        });
    }
}

#[cfg(any(raw = "10", raw = "11"))]
export! {
    /// Stores the numbers of zero bytes before and after the counters, after bitmaps, names, vtables and their names, for parts of these
    /// sizes. Returns 0.
    fn __llvm_profile_get_padding_sizes_for_counters(
        data: u64, counters: u64, bitmap: u64, names: u64, vtables: u64, vnames: u64,
        before_counters: *mut u64, after_counters: *mut u64, after_bitmap: *mut u64,
        after_names: *mut u64, after_vtables: *mut u64, after_vnames: *mut u64,
    ) -> core::ffi::c_int {
        let to = [before_counters, after_counters, after_bitmap, after_names, after_vtables, after_vnames];
        with_plan([data, counters, bitmap, names, vtables, vnames], |plan| {
            let parts = [Part::Data, Part::Counters, Part::Bitmap, Part::Names, Part::VTables, Part::VNames];
            for (part, to) in parts.into_iter().zip(to) {
                // SAFETY: the caller passes null or pointers to numbers.
                unsafe { store_padding(plan, part, to) };
            }
        });
        0
    }
}
