//! Memory for the time of a merge: mapped pages, given back when dropped.

#![allow(unsafe_code)]

use core::ptr;

#[cfg(feature = "hosted")]
use crate::error::{Error, Result};
use crate::os;

/// Zeroed memory of our own, aligned to pages.
#[derive(Debug)]
pub struct Pages {
    start: *mut u64,
    /// Bytes.
    len: usize,
}

impl Pages {
    /// No memory.
    pub const EMPTY: Pages = Pages { start: ptr::dangling_mut(), len: 0 };

    /// `len` zero bytes, or `None` where the system has no memory.
    pub fn new(len: usize) -> Option<Pages> {
        if len == 0 {
            return Some(Pages::EMPTY);
        }
        Some(Pages { start: os::map_pages(len)?.cast(), len })
    }

    /// The bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: a mapping of this many bytes that is only ours, or no bytes.
        unsafe { core::slice::from_raw_parts(self.start.cast(), self.len) }
    }

    /// The bytes, to be written.
    #[inline]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { core::slice::from_raw_parts_mut(self.start.cast(), self.len) }
    }

    /// The whole words of them.
    #[inline]
    pub fn words(&self) -> &[u64] {
        // SAFETY: as above, aligned to pages or at least for words; every pattern is a number.
        unsafe { core::slice::from_raw_parts(self.start, self.len / 8) }
    }

    /// The whole words of them, to be written.
    #[inline]
    pub fn words_mut(&mut self) -> &mut [u64] {
        // SAFETY: as above.
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

/// So many bytes, or the error that there is no memory.
#[cfg(feature = "hosted")]
pub fn pages(len: usize) -> Result<Pages> {
    Pages::new(len).ok_or(Error::ENOMEM)
}
