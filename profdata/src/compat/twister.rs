//! The random numbers with which LLVM chooses temporal traces: the 32-bit Mersenne Twister with its default seed.

use rand_mt::Mt;

/// `std::mt19937`.
#[derive(Clone, Debug, Default)]
pub(super) struct Twister(Mt);

impl Twister {
    /// Returns a number from 0 to `last`, as libstdc++'s `std::uniform_int_distribution` (GCC 11 and later).
    pub(super) fn up_to(&mut self, last: u64) -> u64 {
        let Ok(last) = u32::try_from(last) else { return self.up_to_wide(last) };
        let Some(range) = last.checked_add(1) else { return u64::from(self.0.next_u32()) };
        // Lemire's method: the high half of a product, without the products that would favor some numbers.
        let mut product = u64::from(self.0.next_u32()) * u64::from(range);
        if (product as u32) < range {
            let threshold = range.wrapping_neg() % range;
            while (product as u32) < threshold {
                product = u64::from(self.0.next_u32()) * u64::from(range);
            }
        }
        product >> 32
    }

    /// The same for numbers of 33 bits and more: the high half first, then the low half, until the number is not too large.
    fn up_to_wide(&mut self, last: u64) -> u64 {
        loop {
            let high = self.up_to(last >> 32) << 32;
            let number = high | u64::from(self.0.next_u32());
            if number <= last {
                return number;
            }
        }
    }

    /// Shuffles as `llvm::shuffle`.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for first in 0..items.len().saturating_sub(1) {
            let left = (items.len() - first) as u64;
            items.swap(first, first + (u64::from(self.0.next_u32()) % left) as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The C++ standard gives the 10,000th number of the default generator.
    #[test]
    fn the_ten_thousandth_number_is_right() {
        let mut twister = Twister::default();
        let last = (0..10_000).map(|_| twister.0.next_u32()).last();
        assert_eq!(last, Some(4_123_659_995));
    }

    #[test]
    fn numbers_stay_below_the_limit() {
        let mut twister = Twister::default();
        for last in [0, 1, 99, u64::from(u32::MAX) - 1, u64::from(u32::MAX), 1 << 40, u64::MAX] {
            assert!((0..1000).all(|_| twister.up_to(last) <= last));
        }
    }
}
