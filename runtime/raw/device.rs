//! Writes the raw profile of this image without a plan, with little stack: a word of the header, a part, some zeros at a time.

use super::{binary_ids_size, write_binary_ids};
use crate::error::Result;
use crate::layout::{Part, device};
use crate::sections::{elf, variables};
use crate::sink::{Sink, write_zeros};
use crate::span::Span;

/// Where a part of this image is.
fn bounds(part: Part) -> Span {
    match part {
        Part::Data => elf::data::span(),
        Part::Counters => elf::counters::span(),
        Part::Bitmap => elf::bitmap::span(),
        Part::Names => elf::names::span(),
        Part::VTables => elf::vtables::span(),
        Part::VNames => elf::vnames::span(),
        _ => Span::EMPTY,
    }
}

/// Writes everything up to the value data.
pub fn write_this(sink: &mut dyn Sink) -> Result {
    let version = variables::raw_version();
    let notes = elf::notes::spans();
    let ids = binary_ids_size(&notes);
    write_header(version, ids, sink)?;
    // SAFETY: this image's notes.
    unsafe { write_binary_ids(&notes, sink) }?;
    for part in device::PARTS {
        write_part(part, version, sink)?;
    }
    Ok(())
}

#[inline(always)]
fn write_header(version: u64, ids: u64, sink: &mut dyn Sink) -> Result {
    for index in 0..crate::format::RawVersion::BUILT.header_words() {
        let word = device::header_word(index, version, ids, bounds).to_ne_bytes();
        // SAFETY: a local array.
        unsafe { sink.write(&[Span::of(&word)]) }?;
    }
    Ok(())
}

/// A part, what its last entry lacks, and the padding.
#[inline(always)]
fn write_part(part: Part, version: u64, sink: &mut dyn Sink) -> Result {
    let (len, padding) = device::size(part, version, bounds(part).len);
    let span = bounds(part).prefix(len);
    // SAFETY: a section of this image.
    unsafe { sink.write(&[span]) }?;
    write_zeros(sink, len.wrapping_sub(span.len).wrapping_add(padding) as u64)
}
