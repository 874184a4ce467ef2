//! A part of a file, read as if it was a file: a member of an archive, or a slice of a universal file.

use std::ops::Range;

use object::ReadRef;

/// The most bytes of a text, as of the name of a section: hostile files have a million of them that end nowhere.
const LONGEST: u64 = 256;

/// A part of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<F> {
    file: F,
    start: u64,
    pub(super) size: u64,
}

impl<'a, F: ReadRef<'a>> Part<F> {
    /// Returns all of a file.
    pub(super) fn whole(file: F) -> Part<F> {
        Part { file, start: 0, size: file.len().unwrap_or(0) }
    }

    /// Returns a part of this one; `None`: it does not have so much.
    pub(super) fn part(self, start: u64, size: u64) -> Option<Part<F>> {
        let is_inside = start.checked_add(size).is_some_and(|end| end <= self.size);
        is_inside.then_some(Part { start: self.start.saturating_add(start), size, ..self })
    }
}

impl<'a, F: ReadRef<'a>> ReadRef<'a> for Part<F> {
    fn len(self) -> Result<u64, ()> {
        Ok(self.size)
    }

    fn read_bytes_at(self, offset: u64, size: u64) -> Result<&'a [u8], ()> {
        let part = self.part(offset, size).ok_or(())?;
        self.file.read_bytes_at(part.start, size)
    }

    fn read_bytes_at_until(self, range: Range<u64>, delimiter: u8) -> Result<&'a [u8], ()> {
        let size = range.end.checked_sub(range.start).ok_or(())?;
        let part = self.part(range.start, size).ok_or(())?;
        let end = part.start.saturating_add(size.min(LONGEST));
        self.file.read_bytes_at_until(part.start..end, delimiter)
    }
}
