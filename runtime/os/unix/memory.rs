//! Memory from the system. Apart from `pages`, which asks the C library: programs without one that count values need this.

#![allow(unsafe_code)]

use core::ptr;

use super::kernel;

/// At least `len` fresh zeroed bytes, page-aligned, or `None`.
pub fn map_pages(len: usize) -> Option<*mut u8> {
    // SAFETY: an anonymous private mapping at an address of the system's choice touches nothing that exists.
    let start = unsafe {
        kernel::mmap(
            ptr::null_mut(),
            len,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    kernel::checked(start).ok().map(ptr::with_exposed_provenance_mut)
}

/// Gives back what [`map_pages`] or [`super::map_file`] gave; the caller has no pointer into it any more.
pub fn unmap_pages(start: *mut u8, len: usize) {
    // SAFETY: only called with mappings of these functions, by their sole owner.
    unsafe { kernel::munmap(start.cast(), len) };
}
