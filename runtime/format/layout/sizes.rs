//! Sizes that need no plan.

use crate::WordSize;
use crate::error::FormatError;

/// Returns the size of a vtable record: u64 hash, pointer, u32 size, padded to a multiple of 8.
#[inline]
pub const fn vtable_size(word: WordSize) -> u64 {
    match word {
        WordSize::W64 => 24,
        WordSize::W32 => 16,
    }
}

/// Returns the size of a binary id's entry: the length as `u64`, `len` bytes, zeros up to a multiple of 8. The largest number on overflow.
#[inline]
pub const fn binary_id_size(len: u64) -> u64 {
    match padding(len, 8) {
        Some(zeros) => len.saturating_add(zeros).saturating_add(8),
        None => u64::MAX,
    }
}

/// Returns the number of zero bytes after `len` bytes up to a multiple of `unit`, or `None` on overflow.
#[inline]
pub const fn padding(len: u64, unit: u64) -> Option<u64> {
    match len.checked_next_multiple_of(unit) {
        Some(padded) => Some(padded.wrapping_sub(len)),
        None => None,
    }
}

/// Returns what [`padding`] returns.
#[inline]
pub(super) fn pad_to(len: u64, unit: u64) -> Result<u64, FormatError> {
    padding(len, unit).ok_or(FormatError::Overflow)
}

/// Returns the number of entries of `size` bytes in `len` bytes, of which the last may be truncated.
#[inline]
pub const fn entries(len: u64, size: u64) -> u64 {
    match len.checked_add(size.saturating_sub(1)) {
        Some(up) => match up.checked_div(size) {
            Some(count) => count,
            None => 0,
        },
        None => 0,
    }
}
