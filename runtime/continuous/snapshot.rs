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
            counts::copy(counters, live, start);
            counts::copy(CountKind::Bits, bitmap, start.wrapping_add(aligned(live.len)));
            if initial == InitialCounts::Cleared {
                counts::clear(counters, Span { start, len: live.len });
                counts::clear(CountKind::Bits, Span::of(pages.bytes()).skip(aligned(live.len)));
            }
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
