//! Writes the parts of a raw profile to a sink, at the offsets of its plan.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use crate::error::Result;
use crate::format::WordSize;
use crate::format::header::MAX_WORDS;
use crate::format::layout::{Extent, Padding, Part, Sections, Shape, binary_id_size, padding};
use crate::format::parts::SECTIONS;
use crate::link::build_id;
use crate::native::Plan;
use crate::sections::Image;
use crate::sink::{Sink, zeros};
use crate::span::{List, Span};

/// Makes `plan` the plan of an image as it is now.
#[inline(never)]
pub fn set_plan(plan: &mut Plan, image: &Image, version: u64, padding: Padding) -> Result {
    Ok(plan.set_image(&shape(image, version, padding))?)
}

/// Returns the lengths and addresses from which an image's profile is planned, as they are now.
#[inline]
pub fn shape(image: &Image, version: u64, padding: Padding) -> Shape {
    Shape {
        version,
        word: WordSize::NATIVE,
        binary_ids: binary_ids_size(&image.notes),
        sections: Sections::of(|part| {
            let section = match part {
                Part::Counters => image.linked_counters(),
                Part::Bitmap => image.linked_bitmap(),
                _ => image.get(part).copied().unwrap_or(Span::EMPTY),
            };
            Extent { address: section.address(), len: section.len as u64 }
        }),
        padding,
    }
}

/// Writes the profile of an image without the value data.
///
/// # Safety
/// The spans of `image` must be readable, and `plan` must be the plan of that image.
pub unsafe fn write_parts(image: &Image, plan: &Plan, sink: &mut dyn Sink) -> Result {
    // SAFETY: readable spans and their plan, by this function's contract.
    unsafe { write_parts_but(image, plan, sink, None) }
}

/// Writes one part of a profile.
pub type WritePart<'a> = &'a mut dyn FnMut(&mut dyn Sink) -> Result;

/// Writes the profile of an image without the value data. Leaves a part to `instead`, if there is one.
///
/// # Safety
/// The spans of `image` must be readable, and `plan` must be the plan of that image.
pub unsafe fn write_parts_but(
    image: &Image,
    plan: &Plan,
    sink: &mut dyn Sink,
    mut instead: Option<(Part, WritePart<'_>)>,
) -> Result {
    let mut words = [const { MaybeUninit::uninit() }; MAX_WORDS];
    let mut id_len = [0; 8];
    let mut list = Gather::<SPANS> { list: List::new(), sink };
    // SAFETY: an array of this function.
    unsafe { list.add(header_span(plan, &mut words)) }?;
    for id in build_id::build_ids(&image.notes) {
        // Nearly all images have one id, which is written with the other parts. The list has the length of an earlier one.
        if id_len != [0; 8] {
            list.flush()?;
        }
        for span in entry(Span::of(id), &mut id_len) {
            // SAFETY: an array of this function, the notes of `image`, which are readable by this function's contract, or zeros.
            unsafe { list.add(span) }?;
        }
    }
    for &(part, span) in &image.parts() {
        let (len, padding) = plan.size(part);
        // A last entry that is truncated in memory is filled up with zeros in the file.
        let span = span.prefix(usize::try_from(len).unwrap_or(usize::MAX));
        match &mut instead {
            Some((other, write)) if part == *other => {
                list.flush()?;
                (**write)(list.sink)?;
            }
            // SAFETY: a section of `image`, which is readable by this function's contract.
            _ => unsafe { list.add(span) }?,
        }
        list.add_zeros(len.wrapping_sub(span.len as u64).wrapping_add(padding))?;
    }
    list.flush()
}

/// Encodes the header of a plan into `words`, in this machine's byte order, and returns its bytes.
#[inline]
fn header_span(plan: &Plan, words: &mut [MaybeUninit<u64>; MAX_WORDS]) -> Span {
    let mut room = words.iter_mut();
    plan.each_header_word(|number| {
        if let Some(word) = room.next() {
            word.write(number);
        }
    });
    Span { start: words.as_ptr().cast(), len: plan.version().header_words().wrapping_mul(8) }
}

/// The number of spans of a profile, so that nearly all profiles take one call of the sink: the header; an id with its length and padding;
/// the sections with their paddings.
const SPANS: usize = 1 + 3 + 2 * SECTIONS.len();

/// At most `N` spans that are passed to the sink in one call. Invariant: all are readable.
struct Gather<'a, const N: usize> {
    list: List<N>,
    sink: &'a mut dyn Sink,
}

impl<const N: usize> Gather<'_, N> {
    /// Adds a span, unless it is empty. Flushes the list first if it is full.
    ///
    /// # Safety
    /// The span must be readable until the list is flushed.
    #[cfg_attr(feature = "hosted", inline(never))]
    #[cfg_attr(not(feature = "hosted"), inline(always))]
    unsafe fn add(&mut self, span: Span) -> Result {
        // On devices, where bytes count, `SPANS` is relied on.
        if cfg!(feature = "hosted") && self.list.is_full() {
            self.flush()?;
        }
        self.push(span);
        Ok(())
    }

    /// Adds zeros.
    fn add_zeros(&mut self, mut len: u64) -> Result {
        while len > 0 {
            let now = zeros(len);
            // SAFETY: a static array.
            unsafe { self.add(now) }?;
            len = len.wrapping_sub(now.len as u64);
        }
        Ok(())
    }

    /// Adds a span to a list that is not full, unless the span is empty.
    #[cfg_attr(not(feature = "hosted"), inline(never))]
    fn push(&mut self, span: Span) {
        if span.len > 0 {
            self.list.push(span);
        }
    }

    /// Passes the spans to the sink, and empties the list.
    #[inline(never)]
    fn flush(&mut self) -> Result {
        let list = self.list.take();
        // SAFETY: the spans in the list are readable by the invariant, which `add` keeps.
        if list.is_empty() { Ok(()) } else { unsafe { self.sink.write(list) } }
    }
}

/// Returns the spans of the entry of an id: its length, which is stored in `len`, the id, and zeros.
pub fn entry(id: Span, len: &mut [u8; 8]) -> [Span; 3] {
    *len = (id.len as u64).to_ne_bytes();
    [Span::of(len), id, zeros(padding(id.len as u64, 8))]
}

/// Returns the size of the entries of all binary ids in the notes.
#[inline]
pub fn binary_ids_size(notes: &[Span]) -> u64 {
    let mut size: u64 = 0;
    for id in build_id::build_ids(notes) {
        size = size.saturating_add(binary_id_size(id.len() as u64));
    }
    size
}

/// Writes the entries of all binary ids in the notes, and returns the first failure of the sink (which LLVM's runtime ignores).
///
/// # Safety
/// The notes must be readable.
pub unsafe fn write_binary_ids(notes: &[Span], sink: &mut dyn Sink) -> Result {
    for id in build_id::build_ids(notes) {
        // SAFETY: the array lives until the end of the call; the id lies in the notes, which are readable by this function's contract.
        unsafe { sink.write(&entry(Span::of(id), &mut [0; 8])) }?;
    }
    Ok(())
}

#[cfg(not(feature = "hosted"))]
pub mod device;

#[cfg(test)]
mod tests;
