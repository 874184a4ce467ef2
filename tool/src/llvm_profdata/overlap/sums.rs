//! Sums of counts and of values, and what two profiles share of them.

use std::io::{self, Write};

use profdata::compat::sort_as_libstdcxx;
use profdata::sink::{RecordRef, Value};
use profdata::values::KINDS;

/// The words for each kind of values.
const TITLES: [&str; KINDS] = ["IndirectCall", "MemOP", "VTable"];

/// Sums of the counters, and of the values of each kind. LLVM adds up functions as floating point numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) edges: f64,
    pub(super) values: [f64; KINDS],
}

/// Shares of the sums.
pub(super) type Shares = Sums;

/// What is said of a program or of a function.
#[derive(Debug)]
pub(super) struct Level {
    pub(super) base: Sums,
    pub(super) test: Sums,
    /// Functions that both have.
    pub(super) overlaps: u64,
    pub(super) overlap: Shares,
    /// Functions that both have with different parts.
    pub(super) mismatches: u64,
    pub(super) mismatch: Shares,
    /// Functions that only the second profile has.
    pub(super) unique: u64,
    pub(super) only: Shares,
}

impl Sums {
    /// Adds up records.
    pub(super) fn of_all<'a>(records: impl Iterator<Item = RecordRef<'a>>) -> Sums {
        let mut sums = Sums::default();
        for record in records {
            sums.edges += wrapping(record.counters.iter().copied());
            let kinds = record.values.iter().flat_map(|values| &values.kinds);
            for (sum, kind) in sums.values.iter_mut().zip(kinds) {
                *sum += wrapping(kind.values().iter().map(|value| value.count));
            }
        }
        sums
    }

    /// Returns the share that these sums are of `total`.
    pub(super) fn shares_of(&self, total: &Sums) -> Shares {
        let share = |part: f64, total: f64| if total < 1.0 { 0.0 } else { part / total };
        let mut shares = Shares { edges: share(self.edges, total.edges), ..Shares::default() };
        for (slot, (part, total)) in shares.values.iter_mut().zip(self.values.iter().zip(&total.values)) {
            *slot = share(*part, *total);
        }
        shares
    }

    /// Adds other shares.
    pub(super) fn add(&mut self, other: &Shares) {
        self.edges += other.edges;
        for (slot, share) in self.values.iter_mut().zip(other.values) {
            *slot += share;
        }
    }

    /// Returns what two records have in common, as shares of these sums: of each count the smaller share.
    pub(super) fn of(base: RecordRef<'_>, test: RecordRef<'_>, base_sums: &Sums, test_sums: &Sums) -> Shares {
        let mut shares = Shares::default();
        for (a, b) in base.counters.iter().zip(test.counters) {
            shares.edges += score(*a, *b, base_sums.edges, test_sums.edges);
        }
        let (Some(base), Some(test)) = (base.values, test.values) else { return shares };
        let sums = base_sums.values.iter().zip(&test_sums.values);
        let kinds = base.kinds.iter().zip(&test.kinds).zip(sums);
        for (slot, ((a, b), (base_sum, test_sum))) in shares.values.iter_mut().zip(kinds) {
            for (a, b) in a.sites().zip(b.sites()) {
                *slot += of_site(a, b, *base_sum, *test_sum);
            }
        }
        shares
    }
}

/// Adds up counts of one function: LLVM's sum wraps.
fn wrapping(counts: impl Iterator<Item = u64>) -> f64 {
    counts.fold(0u64, u64::wrapping_add) as f64
}

fn score(a: u64, b: u64, base: f64, test: f64) -> f64 {
    if base < 1.0 || test < 1.0 { 0.0 } else { (a as f64 / base).min(b as f64 / test) }
}

/// Returns what two sites have in common.
fn of_site(a: &[Value], b: &[Value], base: f64, test: f64) -> f64 {
    let sorted = |values: &[Value]| {
        let mut values = values.to_vec();
        sort_as_libstdcxx(&mut values, |value| value.value);
        values
    };
    let (a, b) = (sorted(a), sorted(b));
    let mut others = b.iter().peekable();
    let mut sum = 0.0;
    for value in &a {
        while others.next_if(|other| other.value < value.value).is_some() {}
        if let Some(other) = others.next_if(|other| other.value == value.value) {
            sum += score(value.count, other.count, base, test);
        }
    }
    sum
}

impl Level {
    /// Begins with the sums of the two profiles.
    pub(super) fn new((base, test): (Sums, Sums)) -> Level {
        let none = Shares::default();
        Level { base, test, overlaps: 0, overlap: none, mismatches: 0, mismatch: none, unique: 0, only: none }
    }

    /// Writes shares and sums.
    pub(super) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let edges = [self.overlap.edges, self.mismatch.edges, self.only.edges];
        self.write_part(out, "Edge", edges, self.base.edges, self.test.edges)?;
        for (kind, title) in TITLES.into_iter().enumerate() {
            let of = |values: &[f64; KINDS]| values.get(kind).copied().unwrap_or(0.0);
            let (base, test) = (of(&self.base.values), of(&self.test.values));
            if base >= 1.0 || test >= 1.0 {
                let shares = [&self.overlap, &self.mismatch, &self.only].map(|shares| of(&shares.values));
                self.write_part(out, title, shares, base, test)?;
            }
        }
        Ok(())
    }

    fn write_part(
        &self,
        out: &mut impl Write,
        title: &str,
        [overlap, mismatch, only]: [f64; 3],
        base: f64,
        test: f64,
    ) -> io::Result<()> {
        writeln!(out, "  {title} profile overlap: {:.3}%", overlap * 100.0)?;
        if self.mismatches > 0 {
            writeln!(out, "  Mismatched count percentage ({title}): {:.3}%", mismatch * 100.0)?;
        }
        if self.unique > 0 {
            writeln!(out, "  Percentage of {title} profile only in test_profile: {:.3}%", only * 100.0)?;
        }
        writeln!(out, "  {title} profile base count sum: {base:.0}")?;
        writeln!(out, "  {title} profile test count sum: {test:.0}")
    }
}
