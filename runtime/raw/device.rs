//! Writes the raw profile of this image without a plan, one word or part at a time, with little stack and little code.

#![allow(unsafe_code)]

use crate::format::WordSize;
use crate::format::header::magic;
use crate::format::layout::{Part, device};
use crate::format::parts::SECTIONS;
use crate::link;
use crate::native::OwnVersion;
use crate::sections::{linked_part as at, variables};
use crate::sink::latch::Latch;
use crate::span::Span;

/// Writes the profile of this image without the value data. No step keeps memory for the next one.
#[inline(never)]
pub fn write_this(to: &mut Latch<'_>) {
    write_header(to);
    write_id(to);
    for part in SECTIONS {
        write_part(to, part);
    }
}

/// Writes the header.
#[inline(never)]
fn write_header(to: &mut Latch<'_>) {
    let id = link::notes::build_id().len;
    let version = variables::raw_version();
    to.word(magic(WordSize::NATIVE));
    to.word(version);
    let bounds = |part: Part| {
        let span = at(part);
        (span.start.addr(), span.len)
    };
    device::header::<OwnVersion>(version, id, bounds, |part, len| size(part, version, len), |number| to.number(number));
}

/// Returns the size in the file of a part of `len` bytes.
fn size(part: Part, version: u64, len: usize) -> usize {
    device::size::<OwnVersion>(part, version, len)
}

/// Writes the entry of the build id, if the image has one.
#[inline(never)]
fn write_id(to: &mut Latch<'_>) {
    let id = link::notes::build_id();
    if id.len > 0 {
        to.number(id.len);
        write_up_to(to, id, device::up_to_word(id.len));
    }
}

/// Writes a part, zeros for the rest of a truncated last entry, and the padding.
#[inline(never)]
fn write_part(to: &mut Latch<'_>, part: Part) {
    let span = at(part);
    write_up_to(to, span, size(part, variables::raw_version(), span.len));
}

/// Writes at most `len` bytes of a span of this image, and zeros up to `len`.
#[inline(never)]
fn write_up_to(to: &mut Latch<'_>, span: Span, len: usize) {
    let span = span.prefix(len);
    // SAFETY: the callers pass spans of sections or of the build id of this image, which are readable.
    unsafe { to.put(span) };
    to.zeros(len.wrapping_sub(span.len));
}
