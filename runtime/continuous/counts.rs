//! Copies, clears, adds and moves counts in memory where threads may be counting.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use crate::format::Variant;
use crate::sections::variables;
use crate::span::Span;

/// The meaning of a section's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CountKind {
    /// Words, which are added.
    Words,
    /// Bytes that start as 0xff and become 0 when their region is covered.
    Covered,
    /// Bits, which are set.
    Bits,
}

impl CountKind {
    /// Returns the initial value of all bytes.
    pub const fn initial(self) -> u8 {
        if matches!(self, CountKind::Covered) { 0xff } else { 0 }
    }

    /// Adds the count in a byte to another byte.
    fn combine(self, from: u8, to: &AtomicU8) {
        match self {
            CountKind::Covered => to.fetch_and(from, LAX),
            _ => to.fetch_or(from, LAX),
        };
    }
}

/// Returns the kind of this image's counters, from its version variable.
pub fn counter_kind() -> CountKind {
    if Variant(variables::raw_version()).has(Variant::BYTE_COVERAGE) { CountKind::Covered } else { CountKind::Words }
}

const LAX: Ordering = Ordering::Relaxed;

/// Copies the counts of a section to `to`.
///
/// # Safety
/// `from` must be readable and `to` as many writable bytes. Words must be aligned.
pub unsafe fn copy(kind: CountKind, from: Span, to: *mut u8) {
    // SAFETY: the caller passes readable bytes, and as many writable ones, aligned for words.
    unsafe { each(kind, from, to, |from, to| to.store(from.load(LAX), LAX), |from, to| to.store(from.load(LAX), LAX)) }
}

/// Adds the counts in `from` to `to`. `snapshot` is a copy of `from` whose counts are in `to` already, or null for none. With `clear`, the counts in
/// `from` get their initial value.
///
/// # Safety
/// `to`, and `snapshot` if not null, must have as many bytes as `from`; `to` must be writable, and `from` if it is cleared. Words: aligned.
pub unsafe fn add(kind: CountKind, from: Span, snapshot: *const u8, to: *mut u8, clear: bool) {
    let distance = snapshot.addr().wrapping_sub(from.start.addr());
    let word = |from: &AtomicU64, to: &AtomicU64| {
        let at_snapshot = if snapshot.is_null() {
            0
        } else {
            // SAFETY: the caller of `add` passes a copy as long as `from`, and `from` points into that.
            unsafe { AtomicU64::from_ptr(from.as_ptr().wrapping_byte_add(distance)) }.load(LAX)
        };
        let live = from.load(LAX);
        let now = if clear && live != 0 { from.swap(0, LAX) } else { live };
        if now != at_snapshot {
            to.fetch_add(now.wrapping_sub(at_snapshot), LAX);
        }
    };
    let byte = |from: &AtomicU8, to: &AtomicU8| {
        let (live, initial) = (from.load(LAX), kind.initial());
        if live != initial {
            kind.combine(if clear { from.swap(initial, LAX) } else { live }, to);
        }
    };
    // SAFETY: the caller passes memory of the same size, writable where it is written, aligned for words.
    unsafe { each(kind, from, to, word, byte) }
}

/// Calls `word` or `byte`, by the kind, with each element of `from` and its counterpart in `to`. Skips an incomplete word at the end.
///
/// # Safety
/// `from`, and as many bytes at `to`, must be mapped memory. Words must be aligned.
unsafe fn each(
    kind: CountKind,
    from: Span,
    to: *mut u8,
    word: impl Fn(&AtomicU64, &AtomicU64),
    byte: impl Fn(&AtomicU8, &AtomicU8),
) {
    let start = from.start.cast_mut();
    if kind == CountKind::Words {
        for at in (0..from.len & !7).step_by(8) {
            let (from, to) = (start.wrapping_add(at).cast(), to.wrapping_add(at).cast());
            // SAFETY: `at` is within `from.len`, so both words are in the caller's memory, which the caller has aligned.
            unsafe { word(AtomicU64::from_ptr(from), AtomicU64::from_ptr(to)) };
        }
    } else {
        for at in 0..from.len {
            // SAFETY: `at` is below `from.len`, so both bytes are in the caller's memory.
            unsafe { byte(AtomicU8::from_ptr(start.wrapping_add(at)), AtomicU8::from_ptr(to.wrapping_add(at))) };
        }
    }
}

pub mod snapshot {
    //! A snapshot of counters and bitmaps, from which a continuous file is filled.

    #![allow(unsafe_code)]

    use super::CountKind;
    use crate::error::Result;
    use crate::merge::pages::Pages;
    use crate::reset::fill;
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
        pub fn take(&mut self, image: &Image, counters: CountKind, initial: InitialCounts) -> Result {
            take(&mut self.counters, counters, image.counters, initial)?;
            take(&mut self.bitmap, CountKind::Bits, image.bitmap, initial)
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

    /// Copies a section, or clears the copy.
    #[inline(never)]
    fn take(copy: &mut Pages, kind: CountKind, live: Span, initial: InitialCounts) -> Result {
        copy.renew(live.len)?;
        let start = copy.bytes_mut().as_mut_ptr();
        // SAFETY: a section of the image, and pages that have as many bytes.
        unsafe {
            match initial {
                InitialCounts::Live => super::copy(kind, live, start),
                InitialCounts::Cleared => fill(Span { start, len: live.len }, kind.initial()),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(words: &[u64]) -> Span {
        Span { start: words.as_ptr().cast(), len: size_of_val(words) }
    }

    #[test]
    fn what_was_counted_meanwhile_is_added_once() {
        let (mut live, mut then, mut new) = ([5, 7, u64::MAX], [0u64; 3], [0u64; 3]);
        // SAFETY: arrays of the same length.
        unsafe {
            copy(CountKind::Words, span(&live), then.as_mut_ptr().cast());
            copy(CountKind::Words, span(&then), new.as_mut_ptr().cast());
            live[1] += 3;
            live[2] = live[2].wrapping_add(2);
            new[0] += 100;
            add(CountKind::Words, span(&live), then.as_ptr().cast(), new.as_mut_ptr().cast(), false);
            assert_eq!(new, [105, 10, 1]);
            // Moved: the place it came from is empty, and a second time nothing is left.
            add(CountKind::Words, span(&live), then.as_ptr().cast(), new.as_mut_ptr().cast(), true);
            assert_eq!((live, new), ([0; 3], [105, 13, 3]));
            add(CountKind::Words, span(&live), core::ptr::null(), new.as_mut_ptr().cast(), true);
            assert_eq!(new, [105, 13, 3]);
        }
    }

    #[test]
    fn bytes_are_covered_or_set() {
        let (mut covered, mut bits) = ([0xffu8, 0, 0xff], [1u8, 0, 4]);
        let (mut to_covered, mut to_bits) = ([0xffu8, 0xff, 0], [2u8, 0, 0]);
        // SAFETY: arrays of the same length, written through pointers of their own.
        unsafe {
            let from = Span { start: covered.as_mut_ptr(), len: 3 };
            add(CountKind::Covered, from, core::ptr::null(), to_covered.as_mut_ptr(), true);
            assert_eq!((to_covered, covered), ([0xff, 0, 0], [0xff; 3]));
            let from = Span { start: bits.as_mut_ptr(), len: 3 };
            add(CountKind::Bits, from, core::ptr::null(), to_bits.as_mut_ptr(), true);
            assert_eq!((to_bits, bits), ([3, 0, 4], [0; 3]));
        }
    }
}
