//! Maps memory and files. Programs without a C library that count values need this, and not `pages`.

#![allow(unsafe_code)]

use core::ffi::c_int;
use core::ptr;

use super::kernel::{self, libc};
use crate::error::Result;

/// Files can be mapped in the place of memory.
pub const MAPS_FILES: bool = !cfg!(target_os = "macos");

/// Maps at least `len` zeroed bytes at a page boundary. Returns `None` where there is no memory.
pub fn map_pages(len: usize) -> Option<*mut u8> {
    map(len, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0).ok()
}

/// Maps a file or memory at an address of the system's choice.
pub(super) fn map(len: usize, access: c_int, flags: c_int, fd: c_int, offset: u64) -> Result<*mut u8> {
    // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
    let start = unsafe { kernel::mmap(ptr::null_mut(), len, access, flags, fd, offset as libc::off_t) };
    kernel::checked(start).map(ptr::with_exposed_provenance_mut)
}

/// Unmaps memory of [`map_pages`], into which the caller has no pointers any more.
pub fn unmap_pages(start: *mut u8, len: usize) {
    // SAFETY: only called with mappings of that function, by their sole owner.
    unsafe { kernel::munmap(start.cast(), len) };
}
