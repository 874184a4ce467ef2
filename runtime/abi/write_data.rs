//! Writes a profile through a writer of the program.

#![allow(clippy::needless_update, reason = "raw version 11 has bounds for everything in an image")]

use core::ffi::c_int;

use super::buffer::{image, status};
use super::reader::Reader;
use super::writer::{ProfDataIoVec, ProfDataWriter, ToWriter, call};
use crate::error::Result;
use crate::format::Variant;
use crate::format::layout::{Padding, Part};
use crate::native::empty_plan;
use crate::raw;
use crate::sections::{Image, variables};
use crate::sink::Sink;
use crate::span::Span;
use crate::value::writer::foreign::write_foreign_values;

/// Writes the profile of an image with a version in the header. The names are a gap with `skip_names`.
///
/// # Safety
/// The bounds of `image` must be readable, and those of the records be of this archive's raw version; `writer` must be callable, and
/// `reader` be null or callable.
unsafe fn write_profile(
    writer: *mut ProfDataWriter,
    image: &Image,
    version: u64,
    reader: *const Reader,
    skip_names: bool,
) -> Result {
    let mut plan = empty_plan();
    plan.set_image(&raw::shape(image, version, Padding::Words))?;
    let mut sink = ToWriter(writer);
    // SAFETY: callable by this function's contract.
    let gap = &mut |_: &mut dyn Sink| unsafe { call(writer, &mut [ProfDataIoVec::nothing(image.names.len, false)]) };
    let gap = skip_names.then_some((Part::Names, gap as raw::WritePart<'_>));
    // SAFETY: readable by this function's contract; the plan is the image's.
    unsafe { raw::write_parts_but(image, &plan, &mut sink, gap) }?;
    // SAFETY: null, or the caller's table.
    match unsafe { reader.as_ref() } {
        Some(reader) if !Variant(version).has(Variant::DEBUG_CORRELATE) => {
            // SAFETY: the caller's records and table.
            unsafe { write_foreign_values(reader.begin, reader.pairs, image.data, &mut sink) }
        }
        _ => Ok(()),
    }
}

/// Returns the version for the header: the caller's, where `word` is a version of this archive, else the image's. Up to clang 19 callers pass
/// no version, and the word in its place may be anything.
#[cfg(since = "10")]
fn wanted_version(word: u64) -> u64 {
    let no_flags = 0x007f_ffff_0000_0000;
    let ours = Variant(word).number() == crate::native::RAW_VERSION.number() && word & no_flags == 0;
    if ours { word } else { variables::raw_version() }
}

export! {
    /// Writes this image's profile, with the values that `reader` returns unless it is null. With `skip_names`, the names are a gap.
    /// Returns 0, or -1.
    fn lprofWriteData(writer: *mut ProfDataWriter, reader: *const Reader, skip_names: c_int) -> c_int {
        // SAFETY: this image; the caller's writer and reader.
        unsafe { status(write_profile(writer, &Image::this(), variables::raw_version(), reader, skip_names != 0)) }
    }
    /// Writes a profile with these bounds and, from clang 22 on, this version, else as `lprofWriteData`.
    fn lprofWriteDataImpl(
        writer: *mut ProfDataWriter, data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        #[cfg(since = "9")] bitmap: *const u8, #[cfg(since = "9")] bitmap_end: *const u8,
        #[cfg(since = "11")] uniform: *const u8, #[cfg(since = "11")] uniform_end: *const u8,
        reader: *const Reader, names: *const u8, names_end: *const u8,
        #[cfg(since = "10")] vtables: *const u8, #[cfg(since = "10")] vtables_end: *const u8,
        #[cfg(since = "10")] vnames: *const u8, #[cfg(since = "10")] vnames_end: *const u8,
        skip_names: c_int, #[cfg(since = "10")] version: u64,
    ) -> c_int {
        let image = image! {
            data: data, data_end; counters: counters, counters_end; #[cfg(since = "9")] bitmap: bitmap, bitmap_end;
            #[cfg(since = "11")] uniform: uniform, uniform_end; names: names, names_end;
            #[cfg(since = "10")] vtables: vtables, vtables_end;
            #[cfg(since = "10")] vnames: vnames, vnames_end
        };
        #[cfg(since = "10")]
        let version = wanted_version(version);
        #[cfg(not(since = "10"))]
        let version = variables::raw_version();
        // SAFETY: the caller's bounds, writer and reader.
        unsafe { status(write_profile(writer, &image, version, reader, skip_names != 0)) }
    }
}
