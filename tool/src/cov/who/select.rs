//! The tests that a change concerns: those that ran a function of which a line has changed.
//!
//! Whether a test ran the line itself does not decide: a new `case`, or an arm of a `match` with another pattern, can be taken by a test that went
//! past it before. What is in no function (types, macros, constants, other kinds of files) no test runs, and any may depend on it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;

use super::index::{FileTests, Stored};
use super::set::TestSet;
use crate::text::{many, printable};
use profrt_coverage::changes::Diff;
use profrt_coverage::diff::FileChange;
use profrt_coverage::lines::{ranges, runs};
use profrt_coverage::paths::Paths;

/// The tests to run for a change.
#[derive(Default)]
pub(super) struct Selected {
    pub(super) tests: TestSet,
    /// Those that ran a line that has changed, or one next to new lines.
    pub(super) direct: TestSet,
    /// The old lines of each file that are in no function, or before new lines that are; none of a file that has no functions.
    pub(super) elsewhere: BTreeMap<String, BTreeSet<u32>>,
    /// The same of functions that no test ran.
    pub(super) idle: BTreeMap<String, BTreeSet<u32>>,
    /// Files of the change that --only and --ignore leave out.
    left_out: BTreeSet<String>,
}

impl Selected {
    /// Selects tests. Errors: the file of the index is damaged.
    pub(super) fn of(stored: &Stored, diff: &Diff, paths: &Paths) -> Result<Selected> {
        let mut selected = Selected::default();
        let changes = diff.place(stored.paths());
        let mut others: BTreeSet<&str> = diff.files().collect();
        for source in stored.paths() {
            let Some((path, change)) = changes.find(source) else { continue };
            others.remove(path);
            if !paths.has(&[path, source]) {
                selected.left_out.insert(path.to_owned());
            } else if let Some(file) = stored.file(source)? {
                selected.add(stored, source, &file, change)?;
            }
        }
        for path in others {
            if paths.has(&[path, &diff.full(path)]) {
                selected.elsewhere.insert(path.to_owned(), BTreeSet::new());
            } else {
                selected.left_out.insert(path.to_owned());
            }
        }
        Ok(selected)
    }

    fn add(&mut self, stored: &Stored, path: &str, file: &FileTests, change: &FileChange) -> Result<()> {
        let places = places(change, file.functions.iter().map(|(_, end)| *end).max().unwrap_or_default());
        if places.is_empty() {
            self.elsewhere.entry(path.to_owned()).or_default();
        }
        for (first, last) in places {
            let is_around = |(start, end): &&(u32, u32)| *start <= first && last <= *end;
            let mut around = file.functions.iter().filter(is_around).peekable();
            if around.peek().is_none() {
                self.elsewhere.entry(path.to_owned()).or_default().insert(first);
                continue;
            }
            let mut ran = TestSet::default();
            for (start, end) in around {
                ran.add(&union(stored, file, *start, *end)?);
            }
            if ran.is_empty() {
                self.idle.entry(path.to_owned()).or_default().insert(first);
            }
            self.tests.add(&ran);
            self.direct.add(&union(stored, file, first, last)?);
        }
        Ok(())
    }

    /// Returns a line for each file with changes that cannot be judged.
    pub(super) fn failures(&self) -> Vec<String> {
        let line = |(path, lines): (&String, &BTreeSet<u32>)| match shown(lines).as_str() {
            "" => format!("{}: has no functions, so any test may depend on it", printable(path)),
            lines => format!("{}: in no function, so any test may depend on it: {lines}", printable(path)),
        };
        self.elsewhere.iter().map(line).collect()
    }

    /// Returns a line for each file with changed functions that no test ran, and one if nothing is left of the change.
    pub(super) fn notes(&self) -> Vec<String> {
        let line = |(path, lines): (&String, &BTreeSet<u32>)| {
            format!("{}: in functions that no test ran: {}", printable(path), shown(lines))
        };
        let is_nothing = self.tests.is_empty() && self.elsewhere.is_empty() && self.idle.is_empty();
        let first = self.left_out.first().filter(|_| is_nothing);
        let number = self.left_out.len() as u64;
        let all = first.map(|path| {
            let files = many(number, "file");
            format!("--only and --ignore leave out all of the change: {files}, as {}", printable(path))
        });
        self.idle.iter().map(line).chain(all).collect()
    }
}

fn shown(lines: &BTreeSet<u32>) -> String {
    ranges(runs(lines.iter().copied()))
}

/// Returns the tests that ran one of these lines.
pub(super) fn union(stored: &Stored, file: &FileTests, first: u32, last: u32) -> Result<TestSet> {
    let numbers: BTreeSet<u32> = file.runs(first, last).map(|(_, _, set)| *set).collect();
    let mut union = TestSet::default();
    for number in numbers {
        union.add(&stored.set(number)?);
    }
    Ok(union)
}

/// Returns what of the old file has changed: lines that are gone, to `end` where all are, and for new lines that replace none the two lines between
/// which they stand.
fn places(change: &FileChange, end: u32) -> Vec<(u32, u32)> {
    let last = |last: u32| if last == u32::MAX { end } else { last };
    let gone = change.deleted.iter().flat_map(|range| (range.0..=last(range.1)).map(|line| (line, line)));
    let new = change.added.iter().filter_map(|(first, _)| {
        let before = first.checked_sub(1).filter(|before| *before > 0);
        let before = before.and_then(|before| change.old_line(before)).unwrap_or(0);
        let after = before.saturating_add(1);
        (!change.is_deleted(after)).then_some((before, after))
    });
    gone.chain(new).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_the_old_file() {
        let change =
            |deleted: &[(u32, u32)], added: &[(u32, u32)]| FileChange { deleted: deleted.into(), added: added.into() };
        // Line 3 is replaced by three, 5 and 6 are gone, and two are new after 9.
        let mixed = change(&[(3, 3), (5, 6)], &[(3, 5), (10, 11)]);
        assert_eq!(places(&mixed, 9), [(3, 3), (5, 5), (6, 6), (9, 10)]);
        assert_eq!(places(&change(&[], &[(1, 2)]), 9), [(0, 1)]);
        assert_eq!(places(&change(&[(1, 1)], &[(1, 2)]), 9), [(1, 1)]);
        assert_eq!(places(FileChange::NONE, 9), []);
        assert_eq!(places(&change(&[(1, u32::MAX)], &[]), 2), [(1, 1), (2, 2)], "renamed");
    }
}
