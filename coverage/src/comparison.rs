//! What became of lines, branches and functions since a baseline, in the twelve categories of lcov: what is new, what was lost, what was gained.

use std::collections::{BTreeMap, HashMap, HashSet};

use anyhow::{Result, ensure};
use serde::Serialize;

use crate::baseline::{Baseline, Ran};
use crate::changes::Changes;
use crate::diff::FileChange;
use crate::files::{FileReport, Report};
use crate::lines::{ranges, runs};
use crate::paths::Paths;
use crate::text::printable;
use crate::totals::Part;

/// What became of a line, a side of a branch, or a function. `N`ew; `I`ncluded: not new, and not in the baseline; in the `B`aseline; `E`xcluded:
/// in the baseline only; `D`eleted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Category {
    /// Uncovered new.
    Unc,
    /// Lost: was covered.
    Lbc,
    /// Uncovered included.
    Uic,
    /// Uncovered before and now.
    Ubc,
    /// Gained: was uncovered.
    Gbc,
    /// Gained included.
    Gic,
    /// Gained new.
    Gnc,
    /// Covered before and now.
    Cbc,
    /// Excluded, was uncovered.
    Eub,
    /// Excluded, was covered.
    Ecb,
    /// Deleted, was uncovered.
    Dub,
    /// Deleted, was covered.
    Dcb,
}

/// All of them, in their order.
pub const ALL: [Category; 12] = {
    use Category::*;
    [Unc, Lbc, Uic, Ubc, Gbc, Gic, Gnc, Cbc, Eub, Ecb, Dub, Dcb]
};

impl Category {
    /// Returns lcov's name.
    pub fn name(self) -> String {
        format!("{self:?}").to_uppercase()
    }
}

/// How many there are of each category.
type Numbers = BTreeMap<Category, u64>;

/// The result.
#[derive(Default, Serialize)]
pub struct Comparison {
    /// Of lines.
    pub lines: Numbers,
    /// Of sides of branches.
    pub branches: Numbers,
    /// Of functions.
    pub functions: Numbers,
    /// Unchanged lines that ran before and do not run now, by file.
    pub lost: BTreeMap<String, Vec<u32>>,
    /// What became of each line of the current sources, by file, in rising order.
    #[serde(skip)]
    pub categories: BTreeMap<String, Vec<(u32, Category)>>,
}

/// Compares a report with a baseline, file by file.
pub struct Comparing<'b> {
    /// What was before.
    pub baseline: &'b Baseline,
    /// Which files are reported.
    pub wanted: &'b Paths,
    /// What has changed in the sources since; nothing, unless it is given.
    pub changes: Option<&'b Changes>,
    /// The result so far.
    pub comparison: Comparison,
}

impl Comparing<'_> {
    /// Compares a file.
    pub fn add(&mut self, file: &FileReport) {
        self.compare(&file.path, Some(file));
    }

    /// Takes the files that the report does not have. Errors: they have no file in common, and the
    /// change none of the baseline.
    pub fn end(mut self, report: &Report) -> Result<Comparison> {
        let has = |path: &str| report.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok();
        let is_changed = |path: &str| self.changes.is_some_and(|changes| changes.find(path).is_some());
        if let Some((before, now)) = self.baseline.paths().next().zip(report.files.first()) {
            ensure!(
                self.baseline.paths().any(|path| has(path) || is_changed(path)),
                "the baseline has no file of the report: it has {}, the report {}\n  remedy: make both with --path-map",
                printable(before),
                printable(&now.path)
            );
        }
        self.baseline.paths().filter(|path| !has(path)).for_each(|path| self.compare(path, None));
        Ok(self.comparison)
    }

    fn compare(&mut self, path: &str, file: Option<&FileReport>) {
        let none = Ran::default();
        let (before, now) = (self.baseline.of_file(path).unwrap_or(&none), file.map_or_else(Ran::default, Ran::of));
        let change = self.changes.map_or(FileChange::NONE, |changes| changes.of(path));
        // What is not in the report, and is not excluded either, does not run: its function is stale, or no program has it.
        let shown = file.map_or(&[][..], |file| &file.lines).iter();
        let excluded = file.map_or(&[][..], |file| &file.excluded_lines).iter();
        let known: HashSet<u32> = shown.chain(excluded).map(|(line, _)| *line).collect();
        let is_out = file.is_none() && !self.wanted.has(&[path]);
        let is_excluded = |line: u32| is_out || known.contains(&line);
        let comparison = &mut self.comparison;
        let mut lines = Vec::new();
        compare(&before.lines, &now.lines, change, is_excluded, &mut comparison.lines, |line, category| {
            lines.push((line, category))
        });
        compare(&before.branches, &now.branches, change, is_excluded, &mut comparison.branches, |_, _| ());
        compare(&before.functions, &now.functions, change, is_excluded, &mut comparison.functions, |_, _| ());
        lines.sort_unstable();
        let lost = lines.iter().filter(|(_, category)| *category == Category::Lbc).map(|(line, _)| *line);
        let lost: Vec<u32> = lost.collect();
        if !lost.is_empty() {
            comparison.lost.insert(path.to_owned(), lost);
        }
        comparison.categories.insert(path.to_owned(), lines);
    }
}

/// Counts the categories of the things of a file. Calls `each` with the line and the category of each whose line is there now.
fn compare(
    before: &HashMap<(u32, usize), bool>,
    now: &HashMap<(u32, usize), bool>,
    change: &FileChange,
    is_excluded: impl Fn(u32) -> bool,
    numbers: &mut Numbers,
    mut each: impl FnMut(u32, Category),
) {
    let mut known = HashSet::new();
    for ((line, number), ran) in now {
        let old = change.old_line(*line).map(|line| (line, *number));
        let had = old.and_then(|old| before.get(&old));
        known.extend(old);
        let category = match (old, had, ran) {
            (None, _, false) => Category::Unc,
            (None, _, true) => Category::Gnc,
            (Some(_), None, false) => Category::Uic,
            (Some(_), None, true) => Category::Gic,
            (Some(_), Some(true), false) => Category::Lbc,
            (Some(_), Some(true), true) => Category::Cbc,
            (Some(_), Some(false), false) => Category::Ubc,
            (Some(_), Some(false), true) => Category::Gbc,
        };
        each(*line, category);
        *numbers.entry(category).or_default() += 1;
    }
    for (place, ran) in before.iter().filter(|(place, _)| !known.contains(place)) {
        let line = change.new_line(place.0);
        let category = match (line.map(&is_excluded), ran) {
            (Some(true), false) => Category::Eub,
            (Some(true), true) => Category::Ecb,
            (Some(false), false) => Category::Ubc,
            (Some(false), true) => Category::Lbc,
            (None, false) => Category::Dub,
            (None, true) => Category::Dcb,
        };
        line.into_iter().for_each(|line| each(line, category));
        *numbers.entry(category).or_default() += 1;
    }
}

impl Comparison {
    /// Returns the new lines of a file.
    pub fn new_lines(&self, path: &str) -> Part {
        let mut part = Part::default();
        for (_, category) in self.categories.get(path).into_iter().flatten() {
            if matches!(category, Category::Unc | Category::Gnc) {
                part.add(*category == Category::Gnc);
            }
        }
        part
    }

    /// Returns the new lines of all files.
    pub fn all_new_lines(&self) -> Part {
        let number = |category| self.lines.get(&category).copied().unwrap_or(0);
        let covered = number(Category::Gnc);
        Part { count: covered + number(Category::Unc), covered }
    }

    /// Returns a line for each file that has lost lines.
    pub fn lost_lines(&self) -> impl Iterator<Item = String> {
        self.lost
            .iter()
            .map(|(path, lines)| format!("{path}: ran before and not now: {}", ranges(runs(lines.iter().copied()))))
    }
}
