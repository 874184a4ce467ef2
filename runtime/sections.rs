//! Where the bytes of this image live: the bounds of the profile sections and the notes with binary ids.
//!
//! May use `format`, `span`, `sync`. Knows nothing of files or sizes in files.

pub mod bias;
pub mod build_id;
#[cfg(all(not(test), any(target_os = "linux", target_os = "none")))]
pub mod elf;
#[cfg(any(test, not(any(target_os = "linux", target_os = "none"))))]
#[path = "sections/absent.rs"]
pub mod elf;
#[cfg(all(not(feature = "hosted"), feature = "abi"))]
pub mod register;
#[cfg(all(not(feature = "hosted"), feature = "abi"))]
pub mod registered;
pub mod variables;

use crate::span::Span;

/// The profile sections of one image, as one reads them at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// `__llvm_prf_data`: control records.
    pub data: Span,
    /// `__llvm_prf_cnts`: counters, where they are now.
    pub counters: Span,
    /// `__llvm_prf_bits`: MC/DC bitmaps, where they are now.
    pub bitmap: Span,
    /// How far the counters are from where the linker put them, which is what records say.
    pub counters_moved: isize,
    /// The same of the bitmaps.
    pub bitmap_moved: isize,
    /// `__llvm_prf_ucnts`: uniform counters (raw version 11; empty on CPUs).
    pub uniform: Span,
    /// `__llvm_prf_names`: function names.
    pub names: Span,
    /// `__llvm_prf_vtab`: vtable records.
    pub vtables: Span,
    /// `__llvm_prf_vns`: vtable names.
    pub vnames: Span,
    /// All notes of the image that may hold a build id, as bytes of `PT_NOTE` segments.
    pub notes: [Span; build_id::MAX_NOTE_SEGMENTS],
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
        notes: [Span::EMPTY; build_id::MAX_NOTE_SEGMENTS],
    };

    /// Where the linker put the counters: what offsets in records are about.
    #[inline]
    pub fn linked_counters(&self) -> Span {
        self.counters.moved(self.counters_moved.wrapping_neg())
    }

    /// Where the linker put the bitmaps.
    #[inline]
    pub fn linked_bitmap(&self) -> Span {
        self.bitmap.moved(self.bitmap_moved.wrapping_neg())
    }

    /// The image with copies of its counters and bitmaps in their place.
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

    /// For bounds that a caller has given: when they are this image's, counters and bitmaps may be moved ones.
    #[cfg_attr(feature = "hosted", inline)]
    pub fn settle(&mut self) {
        if self.counters.start == live_counters().start {
            self.counters_moved = bias::counters::now();
        }
        if self.bitmap.start == live_bitmap().start {
            self.bitmap_moved = bias::bitmap::now();
        }
    }

    /// The image this copy of the runtime is linked into.
    pub fn this() -> Image {
        Image {
            data: elf::data::span(),
            counters: live_counters(),
            bitmap: live_bitmap(),
            counters_moved: bias::counters::now(),
            bitmap_moved: bias::bitmap::now(),
            uniform: Span::EMPTY,
            names: elf::names::span(),
            vtables: elf::vtables::span(),
            vnames: elf::vnames::span(),
            notes: elf::notes::spans(),
        }
    }
}

/// The counters of this image, where they are now.
pub fn live_counters() -> Span {
    elf::counters::span().moved(bias::counters::now())
}

/// The bitmaps of this image, where they are now.
pub fn live_bitmap() -> Span {
    elf::bitmap::span().moved(bias::bitmap::now())
}
