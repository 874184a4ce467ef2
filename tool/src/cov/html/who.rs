//! Which tests ran which lines of the page (`--who`).
//!
//! A file has the numbers of the sets of tests that ran its lines, and those sets. How many lines of which files a test ran is in parts of their
//! own, of which the page loads the one of the chosen test. `tool/templates/cov/tests.js` reads them.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};

use anyhow::Result;
use serde::Serialize;

use super::pack::runs;
use crate::cov::who::index::Stored;
use crate::cov::who::set::TestSet;
use profrt_coverage::files::FileReport;

/// Tests in a part; `tool/templates/cov/tests.js` has the same number.
const GROUP: usize = 64;

/// The tests, and the lines of the report that they ran.
pub(in crate::cov) struct Tests<'s> {
    names: &'s [String],
    sets: HashMap<u32, TestSet>,
    /// In the order of the report.
    files: Vec<Ran>,
}

/// What ran of a file.
struct Ran {
    /// Lines that a test ran, and the number of their set.
    lines: Vec<(u32, u32)>,
    /// The numbers of the sets, and how many lines each has.
    sets: BTreeMap<u32, u64>,
}

/// What the page knows of a file.
#[derive(Serialize)]
pub(in crate::cov) struct Packed {
    /// Runs of lines, and the numbers of their sets in `sets`.
    lines: Vec<u64>,
    /// Hexadecimal digits, each for four tests, the lowest bit first. The last one is not zero.
    sets: Vec<String>,
}

impl<'s> Tests<'s> {
    /// Takes what tests ran of the lines of a report. Lines that it does not have, as those of another build, are left out.
    ///
    /// Errors: the file of the tests is damaged.
    pub(in crate::cov) fn of(stored: &'s Stored, report: &[FileReport]) -> Result<Tests<'s>> {
        let mut tests = Tests { names: &stored.tests, sets: HashMap::new(), files: Vec::new() };
        for file in report {
            let runs = stored.file(&file.path)?.map_or(Vec::new(), |file| file.lines);
            let mut ran = Ran { lines: Vec::new(), sets: BTreeMap::new() };
            for (line, _) in &file.lines {
                let place = runs.partition_point(|(_, last, _)| last < line);
                let Some((_, _, number)) = runs.get(place).filter(|(first, ..)| first <= line) else { continue };
                let set = match tests.sets.entry(*number) {
                    Entry::Occupied(entry) => entry.into_mut(),
                    Entry::Vacant(entry) => entry.insert(stored.set(*number)?),
                };
                if !set.is_empty() {
                    ran.lines.push((*line, *number));
                    *ran.sets.entry(*number).or_default() += 1;
                }
            }
            tests.files.push(ran);
        }
        Ok(tests)
    }

    /// Returns whether no test ran any line of the report.
    pub(in crate::cov) fn is_empty(&self) -> bool {
        self.files.iter().all(|file| file.lines.is_empty())
    }

    /// Returns what ran of the file with this number; `None`: nothing.
    pub(super) fn of_file(&self, number: usize) -> Option<Packed> {
        let ran = self.files.get(number).filter(|ran| !ran.lines.is_empty())?;
        let numbers: HashMap<u32, u64> = ran.sets.keys().copied().zip(0..).collect();
        let lines = ran.lines.iter().filter_map(|(line, set)| Some((*line, *numbers.get(set)?)));
        let sets = ran.sets.keys().filter_map(|set| self.sets.get(set));
        Some(Packed { lines: runs(lines), sets: sets.map(digits).collect() })
    }

    /// Returns each test: its name, how many lines it ran, and how many of these no other test ran.
    pub(super) fn rows(&self) -> Vec<(&'s str, u64, u64)> {
        let mut rows: Vec<_> = self.names.iter().map(|name| (name.as_str(), 0, 0)).collect();
        let mut all: BTreeMap<u32, u64> = BTreeMap::new();
        for (set, lines) in self.files.iter().flat_map(|file| &file.sets) {
            *all.entry(*set).or_default() += lines;
        }
        for (number, lines) in all {
            let Some(set) = self.sets.get(&number) else { continue };
            for test in set.iter() {
                rows.get_mut(test as usize).into_iter().for_each(|row| row.1 += lines);
            }
            let only = set.only().and_then(|test| rows.get_mut(test as usize));
            only.into_iter().for_each(|row| row.2 += lines);
        }
        rows
    }

    /// Returns the number of parts.
    pub(super) fn parts(&self) -> usize {
        self.names.len().div_ceil(GROUP)
    }

    /// Returns a part as JSON: for each of its tests a flat list of files, each the number of files after the one before, and how many of its
    /// lines the test ran.
    pub(super) fn part(&self, number: usize) -> Result<String> {
        let tests = (number * GROUP..self.names.len().min((number + 1) * GROUP)).map(|test| test as u32);
        let mut lists: Vec<(u32, u64, Vec<u64>)> = tests.map(|test| (test, 0, Vec::new())).collect();
        for (file, ran) in (0..).zip(&self.files) {
            let sets: Vec<_> = ran.sets.iter().filter_map(|(set, lines)| Some((self.sets.get(set)?, *lines))).collect();
            for (test, before, list) in &mut lists {
                let lines: u64 = sets.iter().filter(|(set, _)| set.has(*test)).map(|(_, lines)| lines).sum();
                if lines > 0 {
                    list.extend([file - *before, lines]);
                    *before = file;
                }
            }
        }
        let lists: Vec<Vec<u64>> = lists.into_iter().map(|(.., list)| list).collect();
        Ok(serde_json::to_string(&lists)?)
    }
}

/// Returns a set as hexadecimal digits.
fn digits(set: &TestSet) -> String {
    let mut fours: Vec<u32> = Vec::new();
    for test in set.iter() {
        let place = test as usize / 4;
        fours.resize(place + 1, 0);
        fours.last_mut().into_iter().for_each(|four| *four |= 1 << (test % 4));
    }
    fours.into_iter().filter_map(|four| char::from_digit(four, 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_digits_of_four_tests() {
        let mut set = TestSet::default();
        assert_eq!(digits(&set), "");
        [0, 3, 4, 13].into_iter().for_each(|test| set.insert(test));
        assert_eq!(digits(&set), "9102");
    }
}
