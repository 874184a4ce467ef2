//! Releases mapped pages, and their size.

#![allow(unsafe_code)]

use core::ptr;

use super::kernel::{self, libc};
use super::process::auxv;

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
            super::set_errno(error);
            -1
        }
    }
}

/// Returns the size of a page.
pub fn page_size() -> usize {
    auxv(libc::AT_PAGESZ)
}
