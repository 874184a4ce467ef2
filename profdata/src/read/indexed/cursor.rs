//! A place in the input that moves forward and never past the end.

use crate::error::{Error, ErrorKind};

/// What is left to read of a range of the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
    /// Where the range ends, from the start of the input.
    end: usize,
}

impl<'a> Cursor<'a> {
    /// Returns a cursor at the start of `bytes`, which end at `end`.
    pub(crate) fn new(bytes: &'a [u8], end: usize) -> Cursor<'a> {
        Cursor { rest: bytes, end }
    }

    /// Returns a cursor over a range of the whole input; an empty one if the range is not in it.
    pub(crate) fn of_range(input: &'a [u8], start: usize, end: usize) -> Cursor<'a> {
        Cursor { rest: input.get(start..end).unwrap_or(&[]), end }
    }

    /// Returns the place, from the start of the input.
    pub(crate) fn offset(&self) -> usize {
        self.end.wrapping_sub(self.rest.len())
    }

    /// Returns what is left.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the next `len` bytes and moves past them.
    pub(crate) fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(taken)
    }

    /// Returns the bytes of the next `count` items of `size` bytes each.
    pub(crate) fn take_items(&mut self, count: u64, size: usize) -> Option<&'a [u8]> {
        self.take(usize::try_from(count).ok()?.checked_mul(size)?)
    }

    /// Moves over `len` bytes and the zero bytes that make them a multiple of 8.
    pub(crate) fn take_padded(&mut self, len: u64) -> Option<&'a [u8]> {
        let len = usize::try_from(len).ok()?;
        let padded = self.take(len.checked_next_multiple_of(8)?)?;
        padded.get(..len)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u16::from_le_bytes(*bytes))
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u32::from_le_bytes(*bytes))
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        let (bytes, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u64::from_le_bytes(*bytes))
    }

    /// Returns the error that this place's field reaches past the end.
    #[cold]
    pub(crate) fn too_short(&self, field: &'static str) -> Error {
        Error::new(ErrorKind::Truncated, field)
            .at(self.offset() as u64)
            .found(format_args!("{} bytes", self.rest.len()))
    }

    /// Returns the error that a size or count before this place is larger than what is left.
    #[cold]
    pub(crate) fn too_large(&self, field: &'static str, found: u64) -> Error {
        Error::new(ErrorKind::TooLarge, field)
            .at(self.offset() as u64)
            .expected(format_args!("what fits in {} bytes", self.rest.len()))
            .found(found)
    }

    /// Returns the error that this place's field contradicts others.
    #[cold]
    pub(crate) fn malformed(&self, field: &'static str) -> Error {
        Error::new(ErrorKind::Malformed, field).at(self.offset() as u64)
    }
}

/// Returns the numbers in bytes whose length is a multiple of 8.
pub(crate) fn words(bytes: &[u8]) -> impl ExactSizeIterator<Item = u64> + DoubleEndedIterator + '_ {
    bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word))
}
