//! The functions that the object files of this image have registered. Constructors register them, so the loader's lock or the start of the
//! program excludes two registrations at once; a pass may read the list meanwhile.

#![allow(unsafe_code)]

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::os;

/// The size of the first mapping: one page.
const MAPPED: usize = 4096 / size_of::<usize>();

/// A function of an object file.
pub type Function = extern "C" fn();

/// A list of functions, the one that was registered first in front.
///
/// Invariant: `table` is null, or has at least `capacity` entries and lives until the image goes; its first `len` entries
/// are addresses of functions of the type [`Function`].
pub struct Functions {
    len: AtomicUsize,
    capacity: AtomicUsize,
    table: AtomicPtr<AtomicUsize>,
}

impl Functions {
    /// Creates an empty list.
    pub const fn new() -> Functions {
        Functions { len: AtomicUsize::new(0), capacity: AtomicUsize::new(0), table: AtomicPtr::new(ptr::null_mut()) }
    }

    /// Returns the memory of the list.
    fn entries(&self) -> &[AtomicUsize] {
        let capacity = self.capacity.load(Ordering::Acquire);
        let table = self.table.load(Ordering::Acquire);
        if table.is_null() {
            return &[];
        }
        // SAFETY: by the invariant. `grow` stores the table before its capacity, so this table has at least `capacity` entries; a table that is
        // replaced stays mapped.
        unsafe { core::slice::from_raw_parts(table, capacity) }
    }

    /// Appends a function. Returns whether there was memory for it.
    pub fn push(&self, function: Function) -> bool {
        let len = self.len.load(Ordering::Relaxed);
        if len == self.entries().len() && !self.grow(len) {
            return false;
        }
        if let Some(entry) = self.entries().get(len) {
            entry.store(function as usize, Ordering::Relaxed);
            self.len.store(len.wrapping_add(1), Ordering::Release);
        }
        true
    }

    /// Copies the list into a larger mapping. The old one stays mapped, for a pass may be reading it.
    #[cold]
    fn grow(&self, len: usize) -> bool {
        let capacity = len.saturating_mul(2).max(MAPPED);
        let Some(pages) = os::map_pages(capacity.saturating_mul(size_of::<usize>())) else { return false };
        let table = pages.cast::<AtomicUsize>();
        // SAFETY: a new mapping of that many zeroed, aligned words, which nobody else has yet.
        let larger = unsafe { core::slice::from_raw_parts(table, capacity) };
        let mut to = larger.iter();
        for from in self.entries() {
            if let Some(to) = to.next() {
                to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
            }
        }
        // `entries` reads them in the opposite order.
        self.table.store(table, Ordering::Release);
        self.capacity.store(capacity, Ordering::Release);
        true
    }

    /// Calls all functions.
    pub fn call(&self) {
        let len = self.len.load(Ordering::Acquire);
        for entry in self.entries().iter().take(len) {
            // SAFETY: an entry below `len` is the address of a `Function`, by the invariant.
            let function = unsafe { core::mem::transmute::<usize, Function>(entry.load(Ordering::Relaxed)) };
            function();
        }
    }

    /// Removes all functions.
    pub fn clear(&self) {
        self.len.store(0, Ordering::Release);
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len.load(Ordering::Relaxed) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static CALLS: AtomicUsize = AtomicUsize::new(0);

    extern "C" fn count() {
        CALLS.fetch_add(1, Ordering::Relaxed);
    }

    #[test]
    fn all_are_called_however_many_there_are() {
        let functions = Functions::new();
        for at in 1..=3000 {
            assert!(functions.push(count));
            if matches!(at, 1 | 32 | 33 | 512 | 513 | 3000) {
                CALLS.store(0, Ordering::Relaxed);
                functions.call();
                assert_eq!(CALLS.load(Ordering::Relaxed), at);
            }
        }
        functions.clear();
        assert!(functions.is_empty());
        functions.call();
        assert_eq!(CALLS.load(Ordering::Relaxed), 3000);
    }
}
