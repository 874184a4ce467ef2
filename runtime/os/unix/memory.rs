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

/// Maps the first `len` bytes of a file for reading. The bytes change with the file, and those after its end must not be read.
pub fn map_file(fd: c_int, len: usize) -> Result<*mut u8> {
    map(len, libc::PROT_READ, libc::MAP_SHARED, fd, 0)
}

/// Maps a file or memory at an address of the system's choice.
pub(super) fn map(len: usize, access: c_int, flags: c_int, fd: c_int, offset: u64) -> Result<*mut u8> {
    // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
    let start = unsafe { kernel::mmap(ptr::null_mut(), len, access, flags, fd, offset as libc::off_t) };
    kernel::checked(start).map(ptr::with_exposed_provenance_mut)
}

/// Unmaps memory of [`map_pages`] or [`map_file`], into which the caller has no pointers any more.
pub fn unmap_pages(start: *mut u8, len: usize) {
    // SAFETY: only called with mappings of these functions, by their sole owner.
    unsafe { kernel::munmap(start.cast(), len) };
}

pub mod pages {
    //! Releases mapped pages, and their size.

    #![allow(unsafe_code)]

    use core::ptr;

    use super::super::kernel::{self, libc};
    use super::super::process::auxv;

    /// Releases the memory of the whole pages between two addresses, whose contents are not needed any more. Returns 0, or -1.
    ///
    /// # Safety
    /// The contents of the whole pages in the range must not be needed any more.
    #[inline]
    pub unsafe fn release_pages(begin: usize, end: usize) -> i32 {
        // A power of two.
        let mask = page_size().wrapping_sub(1);
        let first = begin.wrapping_add(mask) & !mask;
        let last = end & !mask;
        if last <= first {
            return 0;
        }
        // SAFETY: the contents of the whole pages are not needed any more by this function's contract.
        let result = unsafe { kernel::madvise(ptr::without_provenance_mut(first), last - first, libc::MADV_DONTNEED) };
        match kernel::checked(result) {
            Ok(_) => 0,
            Err(error) => {
                crate::os::set_errno(error);
                -1
            }
        }
    }

    /// Returns the size of a page.
    pub fn page_size() -> usize {
        auxv(libc::AT_PAGESZ)
    }
}
