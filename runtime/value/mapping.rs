//! Maps pages for values. While the system refuses, it is asked ever more rarely: a system call for each count would take most of the time.

use crate::os;
use crate::sync::{AtomicUsize, Ordering};

/// How often pages for one use were not mapped since the last success.
#[derive(Debug)]
pub struct Refusals(AtomicUsize);

/// The largest number of refusals between two questions to the system.
const MOST: usize = 1024;

impl Refusals {
    /// Creates a counter without refusals.
    pub const fn new() -> Refusals {
        Refusals(AtomicUsize::new(0))
    }

    /// Maps `len` zeroed bytes.
    #[cold]
    pub fn map(&self, len: usize) -> Option<*mut u8> {
        let refused = self.0.load(Ordering::Relaxed);
        let pages = if is_time_to_ask(refused) { os::map_pages(len) } else { None };
        // Threads may lose an addition here, which does no harm.
        self.0.store(if pages.is_some() { 0 } else { refused.wrapping_add(1) }, Ordering::Relaxed);
        pages
    }
}

/// Returns whether to ask the system after this number of refusals: 0, the powers of two, and the multiples of [`MOST`].
fn is_time_to_ask(refused: usize) -> bool {
    refused & refused.wrapping_sub(1) == 0 || refused.is_multiple_of(MOST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_ever_more_rarely() {
        assert!((0..=64).filter(|refused| is_time_to_ask(*refused)).eq([0, 1, 2, 4, 8, 16, 32, 64]));
        assert!((1025..9000).filter(|refused| is_time_to_ask(*refused)).eq((2..9).map(|many| many * 1024)));
    }
}
