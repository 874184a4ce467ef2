//! A snapshot of counters and bitmaps, from which a file is filled.

#![allow(unsafe_code)]

use super::adopt::{Own, Refusal, adopt};
use super::counts::{self, Kind};
use crate::error::{Error, Result};
use crate::layout::Plan;
use crate::os;
use crate::os::file::Fd;
use crate::raw;
use crate::sections::Image;
use crate::sink::buffer::Buffer;
use crate::span::Span;
use crate::value::node;

/// Bytes of binary ids that are compared; images have one of 32.
const MOST_IDS: usize = 256;

/// What a new file begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begin {
    /// What the program has counted.
    Live,
    /// Nothing.
    Start,
}

/// Counters and bitmaps as they are at one moment, and a copy of them to which a file's may be added: that is what the new
/// file is filled with. In pages of its own.
#[derive(Debug)]
pub struct Snapshot {
    pages: *mut u8,
    counters: usize,
    bitmap: usize,
}

impl Snapshot {
    /// Takes one.
    pub fn new(image: &Image, counters: Kind, from: Begin) -> Result<Snapshot> {
        let mut copy =
            Snapshot { pages: core::ptr::null_mut(), counters: image.counters.len, bitmap: image.bitmap.len };
        copy.pages = os::map_pages(copy.half().saturating_mul(2)).ok_or(Error::Os(libc::ENOMEM))?;
        for (kind, live, then, to) in [
            (counters, image.counters, copy.counters_then(), copy.counters()),
            (Kind::Bits, image.bitmap, copy.bitmap_then(), copy.bitmap()),
        ] {
            // SAFETY: the image's sections, and as many fresh bytes twice.
            unsafe {
                match from {
                    Begin::Live => counts::copy(kind, live, then.start.cast_mut()),
                    Begin::Start => counts::clear(kind, then),
                }
                counts::copy(kind, then, to.start.cast_mut());
            }
        }
        Ok(copy)
    }

    /// Bytes of one copy of both. Bitmaps begin aligned.
    fn half(&self) -> usize {
        self.counters.next_multiple_of(8).saturating_add(self.bitmap).next_multiple_of(8)
    }

    /// What the file gets.
    pub fn counters(&self) -> Span {
        Span { start: self.pages, len: self.counters }
    }

    /// The same of bitmaps.
    pub fn bitmap(&self) -> Span {
        Span { start: self.pages.wrapping_add(self.counters.next_multiple_of(8)), len: self.bitmap }
    }

    /// What was counted when the snapshot was taken.
    pub fn counters_then(&self) -> Span {
        Span { start: self.counters().start.wrapping_add(self.half()), len: self.counters }
    }

    /// The same of bitmaps.
    pub fn bitmap_then(&self) -> Span {
        Span { start: self.bitmap().start.wrapping_add(self.half()), len: self.bitmap }
    }

    /// Adds what a file of `size` bytes has.
    pub fn adopt(&mut self, image: &Image, plan: &Plan, old: &Fd, size: u64) -> core::result::Result<(), Refusal> {
        let len = usize::try_from(size).map_err(|_| Refusal::Other)?;
        if len == 0 {
            return Err(Refusal::Damaged);
        }
        let mut ids = [0; MOST_IDS];
        let ids_len = usize::try_from(raw::binary_ids_size(&image.notes)).unwrap_or(0);
        // SAFETY: the image's own notes; the array is as long as said.
        unsafe { raw::write_binary_ids(&image.notes, &mut Buffer::new(ids.as_mut_ptr(), ids.len())) }
            .map_err(|_| Refusal::Other)?;
        let binary_ids = ids.get(..ids_len).unwrap_or(&[]);
        // SAFETY: the image's own names, which are constant, and records.
        let own = unsafe { Own { plan, records: node::records(image.data), names: slice(image.names), binary_ids } };
        let pages = os::map_pages(len).ok_or(Refusal::Other)?;
        // SAFETY: fresh pages, which nobody else knows of.
        let bytes = unsafe { core::slice::from_raw_parts_mut(pages, len) };
        // SAFETY: two stretches of our pages, which nobody else knows of.
        let (counters, bitmap) = unsafe { (slice_mut(self.counters()), slice_mut(self.bitmap())) };
        let read = old.read_all(bytes, 0).map_err(|_| Refusal::Other);
        let result = read.and_then(|()| adopt(bytes, &own, counters, bitmap));
        os::unmap_pages(pages, len);
        result
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        os::unmap_pages(self.pages, self.half().saturating_mul(2));
    }
}

/// # Safety
/// The span must be readable and constant.
unsafe fn slice<'a>(span: Span) -> &'a [u8] {
    // SAFETY: the caller's contract; an empty span may be null.
    if span.len == 0 { &[] } else { unsafe { core::slice::from_raw_parts(span.start, span.len) } }
}

/// # Safety
/// The span must be writable and nobody else's.
unsafe fn slice_mut<'a>(span: Span) -> &'a mut [u8] {
    // SAFETY: the caller's contract; an empty span may be null.
    if span.len == 0 { &mut [] } else { unsafe { core::slice::from_raw_parts_mut(span.start.cast_mut(), span.len) } }
}
