//! Maps zeroed memory for a merge, and for a contribution, which lives until the next write.

#![allow(unsafe_code)]

use core::ptr;

use crate::error::{Error, Result};
use crate::os;

#[cfg(feature = "hosted")]
const NO_MEMORY: Error = Error::ENOMEM;
#[cfg(not(feature = "hosted"))]
const NO_MEMORY: Error = Error::NO_SPACE;

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

    /// Maps `len` zero bytes. Error: the system has no memory.
    pub fn new(len: usize) -> Result<Pages> {
        let mut pages = Pages::EMPTY;
        pages.renew(len).map(|()| pages)
    }

    /// Maps `len` zero bytes, which replace those that were there. Error: the system has no memory.
    pub fn renew(&mut self, len: usize) -> Result {
        let start = if len == 0 { ptr::null_mut() } else { os::map_pages(len).ok_or(NO_MEMORY)? };
        *self = Pages { start: start.cast(), len };
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

    /// Returns the bytes from the byte `at` on, for writing.
    #[cfg(feature = "hosted")]
    pub fn rest(&mut self, at: usize) -> &mut [u8] {
        self.bytes_mut().get_mut(at..).unwrap_or_default()
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
