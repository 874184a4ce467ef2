//! `begin` and `end` of the profile sections, as addresses. Both are null where the image has no such section.

#[cfg(not(raw = "8"))]
use crate::sections::live_bitmap;
use crate::sections::{elf, live_counters};
use crate::span::Span;

fn end(span: Span) -> *const u8 {
    span.skip(span.len).start
}

export! {
    /// First control record.
    fn __llvm_profile_begin_data() -> *const u8 { elf::data::span().start }
    /// Behind the last control record.
    fn __llvm_profile_end_data() -> *const u8 { end(elf::data::span()) }
    /// First counter, where it is now: continuous mode moves counters in programs that are compiled for that.
    fn __llvm_profile_begin_counters() -> *const u8 { live_counters().start }
    /// Behind the last counter.
    fn __llvm_profile_end_counters() -> *const u8 { end(live_counters()) }
    /// First byte of names.
    fn __llvm_profile_begin_names() -> *const u8 { elf::names::span().start }
    /// Behind the names.
    fn __llvm_profile_end_names() -> *const u8 { end(elf::names::span()) }
    /// First reserved value node.
    fn __llvm_profile_begin_vnodes() -> *const u8 { elf::vnodes::span().start }
    /// Behind the reserved value nodes.
    fn __llvm_profile_end_vnodes() -> *const u8 { end(elf::vnodes::span()) }
}

#[cfg(not(raw = "8"))]
export! {
    /// First byte of MC/DC bitmaps.
    fn __llvm_profile_begin_bitmap() -> *const u8 { live_bitmap().start }
    /// Behind the MC/DC bitmaps.
    fn __llvm_profile_end_bitmap() -> *const u8 { end(live_bitmap()) }
}

#[cfg(any(raw = "10", raw = "11"))]
export! {
    /// First vtable record.
    fn __llvm_profile_begin_vtables() -> *const u8 { elf::vtables::span().start }
    /// Behind the vtable records.
    fn __llvm_profile_end_vtables() -> *const u8 { end(elf::vtables::span()) }
    /// First byte of vtable names.
    fn __llvm_profile_begin_vtabnames() -> *const u8 { elf::vnames::span().start }
    /// Behind the vtable names.
    fn __llvm_profile_end_vtabnames() -> *const u8 { end(elf::vnames::span()) }
    /// First pair of gcov functions.
    fn __llvm_profile_begin_covinit() -> *const u8 { elf::covinit::span().start }
    /// Behind the pairs of gcov functions.
    fn __llvm_profile_end_covinit() -> *const u8 { end(elf::covinit::span()) }
}
