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
pub struct Snapshot {
    counters: Pages,
    bitmap: Pages,
}

impl Snapshot {
    /// No snapshot.
    pub const NONE: Snapshot = Snapshot { counters: Pages::EMPTY, bitmap: Pages::EMPTY };

    /// Takes a snapshot.
    pub fn new(image: &Image, counters: CountKind, initial: InitialCounts) -> Result<Snapshot> {
        let take = |kind, live: Span| -> Result<Pages> {
            let mut copy = pages(live.len)?;
            let start = copy.bytes_mut().as_mut_ptr();
            // SAFETY: a section of the image, and pages that have as many bytes.
            unsafe {
                match initial {
                    InitialCounts::Live => counts::copy(kind, live, start),
                    InitialCounts::Cleared => counts::clear(kind, Span { start, len: live.len }),
                }
            }
            Ok(copy)
        };
        Ok(Snapshot { counters: take(counters, image.counters)?, bitmap: take(CountKind::Bits, image.bitmap)? })
    }

    /// Returns the copy of the counters.
    pub fn counters(&self) -> Span {
        Span::of(self.counters.bytes())
    }

    /// Returns the copy of the bitmaps.
    pub fn bitmap(&self) -> Span {
        Span::of(self.bitmap.bytes())
    }
}
