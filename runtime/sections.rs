//! The profile sections of an image, and its notes with binary ids.
//!
//! Knows which section is which part of a profile, but no sizes in files.

pub mod bias;
pub mod variables;

use crate::format::layout::Part;
use crate::link::{self, MAX_NOTE_SEGMENTS};
use crate::span::Span;

/// The profile sections of one image, with counters and bitmaps where they are at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// `__llvm_prf_data`: control records.
    pub data: Span,
    /// `__llvm_prf_cnts`: counters, where they are now.
    pub counters: Span,
    /// `__llvm_prf_bits`: MC/DC bitmaps, where they are now.
    pub bitmap: Span,
    /// Distance of the counters from where the linker put them, to which the records refer.
    pub counters_moved: isize,
    /// Distance of the bitmaps from where the linker put them.
    pub bitmap_moved: isize,
    /// `__llvm_prf_ucnts`: uniform counters (raw version 11; empty on CPUs).
    pub uniform: Span,
    /// `__llvm_prf_names`: function names.
    pub names: Span,
    /// `__llvm_prf_vtab`: vtable records.
    pub vtables: Span,
    /// `__llvm_prf_vns`: vtable names.
    pub vnames: Span,
    /// The notes of the image, which may hold a build id.
    pub notes: [Span; MAX_NOTE_SEGMENTS],
}

impl Image {
    /// An image without any section.
    pub const EMPTY: Image = Image {
        data: Span::EMPTY,
        counters: Span::EMPTY,
        bitmap: Span::EMPTY,
        counters_moved: 0,
        bitmap_moved: 0,
        uniform: Span::EMPTY,
        names: Span::EMPTY,
        vtables: Span::EMPTY,
        vnames: Span::EMPTY,
        notes: [Span::EMPTY; MAX_NOTE_SEGMENTS],
    };

    /// The number of sections that are parts of a profile.
    pub const PARTS: usize = 7;

    /// Returns the sections that are parts of a profile, in file order.
    #[inline]
    pub fn parts(&self) -> [(Part, Span); Image::PARTS] {
        [
            (Part::Data, self.data),
            (Part::Counters, self.counters),
            (Part::Bitmap, self.bitmap),
            (Part::UniformCounters, self.uniform),
            (Part::Names, self.names),
            (Part::VTables, self.vtables),
            (Part::VNames, self.vnames),
        ]
    }

    /// Returns the counters' bounds where the linker put them: offsets in records refer to these.
    #[inline]
    pub fn linked_counters(&self) -> Span {
        self.counters.moved(self.counters_moved.wrapping_neg())
    }

    /// Returns the bitmaps' bounds where the linker put them.
    #[inline]
    pub fn linked_bitmap(&self) -> Span {
        self.bitmap.moved(self.bitmap_moved.wrapping_neg())
    }

    /// Returns this image with copies of its counters and bitmaps instead of its own.
    pub fn with_counts(&self, counters: Span, bitmap: Span) -> Image {
        let moved = |to: Span, from: Span| to.start.addr().wrapping_sub(from.start.addr()) as isize;
        Image {
            counters,
            bitmap,
            counters_moved: moved(counters, self.linked_counters()),
            bitmap_moved: moved(bitmap, self.linked_bitmap()),
            ..*self
        }
    }

    /// Sets the distances of counters and bitmaps whose bounds a caller has passed: only those of this image can have been moved.
    #[cfg_attr(feature = "hosted", inline)]
    pub fn set_distances(&mut self) {
        if self.counters.start == live_counters().start {
            self.counters_moved = bias::counters::now();
        }
        if self.bitmap.start == live_bitmap().start {
            self.bitmap_moved = bias::bitmap::now();
        }
    }

    /// Returns the image that this copy of the runtime is linked into.
    pub fn this() -> Image {
        Image {
            data: link::data::span(),
            counters: live_counters(),
            bitmap: live_bitmap(),
            counters_moved: bias::counters::now(),
            bitmap_moved: bias::bitmap::now(),
            uniform: Span::EMPTY,
            names: link::names::span(),
            vtables: link::vtables::span(),
            vnames: link::vnames::span(),
            notes: link::notes::spans(),
        }
    }
}

/// Returns the bounds of this image's counters where they are now.
pub fn live_counters() -> Span {
    link::counters::span().moved(bias::counters::now())
}

/// Returns the bounds of this image's bitmaps where they are now.
pub fn live_bitmap() -> Span {
    link::bitmap::span().moved(bias::bitmap::now())
}
