//! The random numbers with which LLVM chooses temporal traces: the 32-bit Mersenne Twister with its default seed.

const SIZE: usize = 624;
const SHIFT: usize = 397;

/// `std::mt19937`.
#[derive(Clone, Debug)]
pub(super) struct Twister {
    state: [u32; SIZE],
    next: usize,
}

impl Default for Twister {
    /// Returns the generator with the default seed, 5489.
    fn default() -> Twister {
        let mut state = [0; SIZE];
        let mut word = 5489u32;
        for (index, slot) in state.iter_mut().enumerate() {
            if index > 0 {
                word = (word ^ word >> 30).wrapping_mul(1_812_433_253).wrapping_add(index as u32);
            }
            *slot = word;
        }
        Twister { state, next: SIZE }
    }
}

impl Twister {
    /// Returns the next number.
    pub(super) fn number(&mut self) -> u32 {
        if self.next >= SIZE {
            self.refill();
        }
        let mut word = self.word(self.next);
        self.next += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    fn word(&self, index: usize) -> u32 {
        self.state.get(index % SIZE).copied().unwrap_or(0)
    }

    fn refill(&mut self) {
        for index in 0..SIZE {
            let joined = self.word(index) & 0x8000_0000 | self.word(index + 1) & 0x7fff_ffff;
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            let word = self.word(index + SHIFT) ^ joined >> 1 ^ odd;
            if let Some(slot) = self.state.get_mut(index) {
                *slot = word;
            }
        }
        self.next = 0;
    }

    /// Returns a number from 0 to `last`, as libstdc++'s `std::uniform_int_distribution` (GCC 11 and later).
    pub(super) fn up_to(&mut self, last: u64) -> u64 {
        let Ok(last) = u32::try_from(last) else { return self.up_to_wide(last) };
        let Some(range) = last.checked_add(1) else { return u64::from(self.number()) };
        // Lemire's method: the high half of a product, without the products that would favor some numbers.
        let mut product = u64::from(self.number()) * u64::from(range);
        if (product as u32) < range {
            let threshold = range.wrapping_neg() % range;
            while (product as u32) < threshold {
                product = u64::from(self.number()) * u64::from(range);
            }
        }
        product >> 32
    }

    /// The same for numbers of 33 bits and more: the high half first, then the low half, until the number is not too large.
    fn up_to_wide(&mut self, last: u64) -> u64 {
        loop {
            let high = self.up_to(last >> 32) << 32;
            let number = high | u64::from(self.number());
            if number <= last {
                return number;
            }
        }
    }

    /// Shuffles as `llvm::shuffle`.
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for first in 0..items.len().saturating_sub(1) {
            let left = (items.len() - first) as u64;
            items.swap(first, first + (u64::from(self.number()) % left) as usize);
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
        let last = (0..10_000).map(|_| twister.number()).last();
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
