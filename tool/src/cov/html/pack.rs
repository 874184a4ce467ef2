//! Packs numbers: a report of a million lines has to open at once, and to fit into one file.
//!
//! A list of runs is flat: for each run of lines the number of lines between it and the one before, its length, and what its lines have in
//! common. Lists of ranges are flat too: for each the line after the one before, the column, the number of further lines, and the end column.
//! Columns count from 0, in UTF-16 units. `tool/templates/cov/model.js` unpacks them.

use std::collections::HashMap;

use indexmap::IndexSet;
use profdata::coverage::{Mapping, Range, United};
use profrt_coverage::lines::Branch;
use serde::Serialize;

use super::source::Source;
use crate::text::printable_bytes;

/// What is inside of lines.
#[derive(Serialize)]
pub(super) struct Pieces {
    /// Ranges of regions that ran more or less often than the line that they start on, and how often.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<u64>,
    /// Ranges of branches; how often they were true, and false (`None`: never can be); 0, or from 1 on the number of the macro.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    branches: Vec<Option<u64>>,
}

/// One of the instantiations of a function.
#[derive(Serialize)]
pub(super) struct Instance {
    pub(super) name: String,
    pub(super) count: u64,
    /// Runs of lines, and their counts.
    pub(super) lines: Vec<u64>,
    #[serde(flatten)]
    pub(super) pieces: Pieces,
}

/// Returns a flat list of runs.
pub(super) fn runs(lines: impl Iterator<Item = (u32, u64)>) -> Vec<u64> {
    let mut runs = Vec::new();
    // The line after the last run, and that run's value.
    let (mut next, mut last) = (1, None);
    for (line, value) in lines {
        if line == next
            && last == Some(value)
            && let Some([.., length, _]) = runs.last_chunk_mut::<2>()
        {
            *length += 1;
        } else {
            runs.extend([u64::from(line.saturating_sub(next)), 1, value]);
        }
        (next, last) = (line.saturating_add(1), Some(value));
    }
    runs
}

/// Packs ranges of one file.
pub(super) struct Packer<'p> {
    pub(super) source: Option<&'p Source>,
    /// The paths and lines of macros.
    pub(super) macros: IndexSet<(String, u32)>,
    pub(super) mapping: &'p Mapping<'p>,
}

impl Packer<'_> {
    /// Returns a range: line, column, further lines, end column.
    pub(super) fn range(&self, (start, end): Range) -> [u64; 4] {
        let units = |position| self.source.map_or(0, |source| source.units(position));
        [start.line.into(), units(start), end.line.saturating_sub(start.line).into(), units(end)]
    }

    /// Returns the regions that differ from their lines, and the branches.
    pub(super) fn pieces(&mut self, lines: &[(u32, u64)], regions: &[(Range, u64)], branches: &[Branch]) -> Pieces {
        let counts: HashMap<u32, u64> = lines.iter().copied().collect();
        let mut packed = Pieces { regions: Vec::new(), branches: Vec::new() };
        let mut before = 0;
        for (range, count) in regions.iter().filter(|((start, _), count)| counts.get(&start.line) != Some(count)) {
            packed.regions.extend(after(&mut before, self.range(*range)));
            packed.regions.push(*count);
        }
        before = 0;
        for (place, counts) in branches {
            packed.branches.extend(after(&mut before, self.range(place.range)).map(Some));
            packed.branches.extend(counts);
            let number = place.in_macro.map_or(0, |(path, (start, _))| self.macro_number(path, start.line));
            packed.branches.push(Some(number));
        }
        packed
    }

    /// The same of one function.
    pub(super) fn pieces_of(&mut self, united: &United) -> Pieces {
        let lines: Vec<(u32, u64)> =
            united.lines.iter().flat_map(|run| (run.first..=run.last).map(|line| (line, run.count))).collect();
        let regions: Vec<_> = united.regions.iter().map(|(range, count)| (*range, *count)).collect();
        let branches: Vec<_> = united.branches.iter().map(|(place, counts)| (*place, *counts)).collect();
        self.pieces(&lines, &regions, &branches)
    }

    fn macro_number(&mut self, path: u32, line: u32) -> u64 {
        let (place, _) = self.macros.insert_full((printable_bytes(self.mapping.path(path)), line));
        place as u64 + 1
    }
}

/// Makes the line of a range that after the one before.
fn after(before: &mut u64, [line, column, lines, end]: [u64; 4]) -> [u64; 4] {
    let skipped = line.saturating_sub(*before);
    *before = line;
    [skipped, column, lines, end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_follow_each_other_and_have_one_value_are_a_run() {
        let lines = [(3, 7), (4, 7), (5, 0), (9, 0), (10, 0)];
        assert_eq!(runs(lines.into_iter()), [2, 2, 7, 0, 1, 0, 3, 2, 0]);
        assert_eq!(runs([(1, 1)].into_iter()), [0, 1, 1]);
        assert!(runs(std::iter::empty()).is_empty());
    }
}
