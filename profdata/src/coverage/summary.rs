//! Sums of a file: how much of it there is, and how much ran.

use std::collections::BTreeMap;

use super::counted::{Counted, DecisionCoverage};
use super::counter::Counter;
use super::lines::lines;
use super::region::{Kind, Position};
use super::rules::Rules;
use super::segments::segments;

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

impl Counted<'_> {
    /// Returns the sums of the function, whose body is in a file.
    fn summary(&self, file: u32, decisions: &[DecisionCoverage]) -> Summary {
        let mut sum = Summary::default();
        let ran = self.counts.first().is_some_and(|[count, _]| *count > 0);
        sum.functions.add(ran, 1);
        // Branches of macros to which no expansion leads do not count.
        let mut is_reached = vec![false; self.regions.files() as usize];
        is_reached.get_mut(file as usize).into_iter().for_each(|reached| *reached = true);
        for (region, counts) in self.iter() {
            let is_here = is_reached.get(region.file as usize) == Some(&true);
            match region.kind {
                Kind::Code(_) => sum.regions.add(counts[0] > 0, 1),
                Kind::Expansion { file, .. } if is_here => {
                    is_reached.get_mut(file as usize).into_iter().for_each(|reached| *reached = true);
                }
                Kind::Branch(counters) | Kind::Condition { counters, .. } if is_here => {
                    for (counter, count) in counters.into_iter().zip(counts) {
                        if counter != Counter::ZERO || !self.rules.folds(counters) {
                            sum.branches.add(count > 0, 1);
                        }
                    }
                }
                _ => {}
            }
        }
        for decision in decisions {
            // `llvm-cov` counts the branches in macros, and the decisions there not.
            if self.rules == Rules::Own || decision.region.file == file {
                decision.conditions.iter().flatten().for_each(|covered| sum.mcdc.add(*covered, 1));
            }
        }
        let mut spans = self.spans(|other| other == file).collect();
        for run in lines(&segments(&mut spans, self.rules, self.is_byte), self.rules) {
            let number = u64::from(run.last.saturating_sub(run.first)).saturating_add(1);
            sum.lines.add(run.count > 0, number);
        }
        sum
    }
}

/// The functions of a file, by where their bodies start: instantiations of one template start at one place.
#[derive(Default)]
pub(super) struct Groups(BTreeMap<Position, Summary>);

impl Groups {
    /// Adds a function, whose body is in a file.
    pub(super) fn add(&mut self, function: &Counted<'_>, file: u32, decisions: &[DecisionCoverage]) {
        let Some(first) = function.regions.iter().find(|region| region.file == file) else { return };
        let sum = function.summary(file, decisions);
        let group = self.0.entry(first.start).or_default();
        let mut instantiations = group.instantiations;
        instantiations.add(sum.functions.covered > 0, 1);
        *group = Summary { instantiations, ..group.each(&sum, u64::max) };
    }

    /// Returns the sums of the file.
    pub(super) fn summary(&self) -> Summary {
        let mut sum = Summary::default();
        self.0.values().for_each(|group| sum.add(group));
        sum
    }
}
