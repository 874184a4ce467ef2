//! Bounds of what objects have registered (`abi::register`): the control records, their counters and the function names.

use crate::span::Span;
use crate::sync::{AtomicUsize, Ordering};

/// Bounds of one section: the lowest address, and the end of the highest object; 0 while nothing is registered.
pub struct Bounds {
    from: AtomicUsize,
    to: AtomicUsize,
}

impl Bounds {
    /// Creates empty bounds.
    pub const fn new() -> Bounds {
        Bounds { from: AtomicUsize::new(0), to: AtomicUsize::new(0) }
    }

    /// Extends the bounds to the `len` bytes at `from`. Constructors call it one after the other, before there are threads.
    pub fn grow(&self, from: usize, len: usize) {
        let known = self.from.load(Ordering::Relaxed);
        if known == 0 || from < known {
            self.from.store(from, Ordering::Relaxed);
        }
        let end = from.wrapping_add(len);
        if end > self.to.load(Ordering::Relaxed) {
            self.to.store(end, Ordering::Relaxed);
        }
    }

    /// Returns the bytes from the lowest to the highest address.
    #[inline(always)]
    pub fn span(&self) -> Span {
        Span::between(self.from.load(Ordering::Relaxed) as *const u8, self.to.load(Ordering::Relaxed) as *const u8)
    }
}

/// Index of the control records' bounds in [`AllBounds`].
pub const DATA: usize = 0;
/// Index of the counters' bounds in [`AllBounds`].
pub const COUNTERS: usize = 1;
/// Index of the function names' bounds in [`AllBounds`].
pub const NAMES: usize = 2;

/// The bounds of everything that objects of this image have registered.
pub type AllBounds = [Bounds; 3];
