//! How often each counter value occurs, without a map of all values.
//!
//! The detailed summary asks for 16 places in the sorted list of all counters. A histogram of coarse classes finds the class of each
//! place in one walk; a second walk picks the counters of these few classes, and only they are sorted.

use super::Cutoff;

/// Bits of a value below its highest set bit that its class keeps.
const KEPT_BITS: u32 = 5;
/// Values below this have a class each.
const EXACT: u64 = 1 << (KEPT_BITS + 1);
const CLASSES: usize = (65 - KEPT_BITS as usize) << KEPT_BITS;

/// A class: how many counters are in it, and their sum modulo 2^64.
#[derive(Clone, Copy, Default)]
struct Class {
    counters: u64,
    sum: u64,
}

/// The histogram. It fits into a processor's first cache.
pub(super) struct Frequencies {
    classes: Box<[Class]>,
    total: u128,
}

impl Default for Frequencies {
    fn default() -> Frequencies {
        Frequencies { classes: vec![Class::default(); CLASSES].into_boxed_slice(), total: 0 }
    }
}

/// Returns the class of a value; classes rise with values.
fn class_of(value: u64) -> usize {
    if value < EXACT {
        return value as usize;
    }
    let shift = value.ilog2() - KEPT_BITS;
    // The highest bit stays in, so the next row of classes begins where the last one ends.
    ((shift as usize) << KEPT_BITS) + (value >> shift) as usize
}

impl Frequencies {
    /// Adds counters.
    pub(super) fn add(&mut self, counters: &[u64]) {
        for counter in counters {
            if let Some(class) = self.classes.get_mut(class_of(*counter)) {
                class.counters += 1;
                class.sum = class.sum.wrapping_add(*counter);
            }
            self.total += u128::from(*counter);
        }
    }

    /// Returns the sum of all counters, modulo 2^64.
    pub(super) fn total(&self) -> u64 {
        self.total as u64
    }

    /// Returns a row for each of `cutoffs`; `counters` are the same that were added.
    pub(super) fn cutoffs<'a>(&self, cutoffs: &[u32], counters: impl Iterator<Item = &'a [u64]>) -> Vec<Cutoff> {
        let total = self.total();
        let wants: Vec<u64> = cutoffs.iter().map(|cutoff| share(total, *cutoff)).collect();
        // LLVM's running sum wraps. Then nothing is known of a class as a whole, and each counter has to be walked.
        let wraps = self.total > u128::from(u64::MAX);
        let picked = self.classes_at(&wants, wraps);
        let mut values: Vec<u64> = counters
            .flatten()
            .copied()
            .filter(|value| picked.get(class_of(*value)).is_some_and(|picked| *picked))
            .collect();
        values.sort_unstable_by(|a, b| b.cmp(a));

        let mut walk =
            CutoffWalk { running: 0, seen: 0, min_count: 0, rows: Vec::new(), wants: cutoffs.iter().zip(wants) };
        let mut values = values.as_slice();
        let mut want = walk.next_want();
        for (number, class) in self.classes.iter().enumerate().rev().filter(|(_, class)| class.counters > 0) {
            while let Some((cutoff, _)) = want.filter(|(_, want)| walk.running >= *want) {
                want = walk.row(cutoff);
            }
            if !picked.get(number).is_some_and(|picked| *picked) {
                walk.running = walk.running.wrapping_add(class.sum);
                walk.seen += class.counters;
                continue;
            }
            while let Some(value) = values.first().copied().filter(|value| class_of(*value) == number) {
                while let Some((cutoff, _)) = want.filter(|(_, want)| walk.running >= *want) {
                    want = walk.row(cutoff);
                }
                let equal = values.iter().take_while(|other| **other == value).count();
                values = values.get(equal..).unwrap_or(&[]);
                walk.running = walk.running.wrapping_add(value.wrapping_mul(equal as u64));
                walk.seen += equal as u64;
                walk.min_count = value;
            }
        }
        while let Some((cutoff, _)) = want {
            want = walk.row(cutoff);
        }
        walk.rows
    }

    /// Returns which classes have one of the places, by class.
    fn classes_at(&self, wants: &[u64], wraps: bool) -> Vec<bool> {
        if wraps {
            return vec![true; CLASSES];
        }
        let mut picked = vec![false; CLASSES];
        let mut running = 0u64;
        let mut wants = wants.iter().copied().peekable();
        for (class, picked) in self.classes.iter().zip(&mut picked).rev() {
            let end = running.wrapping_add(class.sum);
            while wants.next_if(|want| *want <= running).is_some() {}
            *picked = wants.peek().is_some_and(|want| *want <= end);
            running = end;
        }
        // A cutoff above 100 % ends at the smallest value.
        if wants.peek().is_some_and(|want| *want > running) {
            let smallest = self.classes.iter().zip(&mut picked).find(|(class, _)| class.counters > 0);
            smallest.into_iter().for_each(|(_, picked)| *picked = true);
        }
        picked
    }
}

/// The walk from the largest counter to the smallest.
struct CutoffWalk<I> {
    running: u64,
    seen: u64,
    min_count: u64,
    rows: Vec<Cutoff>,
    wants: I,
}

impl<'a, I: Iterator<Item = (&'a u32, u64)>> CutoffWalk<I> {
    fn next_want(&mut self) -> Option<(u32, u64)> {
        self.wants.next().map(|(cutoff, want)| (*cutoff, want))
    }

    /// Ends the row of a cutoff, and returns the next cutoff with what it wants.
    fn row(&mut self, cutoff: u32) -> Option<(u32, u64)> {
        self.rows.push(Cutoff { cutoff, min_count: self.min_count, counts: self.seen });
        self.next_want()
    }
}

/// Returns that share of the total.
fn share(total: u64, cutoff: u32) -> u64 {
    u64::try_from(u128::from(total) * u128::from(cutoff) / 1_000_000).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::super::CUTOFFS;
    use super::*;

    /// The rule as indexed profiles have it, entry by entry.
    fn reference(counters: &[u64], cutoffs: &[u32]) -> Vec<Cutoff> {
        let mut map: BTreeMap<u64, u64> = BTreeMap::new();
        counters.iter().for_each(|counter| *map.entry(*counter).or_default() += 1);
        let total = counters.iter().fold(0u64, |sum, counter| sum.wrapping_add(*counter));
        let mut entries = map.into_iter().rev();
        let (mut running, mut counts, mut min_count) = (0u64, 0, 0);
        let row = |cutoff: &u32| {
            let want = share(total, *cutoff);
            while running < want {
                let Some((value, count)) = entries.next() else { break };
                running = running.wrapping_add(value.wrapping_mul(count));
                counts += count;
                min_count = value;
            }
            Cutoff { cutoff: *cutoff, min_count, counts }
        };
        cutoffs.iter().map(row).collect()
    }

    fn ours(counters: &[u64], cutoffs: &[u32]) -> Vec<Cutoff> {
        let mut frequencies = Frequencies::default();
        frequencies.add(counters);
        frequencies.cutoffs(cutoffs, [counters].into_iter())
    }

    #[test]
    fn classes_rise_with_values() {
        let mut values: Vec<u64> = (0..64).flat_map(|bit| [1u64 << bit, (1 << bit) + 1, (1u64 << bit) - 1]).collect();
        values.extend(500..1100);
        values.push(u64::MAX);
        values.sort_unstable();
        assert!(values.windows(2).all(|pair| matches!(pair, [a, b] if class_of(*a) <= class_of(*b))));
        assert!(values.iter().all(|value| class_of(*value) < CLASSES));
        assert!((1..EXACT).all(|value| class_of(value) == class_of(value - 1) + 1));
    }

    #[test]
    fn small_totals_want_nothing() {
        let rows = ours(&[3], &CUTOFFS);
        assert_eq!(rows, reference(&[3], &CUTOFFS));
        assert_eq!(rows.iter().filter(|row| row.counts == 0).count(), 4);
        assert_eq!(ours(&[], &CUTOFFS), reference(&[], &CUTOFFS));
        assert_eq!(ours(&[0, 0], &CUTOFFS), reference(&[0, 0], &CUTOFFS));
    }

    proptest! {
        #[test]
        fn rows_are_those_of_the_sorted_list(
            counters in prop::collection::vec((any::<u64>(), 0u32..64).prop_map(|(bits, shift)| bits >> shift >> 1), 0..300),
        ) {
            prop_assert_eq!(ours(&counters, &CUTOFFS), reference(&counters, &CUTOFFS));
        }

        #[test]
        fn rows_of_equal_and_small_counters(
            counters in prop::collection::vec(0u64..2000, 0..300),
            mut cutoffs in prop::collection::vec(0u32..2_000_000, 0..20),
        ) {
            cutoffs.sort_unstable();
            prop_assert_eq!(ours(&counters, &cutoffs), reference(&counters, &cutoffs));
        }
    }
}
