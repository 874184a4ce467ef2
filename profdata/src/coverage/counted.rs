//! A function with its counts, and its decisions.

use super::counter::Counter;
use super::counts::Counts;
use super::function::Function;
use super::layout::Layout;
use super::lines::lines_of;
use super::mapping::Mapping;
use super::region::{Kind, Region, Regions};
use super::rules::Rules;
use super::runs::Lines;
use super::segments::{Span, SpanKind, segments};
use super::vectors::Vectors;
use crate::error::Error;
use crate::flags::Flags;
use crate::read::Lookup;
use crate::sink::Format;

/// The coverage of a decision (MC/DC).
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DecisionCoverage {
    /// Its region.
    pub region: Region,
    /// The test vectors that were executed.
    pub vectors: Vectors,
    /// Of each condition in a vector whether it was shown to decide alone; `None` of a constant.
    pub conditions: Vec<Option<bool>>,
}

/// The coverage of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct FunctionCoverage {
    /// Its regions.
    pub regions: Regions,
    /// The counts of each region's counters.
    pub counts: Vec<[u64; 2]>,
    /// Its decisions (MC/DC).
    pub decisions: Vec<DecisionCoverage>,
}

/// A function with its counts.
pub(super) struct Counted<'c> {
    pub(super) regions: Regions,
    pub(super) counts: Vec<[u64; 2]>,
    pub(super) bitmap: &'c [u8],
    pub(super) format: Format,
    pub(super) is_byte: bool,
    pub(super) rules: Rules,
}

impl Mapping<'_> {
    /// Returns the coverage of a function; `None`: the profile has its name with another structural hash only. A function that it does not
    /// have did not run.
    ///
    /// Errors: the mapping is damaged, or the record does not fit it.
    pub fn function(
        &self,
        function: &Function<'_>,
        counts: &Counts<'_>,
        rules: Rules,
    ) -> Result<Option<FunctionCoverage>, Error> {
        let Some(counted) = counted(function, counts, rules, || self.decode(function))? else { return Ok(None) };
        let decisions = counted.decisions()?;
        Ok(Some(FunctionCoverage { regions: counted.regions, counts: counted.counts, decisions }))
    }

    /// Returns the lines of a function that has these counters in a profile with these flags, each run with the number of the path of its file.
    /// Runs of one file are in rising order. Of a program that has not ended [`Regions::certain_counts`] count.
    ///
    /// Errors: the mapping is damaged, or the record does not fit it.
    pub fn lines_of(
        &self,
        function: &Function<'_>,
        counters: &[u64],
        flags: Flags,
        has_ended: bool,
    ) -> Result<Vec<(u32, Lines)>, Error> {
        let regions = self.decode(function)?;
        let counts = match has_ended {
            true => regions.counts(counters, flags, Rules::Own)?,
            false => regions.certain_counts(counters, flags)?,
        };
        let is_byte = flags.has(Flags::BYTE_COVERAGE);
        let counted = Counted { regions, counts, bitmap: &[], format: Format::Text, is_byte, rules: Rules::Own };
        let mut paths = counted.regions.paths.clone();
        paths.sort_unstable();
        paths.dedup();
        let runs = |path| self.lines_in(&counted, path, counted.regions.body(path));
        Ok(paths.into_iter().flat_map(|path| runs(path).into_iter().map(move |run| (path, run))).collect())
    }
}

/// Returns a function with its counts and these regions; `None`: the profile has its name with another structural hash only. A function that it
/// does not have did not run.
///
/// Errors: those of `regions`; the record does not fit them.
pub(super) fn counted<'c>(
    function: &Function<'_>,
    counts: &'c Counts<'_>,
    rules: Rules,
    regions: impl FnOnce() -> Result<Regions, Error>,
) -> Result<Option<Counted<'c>>, Error> {
    let record = match counts.find_by(function, rules) {
        Lookup::HashMismatch => return Ok(None),
        Lookup::Found(record) => Some(record),
        Lookup::Unknown => None,
    };
    let regions = regions()?;
    Ok(Some(Counted {
        counts: match record {
            Some(record) => counts.of_regions(&regions, record.counters, rules)?,
            None => regions.zeros(),
        },
        regions,
        bitmap: record.map_or(&[], |record| record.bitmap),
        format: counts.format(),
        is_byte: counts.flags().has(Flags::BYTE_COVERAGE),
        rules,
    }))
}

impl Counted<'_> {
    /// Returns the regions with their counts.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&Region, [u64; 2])> {
        self.regions.iter().zip(self.counts.iter().copied())
    }

    /// Returns the regions of files that make segments.
    pub(super) fn spans(&self, is_wanted: impl Fn(u32) -> bool) -> impl Iterator<Item = Span> {
        let wanted = self.iter().filter(move |(region, _)| is_wanted(region.file));
        wanted.filter_map(|(region, [count, _])| {
            let kind = SpanKind::of(region.kind, self.rules)?;
            Some(Span { start: region.start, end: region.end, kind, file: region.file, count })
        })
    }

    /// Returns the lines that the function has in the file with the number of a path, as if it had these regions, too.
    pub(super) fn lines(&self, path: u32, others: impl Iterator<Item = Span>, layout: Option<&Layout>) -> Vec<Lines> {
        let mut spans = Vec::with_capacity(self.counts.len());
        spans.extend(self.spans(|file| self.regions.path(file) == path).chain(others));
        for span in spans.iter_mut().filter(|span| span.kind == SpanKind::Expansion || span.start == span.end) {
            let end = layout.and_then(|layout| layout.end_of_call(span.start));
            span.end = end.unwrap_or(span.end);
        }
        lines_of(&segments(&mut spans, self.rules, self.is_byte), self.rules, layout)
    }

    /// Returns the decisions. Errors: the bitmap is too small.
    pub(super) fn decisions(&self) -> Result<Vec<DecisionCoverage>, Error> {
        let mut all = Vec::new();
        for decision in self.regions.decisions() {
            let Some(region) = self.regions.regions.get(decision.region).copied() else { continue };
            let vectors = match self.bitmap {
                [] => Vectors::none(decision.conditions.len()),
                bitmap => self.regions.vectors(&decision, bitmap, self.format)?,
            };
            let covered = vectors.covered()?.into_iter().zip(&decision.conditions);
            let is_constant = |number: usize| {
                self.regions.regions.get(number).is_some_and(|region| region.kind.counters().contains(&Counter::ZERO))
            };
            let conditions = covered.map(|(covered, number)| (!is_constant(*number)).then_some(covered)).collect();
            all.push(DecisionCoverage { region, vectors, conditions });
        }
        Ok(all)
    }

    /// Returns the branches of files.
    pub(super) fn branches(&self, is_wanted: impl Fn(u32) -> bool) -> impl Iterator<Item = (Region, [u64; 2])> {
        let wanted = self.iter().filter(move |(region, _)| is_wanted(region.file));
        let is_branch = |kind: Kind| matches!(kind, Kind::Branch(_) | Kind::Condition { .. });
        wanted.filter(move |(region, _)| is_branch(region.kind)).map(|(region, counts)| (*region, counts))
    }
}
