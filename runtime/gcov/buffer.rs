//! Bytes that grow, in mapped pages. No heap.

#![allow(unsafe_code)]

use crate::copy::copy;
use crate::error::{Error, Result};
use crate::merge::pages::Pages;

/// The size of the first mapping: no more pages are touched than are used.
const MAPPED: usize = 64 * 1024;

/// Bytes that grow. Invariant: `len` is at most the size of `pages`.
pub struct PageBuffer {
    len: usize,
    pages: Pages,
}

impl PageBuffer {
    /// An empty buffer.
    pub const EMPTY: PageBuffer = PageBuffer { len: 0, pages: Pages::EMPTY };

    /// Returns the bytes.
    pub fn bytes(&self) -> &[u8] {
        self.pages.bytes().get(..self.len).unwrap_or(&[])
    }

    /// Returns the bytes for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let len = self.len;
        self.pages.bytes_mut().get_mut(..len).unwrap_or_default()
    }

    /// Removes all bytes. The memory stays, for the next bytes.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Removes the bytes after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// Appends `more` bytes, whose contents are arbitrary, and returns them. Error: [`Error::ENOMEM`]; unchanged then.
    #[inline]
    pub fn extend(&mut self, more: usize) -> Result<&mut [u8]> {
        let (start, end) = (self.len, self.len.saturating_add(more));
        if end > self.pages.bytes().len() {
            self.grow(end)?;
        }
        self.len = end;
        self.pages.bytes_mut().get_mut(start..end).ok_or(Error::ENOMEM)
    }

    /// Moves the bytes to a mapping of at least `least` bytes.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, least: usize) -> Result {
        // A slice has at most `isize::MAX` bytes.
        if least > isize::MAX as usize / 4 {
            return Err(Error::ENOMEM);
        }
        let doubled = self.pages.bytes().len().saturating_mul(2);
        let mut larger = Pages::new(least.max(doubled).max(MAPPED).next_multiple_of(4096))?;
        // SAFETY: the new mapping is larger than `len`, and nobody else has it; the old memory has at least `len` bytes by the invariant.
        unsafe { copy(larger.bytes_mut().as_mut_ptr(), self.pages.bytes().as_ptr(), self.len) };
        self.pages = larger;
        Ok(())
    }
}
