//! A 64-bit number for CPUs whose atomic instructions end at 32 bits: its two words, and a carry between them.
//!
//! Concurrent additions lose nothing: each wrap of the low word happens in exactly one addition, and that one adds the carry to the high word.
//! Between its two steps a reader sees a number that is 2^32 too small; this never happens while the number is below 2^32.

use super::{AtomicU32, Ordering};

/// A 64-bit number, laid out as a `u64` is.
#[repr(C, align(8))]
pub struct AtomicU64 {
    #[cfg(target_endian = "big")]
    high: AtomicU32,
    low: AtomicU32,
    #[cfg(target_endian = "little")]
    high: AtomicU32,
}

impl AtomicU64 {
    /// Creates a number.
    pub const fn new(value: u64) -> AtomicU64 {
        AtomicU64 { low: AtomicU32::new(value as u32), high: AtomicU32::new((value >> 32) as u32) }
    }

    /// Returns the number that is stored at an address.
    ///
    /// # Safety
    /// - `number` must be valid and aligned for reads and writes as long as the reference lives.
    /// - Meanwhile all other accesses must be atomic, or those of compiler-generated code that counts.
    #[allow(unsafe_code)]
    pub const unsafe fn from_ptr<'a>(number: *mut u64) -> &'a AtomicU64 {
        // SAFETY: the caller passes a valid, aligned pointer; the layout is that of a `u64`.
        unsafe { &*number.cast() }
    }

    /// Returns the number. Reads again if the high word changed meanwhile. A carry that is not added yet is missing (see the module).
    #[inline]
    pub fn load(&self, _order: Ordering) -> u64 {
        loop {
            let high = self.high.load(Ordering::Acquire);
            let low = self.low.load(Ordering::Acquire);
            // The high word changes once in 2^32 additions: who has to look again does so once.
            if self.high.load(Ordering::Relaxed) == high {
                return whole(high, low);
            }
        }
    }

    /// Sets the number. An addition at the same time may come between the words.
    #[inline]
    pub fn store(&self, value: u64, order: Ordering) {
        self.high.store((value >> 32) as u32, order);
        self.low.store(value as u32, order);
    }

    /// Adds, and returns what was there before.
    #[inline]
    pub fn fetch_add(&self, by: u64, order: Ordering) -> u64 {
        let low = self.low.fetch_add(by as u32, order);
        let (_, carry) = low.overflowing_add(by as u32);
        let more = ((by >> 32) as u32).wrapping_add(u32::from(carry));
        let high = if more == 0 { self.high.load(order_of_load(order)) } else { self.high.fetch_add(more, order) };
        whole(high, low)
    }
}

/// Returns the number with these words.
#[inline]
fn whole(high: u32, low: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// Returns the order of the read in a read-modify-write with this order.
fn order_of_load(order: Ordering) -> Ordering {
    match order {
        Ordering::Relaxed | Ordering::Release => Ordering::Relaxed,
        Ordering::SeqCst => Ordering::SeqCst,
        _ => Ordering::Acquire,
    }
}
