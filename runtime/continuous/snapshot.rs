//! A snapshot of counters and bitmaps, from which a file is filled.

#![allow(unsafe_code)]

use super::counts::{self, CountKind};
use crate::error::{Error, Result};
use crate::os;
use crate::sections::Image;
use crate::span::Span;

/// What a new file begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialCounts {
    /// What the program has counted.
    Live,
    /// Nothing.
    Cleared,
}

/// Counters and bitmaps as they are at one moment, in pages of their own: that is what a new file is filled with, and what is
/// counted behind it is told by the difference.
#[derive(Debug)]
pub struct Snapshot {
    pages: *mut u8,
    counters: usize,
    bitmap: usize,
}

impl Snapshot {
    /// Takes one.
    pub fn new(image: &Image, counters: CountKind, from: InitialCounts) -> Result<Snapshot> {
        let mut copy =
            Snapshot { pages: core::ptr::null_mut(), counters: image.counters.len, bitmap: image.bitmap.len };
        copy.pages = os::map_pages(copy.len()).ok_or(Error::ENOMEM)?;
        // SAFETY: the image's sections, and as many fresh bytes, which begin aligned.
        unsafe {
            take(counters, image.counters, copy.counters(), from);
            take(CountKind::Bits, image.bitmap, copy.bitmap(), from);
        }
        Ok(copy)
    }

    /// Bytes of both. Bitmaps begin aligned.
    fn len(&self) -> usize {
        self.counters.next_multiple_of(8).saturating_add(self.bitmap)
    }

    /// The counters.
    pub fn counters(&self) -> Span {
        Span { start: self.pages, len: self.counters }
    }

    /// The bitmaps.
    pub fn bitmap(&self) -> Span {
        Span { start: self.pages.wrapping_add(self.counters.next_multiple_of(8)), len: self.bitmap }
    }
}

/// # Safety
/// As for [`counts::copy`].
#[inline(never)]
unsafe fn take(kind: CountKind, live: Span, to: Span, from: InitialCounts) {
    // SAFETY: the caller's contract.
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
