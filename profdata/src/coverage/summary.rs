//! Sums of a file: how much of it there is, and how much ran.

use std::collections::BTreeMap;

use super::counter::Counter;
use super::decisions::Decision;
use super::lines::lines;
use super::region::{Kind, Position, Region, Regions};
use super::rules::Rules;
use super::segments::{Span, SpanKind, segments};
use crate::error::Error;
use crate::sink::Format;

/// A number of things, and of those that ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Covered {
    /// All.
    pub count: u64,
    /// Those that ran.
    pub covered: u64,
}

/// The sums of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub struct Summary {
    /// Functions: all instantiations of a template are one.
    pub functions: Covered,
    /// Functions, with each instantiation.
    pub instantiations: Covered,
    /// Lines of functions.
    pub lines: Covered,
    /// Regions of code.
    pub regions: Covered,
    /// Sides of branches.
    pub branches: Covered,
    /// Conditions of decisions that were shown to decide alone (MC/DC).
    pub mcdc: Covered,
}

impl Covered {
    fn add(&mut self, is_covered: bool, number: u64) {
        self.count = self.count.saturating_add(number);
        self.covered = self.covered.saturating_add(if is_covered { number } else { 0 });
    }

    fn each(self, other: Covered, both: impl Fn(u64, u64) -> u64) -> Covered {
        Covered { count: both(self.count, other.count), covered: both(self.covered, other.covered) }
    }
}

impl Summary {
    fn each(&self, other: &Summary, both: impl Fn(u64, u64) -> u64 + Copy) -> Summary {
        Summary {
            functions: self.functions.each(other.functions, both),
            instantiations: self.instantiations.each(other.instantiations, both),
            lines: self.lines.each(other.lines, both),
            regions: self.regions.each(other.regions, both),
            branches: self.branches.each(other.branches, both),
            mcdc: self.mcdc.each(other.mcdc, both),
        }
    }

    /// Adds the sums of another file.
    pub fn add(&mut self, other: &Summary) {
        *self = self.each(other, u64::saturating_add);
    }
}

/// A function with its counts.
pub(super) struct Counted<'c> {
    pub(super) regions: &'c Regions,
    pub(super) counts: &'c [[u64; 2]],
    pub(super) bitmap: &'c [u8],
    pub(super) format: Format,
    pub(super) is_byte: bool,
    pub(super) rules: Rules,
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
            Some(Span { start: region.start, end: region.end, kind: SpanKind::of(region.kind)?, count })
        })
    }

    /// Returns the file that the body of the function is in: the first that is no expansion and has the path with this number.
    pub(super) fn main_file(&self, path: u32) -> Option<u32> {
        let mut expanded = vec![false; self.regions.files() as usize];
        for region in self.regions.iter() {
            if let Kind::Expansion { file, .. } = region.kind {
                expanded.get_mut(file as usize).into_iter().for_each(|expanded| *expanded = true);
            }
        }
        let mut files = (0..self.regions.files()).zip(expanded);
        files.find(|(file, expanded)| !expanded && self.regions.path(*file) == path).map(|(file, _)| file)
    }

    /// Returns the sums of the function, whose body is in a file.
    fn summary(&self, file: u32) -> Result<Summary, Error> {
        let mut sum = Summary::default();
        let ran = self.counts.first().is_some_and(|[count, _]| *count > 0);
        sum.functions.add(ran, 1);
        for (region, counts) in self.iter() {
            match region.kind {
                Kind::Code(_) => sum.regions.add(counts[0] > 0, 1),
                Kind::Branch(counters) | Kind::Condition { counters, .. } => {
                    for (counter, count) in counters.into_iter().zip(counts) {
                        if counter != Counter::ZERO || !self.rules.folds(counters) {
                            sum.branches.add(count > 0, 1);
                        }
                    }
                }
                _ => {}
            }
        }
        let in_file =
            |decision: &Decision| self.regions.regions.get(decision.region).is_some_and(|region| region.file == file);
        for decision in self.regions.decisions()? {
            // `llvm-cov` counts the branches in macros, and the decisions there not.
            if self.rules != Rules::Own && !in_file(&decision) {
                continue;
            }
            let covered = match self.bitmap {
                [] => Vec::new(),
                bitmap => self.regions.vectors(&decision, bitmap, self.format)?.covered()?,
            };
            for (place, region) in decision.conditions.iter().enumerate() {
                let counters = self.regions.regions.get(*region).map(|region| region.kind.counters());
                if counters.is_some_and(|counters| !counters.contains(&Counter::ZERO)) {
                    sum.mcdc.add(covered.get(place).is_some_and(|covered| *covered), 1);
                }
            }
        }
        let mut spans = self.spans(|other| other == file).collect();
        for run in lines(&segments(&mut spans, self.rules, self.is_byte)) {
            let number = u64::from(run.last.saturating_sub(run.first)).saturating_add(1);
            sum.lines.add(run.count > 0, number);
        }
        Ok(sum)
    }
}

/// The functions of a file, by where their bodies start: instantiations of one template start at one place.
#[derive(Default)]
pub(super) struct Groups(BTreeMap<Position, Summary>);

impl Groups {
    /// Adds a function, if its body is in the file with this number. Errors: its decisions are damaged.
    pub(super) fn add(&mut self, function: &Counted<'_>, path: u32) -> Result<(), Error> {
        let Some(file) = function.main_file(path) else { return Ok(()) };
        let Some(first) = function.regions.iter().find(|region| region.file == file) else { return Ok(()) };
        let sum = function.summary(file)?;
        let group = self.0.entry(first.start).or_default();
        let mut instantiations = group.instantiations;
        instantiations.add(sum.functions.covered > 0, 1);
        *group = Summary { instantiations, ..group.each(&sum, u64::max) };
        Ok(())
    }

    /// Returns the sums of the file.
    pub(super) fn summary(&self) -> Summary {
        let mut sum = Summary::default();
        self.0.values().for_each(|group| sum.add(group));
        sum
    }
}
