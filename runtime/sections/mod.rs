//! Where the bytes of this image live: the bounds of the profile sections and the notes with binary ids.
//!
//! May use `format`, `span`, `sync`. Knows nothing of files or sizes in files.

pub mod build_id;
#[cfg(all(not(test), any(target_os = "linux", target_os = "none")))]
pub mod elf;
#[cfg(any(test, not(any(target_os = "linux", target_os = "none"))))]
#[path = "absent.rs"]
pub mod elf;
#[cfg(not(feature = "hosted"))]
pub mod registered;
pub mod variables;

use crate::span::Span;

/// The profile sections of one image, as one reads them at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// `__llvm_prf_data`: control records.
    pub data: Span,
    /// `__llvm_prf_cnts`: counters.
    pub counters: Span,
    /// `__llvm_prf_bits`: MC/DC bitmaps.
    pub bitmap: Span,
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
        uniform: Span::EMPTY,
        names: Span::EMPTY,
        vtables: Span::EMPTY,
        vnames: Span::EMPTY,
        notes: [Span::EMPTY; build_id::MAX_NOTE_SEGMENTS],
    };

    /// The image this copy of the runtime is linked into.
    pub fn this() -> Image {
        Image {
            data: elf::data::span(),
            counters: elf::counters::span(),
            bitmap: elf::bitmap::span(),
            uniform: Span::EMPTY,
            names: elf::names::span(),
            vtables: elf::vtables::span(),
            vnames: elf::vnames::span(),
            notes: elf::notes::spans(),
        }
    }
}
