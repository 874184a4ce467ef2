//! Memory for the time of a merge: mapped pages.

#![allow(unsafe_code)]

use core::ptr;

#[cfg(feature = "hosted")]
use crate::error::{Error, Result};
use crate::os;

/// Zeroed memory of our own, aligned to pages. Unmapped when dropped.
#[derive(Debug)]
pub struct Pages {
    start: *mut u64,
    /// Size in bytes.
    len: usize,
}

impl Pages {
    /// No memory.
    pub const EMPTY: Pages = Pages { start: ptr::dangling_mut(), len: 0 };

    /// Maps `len` zero bytes. `None` where the system has no memory.
    pub fn new(len: usize) -> Option<Pages> {
        if len == 0 {
            return Some(Pages::EMPTY);
        }
        Some(Pages { start: os::map_pages(len)?.cast(), len })
    }

    /// Returns the bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: a mapping of this many bytes that is only ours, or no bytes.
        unsafe { core::slice::from_raw_parts(self.start.cast(), self.len) }
    }

    /// Returns the bytes for writing.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: a mapping of this many bytes that is only ours, or no bytes.
        unsafe { core::slice::from_raw_parts_mut(self.start.cast(), self.len) }
    }

    /// Returns the bytes as complete words.
    #[inline]
    pub fn words(&self) -> &[u64] {
        // SAFETY: a mapping of this many bytes that is only ours, or no bytes; aligned for words, and every pattern is a number.
        unsafe { core::slice::from_raw_parts(self.start, self.len / 8) }
    }

    /// Returns the bytes as complete words for writing.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: a mapping of this many bytes that is only ours, or no bytes; aligned for words, and every pattern is a number.
        unsafe { core::slice::from_raw_parts_mut(self.start, self.len / 8) }
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
