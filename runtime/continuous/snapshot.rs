//! A snapshot of counters and bitmaps, from which a continuous file is filled.

#![allow(unsafe_code)]

use super::counts::{self, CountKind};
use crate::error::{Error, Result};
use crate::os;
use crate::sections::Image;
use crate::span::Span;

/// The counts that a new file starts with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialCounts {
    /// The counts of the program.
    Live,
    /// No counts.
    Cleared,
}

/// A copy of counters and bitmaps, in pages that it owns. A new file is filled from the copy; later counts are the difference to it.
#[derive(Debug)]
pub struct Snapshot {
    pages: *mut u8,
    counters: usize,
    bitmap: usize,
}

impl Snapshot {
    /// Takes a snapshot.
    pub fn new(image: &Image, counters: CountKind, from: InitialCounts) -> Result<Snapshot> {
        let mut copy =
            Snapshot { pages: core::ptr::null_mut(), counters: image.counters.len, bitmap: image.bitmap.len };
        copy.pages = os::map_pages(copy.len()).ok_or(Error::ENOMEM)?;
        // SAFETY: the sections are the image's, and the pages were mapped above with as many bytes for each, aligned.
        unsafe {
            take(counters, image.counters, copy.counters(), from);
            take(CountKind::Bits, image.bitmap, copy.bitmap(), from);
        }
        Ok(copy)
    }

    /// Returns the size of both copies. The bitmaps start aligned.
    fn len(&self) -> usize {
        self.counters.next_multiple_of(8).saturating_add(self.bitmap)
    }

    /// Returns the copy of the counters.
    pub fn counters(&self) -> Span {
        Span { start: self.pages, len: self.counters }
    }

    /// Returns the copy of the bitmaps.
    pub fn bitmap(&self) -> Span {
        Span { start: self.pages.wrapping_add(self.counters.next_multiple_of(8)), len: self.bitmap }
    }
}

/// Copies the counts of a section, or sets the copy to the initial value.
///
/// # Safety
/// `live` must be readable and `to` as many writable bytes. Words must be aligned.
#[inline(never)]
unsafe fn take(kind: CountKind, live: Span, to: Span, from: InitialCounts) {
    // SAFETY: the caller passes readable bytes, and as many writable ones, aligned for words.
    unsafe {
        match from {
            InitialCounts::Live => counts::copy(kind, live, to.start.cast_mut()),
            InitialCounts::Cleared => counts::clear(kind, to),
        }
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        os::unmap_pages(self.pages, self.len());
    }
}
