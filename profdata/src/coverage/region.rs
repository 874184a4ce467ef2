//! Regions of a function, and what their counters come to.

use std::cmp::{Ordering, Reverse};

use super::counter::{Counter, Term};
use super::rules::Rules;
use super::values::Values;
use crate::error::Error;
use crate::flags::Flags;

/// A place in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Position {
    /// In bytes, from 1; as an end, after the last one.
    pub column: u32,
    /// From 1.
    pub line: u32,
}

/// A piece of a file: where it starts, and where it ends.
pub type Range = (Position, Position);

// As one number, which most processors load at once in this order of fields: sorting compares positions more than anything else.
impl Ord for Position {
    fn cmp(&self, other: &Position) -> Ordering {
        let number = |position: &Position| u64::from(position.line) << 32 | u64::from(position.column);
        number(self).cmp(&number(other))
    }
}

impl PartialOrd for Position {
    fn partial_cmp(&self, other: &Position) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A region of the source of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Region {
    /// What it is.
    pub kind: Kind,
    /// Number of the file in its function: the body has one, and each expansion of a macro or an included file one more
    /// ([`Regions::path`]).
    pub file: u32,
    /// Start.
    pub start: Position,
    /// End, not before the start.
    pub end: Position,
}

/// The kind of a [`Region`], with its counters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Code, which runs as often as this.
    Code(Counter),
    /// What stands between code; lines take its count only where there is no other.
    Gap(Counter),
    /// Code that the preprocessor left out.
    Skipped,
    /// A macro or an included file.
    Expansion {
        /// Number of the file of what it expands to, above that of the region's own file.
        file: u32,
        /// The counter of the first region there.
        counter: Counter,
    },
    /// A condition: how often it was true, and how often false. [`Term::Zero`](super::Term::Zero): it never can be; up to LLVM 19 both are that of a constant.
    Branch([Counter; 2]),
    /// A decision, whose conditions' values are in the bitmap of the function (MC/DC).
    Decision {
        /// Its place in the bitmap. From LLVM 19 on the number of the bit after its last one, before that of its first byte.
        bitmap: u32,
        /// The number of conditions.
        conditions: u16,
    },
    /// A condition of a decision.
    Condition {
        /// As of a branch.
        counters: [Counter; 2],
        /// Its number in the decision, from 0.
        id: u16,
        /// The number of the next condition if it is true, and if it is false; `None`: the decision is made.
        next: [Option<u16>; 2],
    },
}

impl Kind {
    /// Returns the counters: one of code, two of a condition, when it is true and when it is false.
    pub fn counters(&self) -> [Counter; 2] {
        match *self {
            Kind::Code(counter) | Kind::Gap(counter) | Kind::Expansion { counter, .. } => [counter, Counter::ZERO],
            Kind::Branch(counters) | Kind::Condition { counters, .. } => counters,
            Kind::Skipped | Kind::Decision { .. } => [Counter::ZERO; 2],
        }
    }

    /// Returns whether this is a condition with neither counter: a constant, of which `llvm-cov` has no branch.
    pub fn is_constant(&self) -> bool {
        matches!(self, Kind::Branch(_) | Kind::Condition { .. }) && self.counters() == [Counter::ZERO; 2]
    }
}

/// The regions of a function, in the order of its mapping: those of each file together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Regions {
    /// The numbers of the paths of its files.
    pub(super) paths: Vec<u32>,
    /// For each file the number of the outermost expansion that it is in; `None` of files of bodies.
    pub(super) sites: Vec<Option<u32>>,
    pub(super) expressions: Vec<[Counter; 2]>,
    pub(super) regions: Vec<Region>,
}

impl Regions {
    /// Returns the regions.
    pub fn iter(&self) -> std::slice::Iter<'_, Region> {
        self.regions.iter()
    }

    /// Returns the number of files that regions are in: one of the body, and one of each expansion.
    pub fn files(&self) -> u32 {
        self.paths.len() as u32
    }

    /// Returns the number of the path of a file, for [`Mapping::path`](super::Mapping::path).
    ///
    /// Files that are not there have the number 2^32 - 1.
    pub fn path(&self, file: u32) -> u32 {
        self.paths.get(file as usize).copied().unwrap_or(u32::MAX)
    }

    /// Returns the two counters that an expression adds or subtracts; zeros if there is no such expression.
    pub fn expression(&self, number: u32) -> [Counter; 2] {
        self.expressions.get(number as usize).copied().unwrap_or_default()
    }

    /// Returns the counts of each region's counters ([`Kind::counters`]), with the counters of the function in a profile with these flags.
    ///
    /// A difference can be below 0: a program that leaves functions by `longjmp` or is still running has such counters. Inside of an
    /// expression it stays what it is, and as a count it is 0 by the [`Rules`] of this crate, and near 2^64 by those of LLVM. In byte coverage
    /// ([`Flags::BYTE_COVERAGE`]) all counts are 0 or 1, those of merged profiles too.
    ///
    /// Errors: an expression contains itself; a counter has a number that the function does not have. The record is of another build.
    pub fn counts(&self, counters: &[u64], flags: Flags, rules: Rules) -> Result<Vec<[u64; 2]>, Error> {
        self.counts_of(Values::new(&self.expressions, counters), counters, flags, rules)
    }

    /// Returns the counts of a program that has not ended, in which calls may wait: those of code that are only a difference are 0, unless
    /// code inside of it has run, or it is a condition that was true or false. (While a call waits in a condition, the `else` without a counter of
    /// its own looks run.)
    ///
    /// Errors: as above.
    pub fn certain_counts(&self, counters: &[u64], flags: Flags) -> Result<Vec<[u64; 2]>, Error> {
        let mut counts = self.counts(counters, flags, Rules::Own)?;
        let least = self.counts_of(Values::least(&self.expressions, counters), counters, flags, Rules::Own)?;
        let key = |region: &Region| (region.file, region.start, Reverse(region.end));
        let is_certain = |(region, least): &(&Region, &[u64; 2])| match region.kind {
            Kind::Code(_) | Kind::Branch(_) | Kind::Condition { .. } => **least != [0; 2],
            _ => false,
        };
        let mut certain: Vec<&Region> =
            self.regions.iter().zip(&least).filter(is_certain).map(|(region, _)| region).collect();
        certain.sort_unstable_by_key(|region| key(region));
        for ((region, [count, _]), [least, _]) in self.regions.iter().zip(&mut counts).zip(&least) {
            // Regions are in each other, or apart.
            let first = certain.get(certain.partition_point(|other| key(other) < key(region)));
            let has_inner = first.is_some_and(|inner| inner.file == region.file && inner.end <= region.end);
            let is_code = matches!(region.kind, Kind::Code(_) | Kind::Gap(_) | Kind::Expansion { .. });
            if is_code && *least == 0 && !has_inner {
                *count = 0;
            }
        }
        Ok(counts)
    }

    fn counts_of(
        &self,
        mut values: Values<'_>,
        counters: &[u64],
        flags: Flags,
        rules: Rules,
    ) -> Result<Vec<[u64; 2]>, Error> {
        let most = if flags.has(Flags::BYTE_COVERAGE) { 1 } else { u64::MAX };
        let mut counts = Vec::with_capacity(self.regions.len());
        for region in &self.regions {
            let mut both = [0; 2];
            for (count, counter) in both.iter_mut().zip(region.kind.counters()) {
                // Few are expressions, whose values need more bits.
                let plain = match counter.term() {
                    Term::Zero => continue,
                    Term::Counter(number) => counters.get(number as usize).copied(),
                    Term::Subtract(_) | Term::Add(_) => None,
                };
                *count = match plain {
                    Some(count) => count.min(most),
                    None => rules.count(values.of(counter)?).min(most),
                };
            }
            counts.push(both);
        }
        Ok(counts)
    }

    /// Returns the counts of a function that the profile does not have: it did not run.
    pub fn zeros(&self) -> Vec<[u64; 2]> {
        vec![[0; 2]; self.regions.len()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `for (int i = 0; i < n; i++) { if (g(i)) return i; }`, while `g` waits in the second round.
    #[test]
    fn a_condition_that_was_true_has_run() {
        let counter = |number: u32, tag: u32| Counter::of(number << 2 | tag);
        let [calls, body, returns] = [counter(0, 1), counter(1, 1), counter(2, 1)];
        let [sum, condition, after] = [counter(0, 3), counter(1, 2), counter(2, 2)];
        let expressions = vec![[calls, body], [sum, returns], [calls, returns]];
        let region = |kind, columns: std::ops::Range<u32>| {
            let at = |column| Position { line: 1, column };
            Region { kind, file: 0, start: at(columns.start), end: at(columns.end) }
        };
        let regions = vec![
            region(Kind::Code(condition), 10..15),
            region(Kind::Branch([body, after]), 10..15),
            region(Kind::Code(after), 50..60),
        ];
        let regions = Regions { expressions, regions, ..Default::default() };
        let counts = |counters: [u64; 3]| regions.certain_counts(&counters, Flags::default()).unwrap();
        assert_eq!(counts([1, 2, 0]), [[3, 0], [2, 1], [0, 0]]);
        assert_eq!(counts([1, 0, 0])[0], [0, 0], "the call may wait before it");
    }
}
