//! Tells whether the memory of this process is a copy, which `fork` has made, or shared with the parent, as that of a `vfork` child. Process
//! ids do not tell: both kinds of children have ids of their own.

#![allow(unsafe_code)]

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use super::kernel;
use super::memory::{map_pages, unmap_pages};

/// The bytes of the mapping, of which the kernel makes a page.
const LEN: usize = size_of::<AtomicU32>();

/// A mapping that the kernel fills with zeros in each copy of the memory, or null. Invariant: null, or a mapping that stays.
static MARK: AtomicPtr<AtomicU32> = AtomicPtr::new(ptr::null_mut());

/// Marks the memory as this process's, until it is copied. A kernel before Linux 4.14 has no marks.
pub fn mark_memory() {
    let mut mark = MARK.load(Ordering::Acquire);
    if mark.is_null() {
        let Some(pages) = map_pages(LEN) else { return };
        // SAFETY: a mapping that nobody else has.
        let result = unsafe { kernel::madvise(pages.cast(), LEN, libc::MADV_WIPEONFORK) };
        if kernel::done(result).is_err() {
            return unmap_pages(pages, LEN);
        }
        mark = pages.cast();
        if let Err(other) = MARK.compare_exchange(ptr::null_mut(), mark, Ordering::AcqRel, Ordering::Acquire) {
            unmap_pages(pages, LEN);
            mark = other;
        }
    }
    // SAFETY: by the invariant of `MARK` a mapping that stays; it is aligned as a page is.
    unsafe { &*mark }.store(1, Ordering::Relaxed);
}

/// Returns whether the memory was copied since it was marked; `false` if it never was.
pub fn memory_is_copied() -> bool {
    let mark = MARK.load(Ordering::Acquire);
    // SAFETY: by the invariant of `MARK` null or a mapping that stays; it is aligned as a page is.
    unsafe { mark.as_ref() }.is_some_and(|mark| mark.load(Ordering::Relaxed) == 0)
}
