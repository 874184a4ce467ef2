//! A snapshot of counters and bitmaps, from which a continuous file is filled.

#![allow(unsafe_code)]

use super::counts::{self, CountKind};
use crate::error::Result;
use crate::merge::pages::{Pages, pages};
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

/// A copy of counters and bitmaps. A new file is filled from the copy; later counts are the difference to it.
#[derive(Debug)]
pub struct Snapshot {
    pages: Pages,
    counters: usize,
    bitmap: usize,
}

impl Snapshot {
    /// No snapshot.
    pub const NONE: Snapshot = Snapshot { pages: Pages::EMPTY, counters: 0, bitmap: 0 };

    /// Takes a snapshot.
    pub fn new(image: &Image, counters: CountKind, initial: InitialCounts) -> Result<Snapshot> {
        let (live, bitmap) = (image.counters, image.bitmap);
        let mut pages = pages(aligned(live.len).saturating_add(bitmap.len))?;
        let start = pages.bytes_mut().as_mut_ptr();
        // SAFETY: the sections are the image's, and the pages have as many bytes for each, aligned.
        unsafe {
            copy_or_clear(counters, live, start, initial);
            copy_or_clear(CountKind::Bits, bitmap, start.wrapping_add(aligned(live.len)), initial);
        }
        Ok(Snapshot { pages, counters: live.len, bitmap: bitmap.len })
    }

    /// Returns the copy of the counters.
    pub fn counters(&self) -> Span {
        Span::of(self.pages.bytes()).prefix(self.counters)
    }

    /// Returns the copy of the bitmaps.
    pub fn bitmap(&self) -> Span {
        Span::of(self.pages.bytes()).skip(aligned(self.counters)).prefix(self.bitmap)
    }
}

/// Returns where the copy of the bitmaps starts after `counters` bytes of counters.
fn aligned(counters: usize) -> usize {
    counters.next_multiple_of(8)
}

/// Copies the counts of a section, or sets the copy to the initial value.
///
/// # Safety
/// `live` must be readable and `to` as many writable bytes. Words must be aligned.
#[inline(never)]
unsafe fn copy_or_clear(kind: CountKind, live: Span, to: *mut u8, initial: InitialCounts) {
    // SAFETY: the caller passes readable bytes, and as many writable ones, aligned for words.
    unsafe {
        match initial {
            InitialCounts::Live => counts::copy(kind, live, to),
            InitialCounts::Cleared => counts::clear(kind, Span { start: to, len: live.len }),
        }
    }
}
