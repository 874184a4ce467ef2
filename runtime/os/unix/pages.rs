//! Advice to the kernel about mapped pages, and their size.

#![allow(unsafe_code)]

use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::auxv::auxv;
use super::{file, kernel};

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
            super::tell(error);
            -1
        }
    }
}

/// Start addresses of the memory that was prefetched. A dump has few sections of that size.
static PREFETCHED: [AtomicUsize; 4] = [const { AtomicUsize::new(0) }; 4];

/// Asks the kernel to load untouched pages between two addresses at once, for reading. An old kernel ignores it. Not repeated for the same
/// start, since the kernel would check each page that is in memory already.
pub fn prefetch(start: usize, len: usize) {
    if PREFETCHED.iter().any(|known| known.load(Ordering::Relaxed) == start) {
        return;
    }
    let free = |place: &&AtomicUsize| place.load(Ordering::Relaxed) == 0;
    if let Some(place) = PREFETCHED.iter().find(free) {
        place.store(start, Ordering::Relaxed);
    }
    let size = page_size();
    let first = start & !size.wrapping_sub(1);
    let end = start.saturating_add(len);
    if len >= LEAST_ASKED && are_there(first, end.wrapping_sub(first), size) {
        return;
    }
    // SAFETY: the contents stay as they are.
    unsafe { kernel::madvise(ptr::without_provenance_mut(first), end.wrapping_sub(first), libc::MADV_POPULATE_READ) };
}

/// Of less it takes longer to ask what is there than to have it brought.
const LEAST_ASKED: usize = 1 << 20;
/// Pages that stand for all others.
const SAMPLES: usize = 16;

/// Whether a few of the pages from `first` on, evenly spread, are in memory. (To go through all of them in vain takes a tenth of the
/// time that it takes to write them.)
fn are_there(first: usize, len: usize, size: usize) -> bool {
    const PRESENT: u64 = 1 << 63;
    let Ok(map) = file::open_for_reading(c"/proc/self/pagemap".into()) else { return false };
    let page_at = |address: usize| (address >> (size.trailing_zeros() & 63)) as u64;
    for sample in 0..SAMPLES {
        let mut entry = [0; 8];
        let place = page_at(first.wrapping_add((len / SAMPLES).wrapping_mul(sample))).wrapping_mul(8);
        if map.read_at(&mut entry, place) != Ok(8) || u64::from_ne_bytes(entry) & PRESENT == 0 {
            return false;
        }
    }
    true
}

/// Returns the size of a page.
pub fn page_size() -> usize {
    auxv(libc::AT_PAGESZ).filter(|size| size.is_power_of_two()).unwrap_or(4096)
}
