//! The addresses of the profile sections' begin and end. Both are null where the image has no such section.

#[cfg(not(raw = "8"))]
use crate::sections::live_bitmap;
use crate::sections::{elf, live_counters};
use crate::span::Span;

fn end(span: Span) -> *const u8 {
    span.skip(span.len).start
}

export! {
    /// Returns the address of the first control record.
    fn __llvm_profile_begin_data() -> *const u8 { elf::data::span().start }
    /// Returns the address after the last control record.
    fn __llvm_profile_end_data() -> *const u8 { end(elf::data::span()) }
    /// Returns the address of the first counter, where it is now: continuous mode moves counters in programs that are compiled for that.
    fn __llvm_profile_begin_counters() -> *const u8 { live_counters().start }
    /// Returns the address after the last counter.
    fn __llvm_profile_end_counters() -> *const u8 { end(live_counters()) }
    /// Returns the address of the first byte of names.
    fn __llvm_profile_begin_names() -> *const u8 { elf::names::span().start }
    /// Returns the address after the names.
    fn __llvm_profile_end_names() -> *const u8 { end(elf::names::span()) }
    /// Returns the address of the first reserved value node.
    fn __llvm_profile_begin_vnodes() -> *const u8 { elf::vnodes::span().start }
    /// Returns the address after the reserved value nodes.
    fn __llvm_profile_end_vnodes() -> *const u8 { end(elf::vnodes::span()) }
}

#[cfg(not(raw = "8"))]
export! {
    /// Returns the address of the first byte of MC/DC bitmaps.
    fn __llvm_profile_begin_bitmap() -> *const u8 { live_bitmap().start }
    /// Returns the address after the MC/DC bitmaps.
    fn __llvm_profile_end_bitmap() -> *const u8 { end(live_bitmap()) }
}

#[cfg(any(raw = "10", raw = "11"))]
export! {
    /// Returns the address of the first vtable record.
    fn __llvm_profile_begin_vtables() -> *const u8 { elf::vtables::span().start }
    /// Returns the address after the vtable records.
    fn __llvm_profile_end_vtables() -> *const u8 { end(elf::vtables::span()) }
    /// Returns the address of the first byte of vtable names.
    fn __llvm_profile_begin_vtabnames() -> *const u8 { elf::vnames::span().start }
    /// Returns the address after the vtable names.
    fn __llvm_profile_end_vtabnames() -> *const u8 { end(elf::vnames::span()) }
    /// Returns the address of the first pair of gcov functions.
    fn __llvm_profile_begin_covinit() -> *const u8 { elf::covinit::span().start }
    /// Returns the address after the pairs of gcov functions.
    fn __llvm_profile_end_covinit() -> *const u8 { end(elf::covinit::span()) }
}
