//! Magic, version, counts and sizes; the addresses of the profile sections' begin and end. Parameters are such addresses. Both are null where
//! the image has no such section.

use super::store;
use crate::format::layout::{self, Padding, Part};
use crate::format::{Variant, WordSize, header};
use crate::link;
use crate::native::{RECORD, empty_plan};
use crate::raw;
use crate::sections::{Image, live_counters, variables};
use crate::span::Span;

/// Returns the number of entries of `size` bytes between two addresses. The last entry may be truncated.
fn entries(begin: *const u8, end: *const u8, size: u64) -> u64 {
    layout::entries(Span::between(begin, end).len as u64, size)
}

fn counter_size() -> u64 {
    Variant(variables::raw_version()).counter_size()
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

#[cfg(since = "9")]
export! {
    /// Returns the size of the bitmaps.
    fn __llvm_profile_get_num_bitmap_bytes(begin: *const u8, end: *const u8) -> u64 { entries(begin, end, 1) }
    /// Returns the size of the names.
    fn __llvm_profile_get_name_size(begin: *const u8, end: *const u8) -> u64 { entries(begin, end, 1) }
}

#[cfg(since = "10")]
export! {
    /// Returns the number of vtable records.
    fn __llvm_profile_get_num_vtable(begin: *const u8, end: *const u8) -> u64 {
        entries(begin, end, layout::vtable_size(WordSize::NATIVE))
    }
    /// Returns the size of the vtable records.
    fn __llvm_profile_get_vtable_section_size(begin: *const u8, end: *const u8) -> u64 { entries(begin, end, 1) }
}

export! {
    /// Stores the numbers of zero bytes before and after the counters, and after the other parts, for parts of these sizes. Returns 0. (Up to
    /// raw version 9 callers expect no result.)
    fn __llvm_profile_get_padding_sizes_for_counters(
        data: u64, counters: u64, #[cfg(since = "9")] bitmap: u64, names: u64,
        #[cfg(since = "10")] vtables: u64, #[cfg(since = "10")] vnames: u64,
        before_counters: *mut u64, after_counters: *mut u64, #[cfg(since = "9")] after_bitmap: *mut u64, after_names: *mut u64,
        #[cfg(since = "10")] after_vtables: *mut u64, #[cfg(since = "10")] after_vnames: *mut u64,
    ) -> core::ffi::c_int {
        let mut shape = raw::shape(&Image::EMPTY, variables::raw_version(), Padding::Words);
        (shape.sections.data.len, shape.sections.counters.len, shape.sections.names.len) = (data, counters, names);
        #[cfg(since = "9")]
        { shape.sections.bitmap.len = bitmap; }
        #[cfg(since = "10")]
        { (shape.sections.vtables.len, shape.sections.vnames.len) = (vtables, vnames); }
        let mut plan = empty_plan();
        // Sizes that add up to more than memory has get no padding.
        let planned = plan.set_image(&shape).is_ok();
        let paddings = [
            (Part::Data, before_counters), (Part::Counters, after_counters), #[cfg(since = "9")] (Part::Bitmap, after_bitmap),
            (Part::Names, after_names), #[cfg(since = "10")] (Part::VTables, after_vtables),
            #[cfg(since = "10")] (Part::VNames, after_vnames),
        ];
        for (part, to) in &paddings {
            if !to.is_null() {
                // SAFETY: the caller passes null or pointers to numbers.
                unsafe { store(*to, if planned { plan.size(*part).1 } else { 0 }) };
            }
        }
        0
    }
}

/// Exports the functions that return the first address of a span, and the address after it.
macro_rules! export_bounds {
    ($($begin:ident $end:ident of $span:expr;)*) => {
        export! {$(
            #[doc = concat!("Returns the first address of `", stringify!($span), "`.")]
            fn $begin() -> *const u8 { $span.start }
            #[doc = concat!("Returns the address after `", stringify!($span), "`.")]
            fn $end() -> *const u8 {
                let span = $span;
                span.skip(span.len).start
            }
        )*}
    };
}

// Counters and bitmaps where they are now: continuous mode moves them in programs that are compiled for that.
export_bounds! {
    __llvm_profile_begin_data __llvm_profile_end_data of link::data::span();
    __llvm_profile_begin_counters __llvm_profile_end_counters of live_counters();
    __llvm_profile_begin_names __llvm_profile_end_names of link::names::span();
    __llvm_profile_begin_vnodes __llvm_profile_end_vnodes of link::vnodes::span();
}

#[cfg(since = "9")]
export_bounds! {
    __llvm_profile_begin_bitmap __llvm_profile_end_bitmap of crate::sections::live_bitmap();
}

#[cfg(since = "10")]
export_bounds! {
    __llvm_profile_begin_vtables __llvm_profile_end_vtables of link::vtables::span();
    __llvm_profile_begin_vtabnames __llvm_profile_end_vtabnames of link::vnames::span();
    __llvm_profile_begin_covinit __llvm_profile_end_covinit of link::covinit::span();
}
