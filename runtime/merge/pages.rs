//! Maps zeroed memory for a merge, and for a contribution, which lives until the next write.

#![allow(unsafe_code)]

use core::ptr;

#[cfg(feature = "hosted")]
use crate::error::{Error, Result};
use crate::os;
#[cfg(feature = "hosted")]
use crate::span::Span;

/// Zeroed memory that only its owner knows, aligned to pages. Invariant: `start` is a mapping of `len` bytes, or null, and `len` is 0. Unmapped
/// when dropped.
pub struct Pages {
    start: *mut u64,
    /// Size in bytes.
    len: usize,
}

impl Pages {
    /// No memory. All zeros, so that statics with it take no bytes in the program's file.
    pub const EMPTY: Pages = Pages { start: ptr::null_mut(), len: 0 };

    /// Maps `len` zero bytes. `None` where the system has no memory.
    pub fn new(len: usize) -> Option<Pages> {
        if len == 0 {
            return Some(Pages::EMPTY);
        }
        Some(Pages { start: os::map_pages(len)?.cast(), len })
    }

    /// Maps `len` zero bytes, which replace those that were there. Error: [`Error::ENOMEM`].
    #[cfg(feature = "hosted")]
    pub fn renew(&mut self, len: usize) -> Result {
        *self = pages(len)?;
        Ok(())
    }

    /// Returns the start, for a slice.
    #[inline]
    fn start(&self) -> *mut u64 {
        if self.len == 0 { ptr::dangling_mut() } else { self.start }
    }

    /// Returns the bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: by the invariant, `start` has `len` bytes, or `len` is 0.
        unsafe { core::slice::from_raw_parts(self.start().cast(), self.len) }
    }

    /// Returns the bytes for writing.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: by the invariant, `start` has `len` bytes that nobody else knows, or `len` is 0.
        unsafe { core::slice::from_raw_parts_mut(self.start().cast(), self.len) }
    }

    /// Returns the bytes as a span.
    #[cfg(feature = "hosted")]
    #[inline]
    pub fn span(&self) -> Span {
        Span { start: self.start.cast(), len: self.len }
    }

    /// Returns the bytes as complete words.
    #[inline]
    pub fn words(&self) -> &[u64] {
        // SAFETY: by the invariant, `start` has `len` bytes, aligned to pages, or `len` is 0; every pattern is a number.
        unsafe { core::slice::from_raw_parts(self.start(), self.len / 8) }
    }

    /// Returns the bytes as complete words for writing.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: by the invariant, `start` has `len` bytes that nobody else knows, aligned to pages, or `len` is 0; every pattern is a number.
        unsafe { core::slice::from_raw_parts_mut(self.start(), self.len / 8) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.len > 0 {
            os::unmap_pages(self.start.cast(), self.len);
        }
    }
}

/// Maps `len` zero bytes. Error: [`Error::ENOMEM`].
#[cfg(feature = "hosted")]
pub fn pages(len: usize) -> Result<Pages> {
    Pages::new(len).ok_or(Error::ENOMEM)
}
