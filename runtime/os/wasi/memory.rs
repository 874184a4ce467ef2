//! Pages of the linear memory, which can only grow: those that are released serve the next request.
//!
//! Not the program's heap, which may be instrumented, or busy: a value hook may be called in it.

#![allow(unsafe_code)]

use core::arch::wasm32::memory_grow;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// Bytes of a page.
const PAGE: usize = 64 * 1024;

/// The head of released pages.
struct Released {
    next: *mut Released,
    pages: usize,
}

/// The first released pages; null: none.
static RELEASED: AtomicPtr<Released> = AtomicPtr::new(ptr::null_mut());

/// Returns the number of pages for `len` bytes.
fn pages_for(len: usize) -> usize {
    len.div_ceil(PAGE)
}

/// Returns at least `len` zeroed bytes at a page boundary. Returns `None` where there is no memory.
pub fn map_pages(len: usize) -> Option<*mut u8> {
    let pages = pages_for(len);
    let (mut before, mut found) = (ptr::null_mut::<Released>(), RELEASED.load(Ordering::Relaxed));
    // SAFETY: null, or the head of pages that were released, which nobody else uses.
    while let Some(released) = unsafe { found.as_ref() } {
        if released.pages == pages {
            let next = released.next;
            // SAFETY: null, or a head, too.
            match unsafe { before.as_mut() } {
                Some(before) => before.next = next,
                None => RELEASED.store(next, Ordering::Relaxed),
            }
            let start = found.cast::<u8>();
            // SAFETY: that many pages, which nobody uses.
            unsafe { start.write_bytes(0, pages.wrapping_mul(PAGE)) };
            return Some(start);
        }
        (before, found) = (found, released.next);
    }
    match memory_grow::<0>(pages) {
        usize::MAX => None,
        first => Some(ptr::with_exposed_provenance_mut(first.wrapping_mul(PAGE))),
    }
}

/// Releases pages of [`map_pages`], or of a file that was read into them.
pub fn unmap_pages(start: *mut u8, len: usize) {
    let head = start.cast::<Released>();
    // SAFETY: pages of these functions, which their sole owner gives back.
    unsafe { head.write(Released { next: RELEASED.load(Ordering::Relaxed), pages: pages_for(len) }) };
    RELEASED.store(head, Ordering::Relaxed);
}

/// Returns the size of a page.
pub fn page_size() -> usize {
    PAGE
}
