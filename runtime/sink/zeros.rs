//! Finds long sequences of zeros in what is written: most counters of most programs are 0.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::span::Span;

/// Granularity of holes in files.
const PAGE: usize = 4096;
/// Length of the shortest sequence that becomes a hole: a shorter one does not pay for the two system calls that skip it.
pub const LEAST: usize = 4 * PAGE;

/// Finds the first sequence of zeros that may become a hole when `span` is written at offset `at` of a file. Returns the number of bytes
/// before it, and its length: whole pages of the file.
///
/// # Safety
/// The span must be readable. Its bytes may change meanwhile.
pub unsafe fn first_zeros(span: Span, at: u64) -> Option<(usize, usize)> {
    let before = (at.wrapping_neg() % PAGE as u64) as usize;
    if !span.start.wrapping_add(before).addr().is_multiple_of(align_of::<usize>()) {
        return None;
    }
    let mut zeros: usize = 0;
    let mut next = before;
    while next.checked_add(PAGE).is_some_and(|end| end <= span.len) {
        // SAFETY: a page inside of the span, aligned for words.
        if unsafe { is_zero(span.start.wrapping_add(next)) } {
            zeros = zeros.wrapping_add(PAGE);
        } else {
            if zeros >= LEAST {
                break;
            }
            zeros = 0;
        }
        next = next.wrapping_add(PAGE);
    }
    (zeros >= LEAST).then(|| (next.wrapping_sub(zeros), zeros))
}

/// Returns whether all bytes of a page are 0.
///
/// # Safety
/// The page must be readable and aligned for words.
unsafe fn is_zero(page: *const u8) -> bool {
    // SAFETY: readable and aligned by this function's contract. Atomic, since threads may count in the page.
    let words = unsafe { core::slice::from_raw_parts(page.cast::<AtomicUsize>(), PAGE / size_of::<usize>()) };
    words.iter().all(|word| word.load(Ordering::Relaxed) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec;

    fn of(bytes: &[u8], at: u64) -> Option<(usize, usize)> {
        // SAFETY: a slice.
        unsafe { first_zeros(Span::of(bytes), at) }
    }

    #[test]
    fn whole_pages_of_the_file() {
        // Aligned for words, as sections are.
        let mut words = vec![0u64; 16 * PAGE / 8];
        // SAFETY: the vector's own bytes, which are numbers in any pattern.
        let bytes = unsafe { core::slice::from_raw_parts_mut(words.as_mut_ptr().cast::<u8>(), 16 * PAGE) };
        assert_eq!(of(bytes, 0), Some((0, 16 * PAGE)));
        assert_eq!(of(bytes, 16), Some((PAGE - 16, 15 * PAGE)));
        bytes[5 * PAGE] = 1;
        assert_eq!(of(bytes, 0), Some((0, 5 * PAGE)));
        assert_eq!(of(&bytes[5 * PAGE..], 0), Some((PAGE, 10 * PAGE)));
        bytes[2 * PAGE + 4095] = 1;
        assert_eq!(of(bytes, 0), Some((6 * PAGE, 10 * PAGE)));
        assert_eq!(of(&bytes[..LEAST - 1], 0), None);
        assert_eq!(of(&bytes[6 * PAGE..6 * PAGE + LEAST], 0), Some((0, LEAST)));
        // The file's pages are not those of memory.
        assert_eq!(of(&bytes[6 * PAGE..6 * PAGE + LEAST], 8), None);
        assert_eq!(of(&bytes[..0], 7), None);
        // Words are aligned where the first page begins, or nowhere.
        assert_eq!(of(&bytes[1..], 0), None);
        assert_eq!(of(bytes, 1), None);
        assert_eq!(of(&bytes[6 * PAGE + 1..], 1), Some((PAGE - 1, 9 * PAGE)));
        // The shortest one that counts, between others.
        bytes[10 * PAGE] = 1;
        assert_eq!(of(bytes, 0), Some((6 * PAGE, LEAST)));
    }
}
