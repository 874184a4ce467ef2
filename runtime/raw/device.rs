//! Writes the raw profile of this image without a plan, with little stack: a word of the header, a part, some zeros at a time.

use super::first_build_id;
use crate::error::Result;
use crate::layout::{Part, device};
use crate::sections::{elf, variables};
use crate::sink::{Sink, zeros};
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

/// Writes everything up to the value data. None of the steps keeps memory for the next.
#[inline(never)]
pub fn write_this(sink: &mut dyn Sink) -> Result {
    write_header(sink)?;
    write_id(sink)?;
    for part in device::PARTS {
        write_part(part, sink)?;
    }
    Ok(())
}

/// The build id. The linker makes one, if any.
fn id() -> Span {
    first_build_id(&elf::notes::spans())
}

#[inline(never)]
fn write_header(sink: &mut dyn Sink) -> Result {
    for index in 0..crate::format::RawVersion::BUILT.header_words() {
        let word = word(index);
        // SAFETY: a local array.
        unsafe { sink.write(&[Span::of(&word)]) }?;
    }
    Ok(())
}

#[inline(never)]
fn word(index: usize) -> [u8; 8] {
    device::header_word(index, variables::raw_version(), entry_size(id()), bounds).to_ne_bytes()
}

/// Bytes of the entry of an id in the file: its length, the id, zeros up to a multiple of 8.
fn entry_size(id: Span) -> u64 {
    if id.len == 0 { 0 } else { (id.len as u64).next_multiple_of(8).wrapping_add(8) }
}

#[inline(never)]
fn write_id(sink: &mut dyn Sink) -> Result {
    let id = id();
    if id.len == 0 {
        return Ok(());
    }
    // SAFETY: a local array.
    unsafe { sink.write(&[Span::of(&(id.len as u64).to_ne_bytes())]) }?;
    // SAFETY: in the notes of this image.
    unsafe { sink.write(&[id]) }?;
    write_zeros(sink, id.len.wrapping_neg() & 7)
}

/// A part, what its last entry lacks, and the padding.
#[inline(never)]
fn write_part(part: Part, sink: &mut dyn Sink) -> Result {
    let (len, padding) = device::size(part, variables::raw_version(), bounds(part).len);
    let span = bounds(part).prefix(len);
    // SAFETY: a section of this image.
    unsafe { sink.write(&[span]) }?;
    write_zeros(sink, len.wrapping_sub(span.len).wrapping_add(padding))
}

/// A few zeros: less than a record.
#[inline(always)]
fn write_zeros(sink: &mut dyn Sink, len: usize) -> Result {
    // SAFETY: zeros are a static.
    unsafe { sink.write(&[zeros(len as u64).unwrap_or(Span::EMPTY)]) }
}
