//! Counters: a number of a counter, or of an expression of two counters.

/// What a region's count is made of.
///
/// 4 bytes, as a mapping stores it; [`Counter::term`] takes it apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Counter(u32);

/// What a [`Counter`] stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Term {
    /// No counter: the code cannot run, or a branch cannot be taken.
    Zero,
    /// The counter of the function with this number.
    Counter(u32),
    /// The difference of the two counters of the expression with this number.
    Subtract(u32),
    /// The sum of the two counters of the expression with this number.
    Add(u32),
}

impl Counter {
    pub(super) const ZERO: Counter = Counter(0);

    /// Returns the counter that is stored as this number.
    pub(super) fn of(stored: u32) -> Counter {
        // Zero has no number; what stands there is nothing.
        if stored & 3 == 0 { Counter::ZERO } else { Counter(stored) }
    }

    /// Returns what this counter stands for.
    pub fn term(self) -> Term {
        let number = self.0 >> 2;
        match self.0 & 3 {
            0 => Term::Zero,
            1 => Term::Counter(number),
            2 => Term::Subtract(number),
            _ => Term::Add(number),
        }
    }
}
