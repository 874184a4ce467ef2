//! The summary of an indexed profile: totals, and how few counters hold most of all counts.

mod frequencies;

use crate::release::Release;
use crate::sink::RecordRef;
use frequencies::Frequencies;

/// The cutoffs of the detailed summary in an indexed profile, in parts per million.
pub const CUTOFFS: [u32; 16] = [
    10_000, 100_000, 200_000, 300_000, 400_000, 500_000, 600_000, 700_000, 800_000, 900_000, 950_000, 990_000, 999_000,
    999_900, 999_990, 999_999,
];

/// A row of the detailed summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Cutoff {
    /// Share of the sum of all counters, in parts per million.
    pub cutoff: u32,
    /// The smallest of the largest counters that together reach that share.
    pub min_count: u64,
    /// How many counters those are.
    pub counts: u64,
}

/// Which records a summary counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum SummaryPart {
    /// All but the context-sensitive ones.
    Plain,
    /// The context-sensitive ones.
    ContextSensitive,
}

/// Totals of a profile.
#[derive(Clone, PartialEq, Eq, Debug, Default, Hash)]
pub struct Summary {
    /// Number of functions.
    pub functions: u64,
    /// Number of counters.
    pub counters: u64,
    /// Largest counter 0 of a function.
    pub max_function_count: u64,
    /// Largest counter.
    pub max_count: u64,
    /// Largest counter other than a function's counter 0.
    pub max_internal_count: u64,
    /// Sum of all counters; wraps at 2^64 as LLVM's does.
    pub total_count: u64,
    /// The detailed summary, by rising cutoff.
    pub cutoffs: Vec<Cutoff>,
}

impl Summary {
    /// Returns the summary of those `records` that are of this `part`, with a row for each of `cutoffs`, which are in rising order.
    /// Records that say only how hot a function is do not count. The records are walked twice.
    pub fn of<'a>(records: impl Iterator<Item = RecordRef<'a>> + Clone, part: SummaryPart, cutoffs: &[u32]) -> Summary {
        Summary::of_release(records, part, cutoffs, Release::NEWEST)
    }

    /// Returns the summary as LLVM's tool of this release computes it. LLVM 15 and earlier count all records, and leave out each counter of
    /// 2^64 - 1.
    pub fn of_release<'a, I>(records: I, part: SummaryPart, cutoffs: &[u32], release: Release) -> Summary
    where
        I: Iterator<Item = RecordRef<'a>> + Clone,
    {
        let has_pseudo = release.has_pseudo_counts();
        let is_counted = move |counter: &u64| has_pseudo || *counter != u64::MAX;
        let records = records.filter(move |record| {
            record.is_context_sensitive() == (part == SummaryPart::ContextSensitive)
                && !(has_pseudo && record.is_pseudo())
        });
        let counted = move |counters: &'a [u64]| counters.split(move |counter| !is_counted(counter));
        let mut summary = Summary::default();
        let mut frequencies = Frequencies::default();
        for record in records.clone() {
            summary.functions += 1;
            for counters in counted(record.counters) {
                summary.counters = summary.counters.saturating_add(counters.len() as u64);
                frequencies.add(counters);
            }
            let max = |max: &mut u64, counters: &[u64]| {
                *max = counters.iter().filter(|counter| is_counted(counter)).fold(*max, |max, count| max.max(*count));
            };
            if let [first, internal @ ..] = record.counters {
                max(&mut summary.max_function_count, std::slice::from_ref(first));
                max(&mut summary.max_internal_count, internal);
            }
        }
        summary.max_count = summary.max_function_count.max(summary.max_internal_count);
        summary.total_count = frequencies.total();
        summary.cutoffs = frequencies.cutoffs(cutoffs, records.flat_map(|record| counted(record.counters)));
        summary
    }

    /// Returns the smallest hot count: the row of 99 %.
    pub fn hot_threshold(&self) -> u64 {
        self.min_count_of(990_000)
    }

    /// Returns the largest cold count: the row of 99.9999 %.
    pub fn cold_threshold(&self) -> u64 {
        self.min_count_of(999_999)
    }

    fn min_count_of(&self, cutoff: u32) -> u64 {
        self.cutoffs.iter().find(|row| row.cutoff >= cutoff).map_or(0, |row| row.min_count)
    }
}
