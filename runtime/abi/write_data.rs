//! Writes a profile through a writer of the program.

#![allow(clippy::needless_update, reason = "raw version 11 has bounds for everything in an image")]

use core::ffi::c_int;

use super::buffer::{image, status};
use super::reader::Reader;
use super::write_values;
use super::writer::{ProfDataWriter, ToWriter};
use crate::error::Result;
use crate::format::Variant;
use crate::format::layout::Padding;
use crate::native::empty_plan;
use crate::raw;
use crate::sections::{Image, variables};
use crate::span::Span;

/// The choices of a caller: the version in the header, the table that reads values, and whether the names are a gap.
#[derive(Debug)]
pub struct Wanted {
    version: u64,
    reader: *const Reader,
    skip_names: c_int,
}

/// Writes the profile of an image.
///
/// # Safety
/// The bounds of `image` must be readable, and those of the records be of this archive's raw version; writer and reader
/// must be callable.
unsafe fn write_profile(writer: *mut ProfDataWriter, image: &Image, wanted: &Wanted) -> Result {
    let mut plan = empty_plan();
    plan.set_image(&raw::shape(image, wanted.version, Padding::Words))?;
    let gap = if wanted.skip_names != 0 { image.names } else { Span::EMPTY };
    let mut sink = ToWriter::with_gap(writer, gap);
    // SAFETY: the caller's bounds.
    unsafe { raw::write_parts(image, &plan, &mut sink) }?;
    // SAFETY: null, or the caller's table.
    match unsafe { wanted.reader.as_ref() } {
        Some(reader) if !Variant(wanted.version).has(Variant::DEBUG_CORRELATE) => {
            // SAFETY: the caller's records and table.
            unsafe { write_values::write_values_of_reader(reader, image.data, &mut sink) }
        }
        _ => Ok(()),
    }
}

/// Returns the version for the header: the caller's, where `word` is a version of this archive, else the image's. Up to clang 19 callers pass
/// no version, and the word in its place may be anything.
#[cfg(any(raw = "10", raw = "11"))]
fn wanted_version(word: u64) -> u64 {
    let no_flags = 0x007f_ffff_0000_0000;
    let ours = Variant(word).number() == crate::native::RAW_VERSION.number() && word & no_flags == 0;
    if ours { word } else { variables::raw_version() }
}

export! {
    /// Writes this image's profile, with the values that `reader` returns unless it is null. With `skip_names`, the names are a gap.
    /// Returns 0, or -1.
    fn lprofWriteData(writer: *mut ProfDataWriter, reader: *const Reader, skip_names: c_int) -> c_int {
        let wanted = Wanted { version: variables::raw_version(), reader, skip_names };
        // SAFETY: this image; the caller's writer and reader.
        unsafe { status(write_profile(writer, &Image::this(), &wanted)) }
    }
}

#[cfg(raw = "8")]
export! {
    /// Writes a profile with these bounds, else as `lprofWriteData`.
    fn lprofWriteDataImpl(
        writer: *mut ProfDataWriter, data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        reader: *const Reader, names: *const u8, names_end: *const u8, skip_names: c_int,
    ) -> c_int {
        let image = image! { data: data, data_end; counters: counters, counters_end; names: names, names_end };
        let wanted = Wanted { version: variables::raw_version(), reader, skip_names };
        // SAFETY: the caller's bounds, writer and reader.
        unsafe { status(write_profile(writer, &image, &wanted)) }
    }
}

#[cfg(raw = "9")]
export! {
    /// Writes a profile with these bounds, else as `lprofWriteData`.
    fn lprofWriteDataImpl(
        writer: *mut ProfDataWriter, data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        bitmap: *const u8, bitmap_end: *const u8, reader: *const Reader, names: *const u8, names_end: *const u8,
        skip_names: c_int,
    ) -> c_int {
        let image = image! {
            data: data, data_end; counters: counters, counters_end; bitmap: bitmap, bitmap_end; names: names, names_end
        };
        let wanted = Wanted { version: variables::raw_version(), reader, skip_names };
        // SAFETY: the caller's bounds, writer and reader.
        unsafe { status(write_profile(writer, &image, &wanted)) }
    }
}

#[cfg(raw = "10")]
export! {
    /// Writes a profile with these bounds and, from clang 22 on, this version, else as `lprofWriteData`.
    fn lprofWriteDataImpl(
        writer: *mut ProfDataWriter, data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        bitmap: *const u8, bitmap_end: *const u8, reader: *const Reader, names: *const u8, names_end: *const u8,
        vtables: *const u8, vtables_end: *const u8, vnames: *const u8, vnames_end: *const u8,
        skip_names: c_int, version: u64,
    ) -> c_int {
        let image = image! {
            data: data, data_end; counters: counters, counters_end; bitmap: bitmap, bitmap_end; names: names, names_end;
            vtables: vtables, vtables_end; vnames: vnames, vnames_end
        };
        let wanted = Wanted { version: wanted_version(version), reader, skip_names };
        // SAFETY: the caller's bounds, writer and reader.
        unsafe { status(write_profile(writer, &image, &wanted)) }
    }
}

#[cfg(raw = "11")]
export! {
    /// Writes a profile with these bounds and this version, else as `lprofWriteData`.
    fn lprofWriteDataImpl(
        writer: *mut ProfDataWriter, data: *const u8, data_end: *const u8, counters: *const u8, counters_end: *const u8,
        bitmap: *const u8, bitmap_end: *const u8, uniform: *const u8, uniform_end: *const u8, reader: *const Reader,
        names: *const u8, names_end: *const u8, vtables: *const u8, vtables_end: *const u8, vnames: *const u8,
        vnames_end: *const u8, skip_names: c_int, version: u64,
    ) -> c_int {
        let image = image! {
            data: data, data_end; counters: counters, counters_end; bitmap: bitmap, bitmap_end; uniform: uniform, uniform_end;
            names: names, names_end; vtables: vtables, vtables_end; vnames: vnames, vnames_end
        };
        let wanted = Wanted { version: wanted_version(version), reader, skip_names };
        // SAFETY: the caller's bounds, writer and reader.
        unsafe { status(write_profile(writer, &image, &wanted)) }
    }
}
