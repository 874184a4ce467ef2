//! The profile sections of an image, and its notes with binary ids.
//!
//! Knows which section is which part of a profile, but no sizes in files.

pub mod variables;

use core::ops::Deref;

use crate::format::layout::{Part, Sections};
use crate::format::parts::SECTIONS;
use crate::link::{self, MAX_NOTE_SEGMENTS};
use crate::span::Span;

/// The profile sections of one image, with counters and bitmaps where they are at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Image {
    /// The sections; no bytes where there is none.
    pub sections: Sections<Span>,
    /// Distance of the counters from where the linker put them, to which the records refer.
    pub counters_moved: isize,
    /// Distance of the bitmaps from where the linker put them.
    pub bitmap_moved: isize,
    /// The notes of the image, which may hold a build id.
    pub notes: [Span; MAX_NOTE_SEGMENTS],
}

impl Deref for Image {
    type Target = Sections<Span>;

    #[inline(always)]
    fn deref(&self) -> &Sections<Span> {
        &self.sections
    }
}

impl Image {
    /// An image without any section.
    pub const EMPTY: Image =
        Image { sections: NO_SECTIONS, counters_moved: 0, bitmap_moved: 0, notes: [Span::EMPTY; MAX_NOTE_SEGMENTS] };

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
            sections: Sections { counters, bitmap, ..self.sections },
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
}

/// Defines [`NO_SECTIONS`] and what names each section from the table of sections.
macro_rules! of_table {
    ($($(#[$doc:meta])* $field:ident [$part:ident since $($rest:tt)*]
        $(= $section:literal $other:tt $(=> $registered:ident)?)?)*) => {
        /// No section.
        const NO_SECTIONS: Sections<Span> = Sections { $($field: Span::EMPTY,)* };

        impl Image {
            /// Returns the image that this copy of the runtime is linked into.
            pub fn this() -> Image {
                let (counters_moved, bitmap_moved) = (bias::counters::now(), bias::bitmap::now());
                let mut image = Image { sections: NO_SECTIONS, counters_moved, bitmap_moved, notes: link::notes::spans() };
                // One after the other, so that each is stored at once.
                $($(image.sections.$field = { _ = $section; link::$field::span() };)?)*
                image.sections.counters = image.sections.counters.moved(counters_moved);
                image.sections.bitmap = image.sections.bitmap.moved(bitmap_moved);
                image
            }

            /// Returns the sections that are parts of a profile, in file order.
            #[cfg_attr(feature = "hosted", inline(never))]
            #[cfg_attr(not(feature = "hosted"), inline)]
            pub fn parts(&self) -> [(Part, Span); SECTIONS.len()] {
                [$((Part::$part, self.sections.$field)),*]
            }
        }

        /// Returns the bytes of a part where the linker put it.
        #[cfg(not(feature = "hosted"))]
        #[inline(always)]
        pub fn linked_part(part: Part) -> Span {
            match part {
                $($(Part::$part => { _ = $section; link::$field::span() })?)*
                _ => Span::EMPTY,
            }
        }
    };
}
profrt_format::sections!(of_table);

/// Returns the bounds of this image's counters where they are now.
pub fn live_counters() -> Span {
    link::counters::span().moved(bias::counters::now())
}

/// Returns the bounds of this image's bitmaps where they are now.
pub fn live_bitmap() -> Span {
    link::bitmap::span().moved(bias::bitmap::now())
}

pub mod bias {
    //! The compiler's bias variables, which move counters and bitmaps in programs that are compiled with `-fprofile-continuous` or
    //! `-mllvm -runtime-counter-relocation`.
    //!
    //! Instrumented code adds the variable to the address of every counter. The compiler defines it in each object that uses it, weak and
    //! hidden, and the linker keeps one. The runtime has only a weak *reference*, which is null in all other programs. (A weak definition in
    //! the archive, as LLVM's has, would replace the program's one when it comes first or the whole archive is linked.)

    #![allow(unsafe_code)]

    macro_rules! bias {
        ($($(#[$doc:meta])* $name:ident = $symbol:literal)*) => {$(
            $(#[$doc])*
            pub mod $name {
                use core::sync::atomic::{AtomicIsize, Ordering};

                crate::link::weak_address! { address = $symbol }

                /// Returns the bias variable, or `None` where the program has none.
                #[inline(never)]
                pub fn variable() -> Option<&'static AtomicIsize> {
                    // An i64; addresses need its low word.
                    let words = address::<[AtomicIsize; 8 / size_of::<usize>()]>();
                    // SAFETY: null, or the compiler's variable, an aligned word that only the runtime writes, as an atomic.
                    let words = unsafe { words.as_ref() }?;
                    if cfg!(target_endian = "little") { words.first() } else { words.last() }
                }

                /// Returns the bias as it is now.
                #[inline(never)]
                pub fn now() -> isize {
                    variable().map_or(0, |bias| bias.load(Ordering::Relaxed))
                }
            }
        )*};
    }

    bias! {
        /// Added to the addresses of counters.
        counters = "__llvm_profile_counter_bias"
        /// Added to the addresses of bitmaps (LLVM 20 and up).
        bitmap = "__llvm_profile_bitmap_bias"
    }
}
