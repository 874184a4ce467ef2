//! Maps memory. A file of its own, since programs without a C library that count values need only this, not `pages`.

#![allow(unsafe_code)]

use core::ptr;

use super::kernel;

/// Maps at least `len` zeroed bytes at a page boundary. Returns `None` where there is no memory.
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

/// Unmaps memory of [`map_pages`] or [`super::map_file`], into which the caller has no pointers any more.
pub fn unmap_pages(start: *mut u8, len: usize) {
    // SAFETY: only called with mappings of these functions, by their sole owner.
    unsafe { kernel::munmap(start.cast(), len) };
}
