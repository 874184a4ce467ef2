//! Comparison with an earlier report, in the twelve categories of lcov: what is new, what was lost, what was gained.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::SCHEMA;
use super::changes::Changes;
use super::diff::FileChange;
use super::files::{FileReport, Report};
use super::lines::branches_by_line;
use super::paths::Paths;
use super::totals::Part;
use crate::inputs::display;
use crate::report::is_report;
use crate::text::printable;

/// What became of a line, a side of a branch, or a function. `N`ew; `I`ncluded: not new, and not in the baseline; in the `B`aseline; `E`xcluded:
/// in the baseline only; `D`eleted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Category {
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
pub(super) const ALL: [Category; 12] = [
    Category::Unc,
    Category::Lbc,
    Category::Uic,
    Category::Ubc,
    Category::Gbc,
    Category::Gic,
    Category::Gnc,
    Category::Cbc,
    Category::Eub,
    Category::Ecb,
    Category::Dub,
    Category::Dcb,
];

impl Category {
    /// Returns lcov's name.
    pub(super) fn name(self) -> String {
        format!("{self:?}").to_uppercase()
    }
}

/// How many there are of each category.
type Numbers = BTreeMap<Category, u64>;

/// The result.
#[derive(Default, Serialize)]
pub(super) struct Comparison {
    pub(super) lines: Numbers,
    pub(super) branches: Numbers,
    pub(super) functions: Numbers,
    /// Unchanged lines that ran before and do not run now, by file.
    pub(super) lost: BTreeMap<String, Vec<u32>>,
    /// What became of each line of the current sources, by file, in rising order.
    #[serde(skip)]
    pub(super) categories: BTreeMap<String, Vec<(u32, Category)>>,
}

/// What may not be in a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum FailIf {
    /// Unchanged lines that ran before do not run now
    Lost,
}

/// What a report says of a file: for each line, branch side and function whether it ran. The second number tells apart what is on one line.
#[derive(Default)]
struct Ran {
    lines: HashMap<(u32, usize), bool>,
    branches: HashMap<(u32, usize), bool>,
    functions: HashMap<(u32, usize), bool>,
}

/// An earlier report.
pub(super) struct Baseline(BTreeMap<String, Ran>);

/// The parts of a report in JSON that are compared.
#[derive(Deserialize)]
struct Json {
    schema: String,
    files: Vec<JsonFile>,
}

#[derive(Deserialize)]
struct JsonFile {
    path: String,
    lines: Vec<(u32, u64)>,
    branches: Vec<JsonBranch>,
    functions: Vec<JsonFunction>,
}

#[derive(Deserialize)]
struct JsonBranch {
    range: [u32; 4],
    counts: [Option<u64>; 2],
}

#[derive(Deserialize)]
struct JsonFunction {
    line: u32,
    count: u64,
}

impl Baseline {
    /// Reads a report of [`super::json`]; `None`: the file is none. Errors: it cannot be read, or is damaged.
    pub(super) fn read(path: &Path) -> Result<Option<Baseline>> {
        if path.is_dir() {
            return Ok(None);
        }
        let bytes = crate::text::read(path)?;
        if !is_report(bytes.get(..bytes.len().min(256)).unwrap_or(&[])) {
            return Ok(None);
        }
        let json: Json =
            serde_json::from_slice(&bytes).with_context(|| format!("{} is no report of profrt cov", display(path)))?;
        ensure!(json.schema == SCHEMA, "{} has the schema {}, not {SCHEMA}", display(path), printable(&json.schema));
        let files = json.files.into_iter().map(|file| {
            let mut ran = Ran::default();
            ran.add_lines(file.lines);
            let mut numbers = HashMap::new();
            for branch in file.branches {
                let [line, ..] = branch.range;
                let number: &mut usize = numbers.entry(line).or_default();
                ran.add_branch(line, *number, branch.counts);
                *number += 1;
            }
            ran.add_functions(file.functions.into_iter().map(|function| (function.line, function.count)));
            (file.path, ran)
        });
        Ok(Some(Baseline(files.collect())))
    }

    /// Takes a report that was made of other profiles.
    pub(super) fn of(report: &Report) -> Baseline {
        Baseline(report.files.iter().map(|file| (file.path.clone(), Ran::of(file))).collect())
    }

    /// Returns the paths of all files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Compares a report with this one. `changes`: what has changed in the sources since; nothing, unless it is given.
    ///
    /// Errors: they have no file in common.
    pub(super) fn compare(&self, report: &Report, wanted: &Paths, changes: Option<&Changes>) -> Result<Comparison> {
        let mut comparison = Comparison::default();
        let none = Ran::default();
        let files: BTreeMap<&str, &FileReport> = report.files.iter().map(|file| (file.path.as_str(), file)).collect();
        if let Some((before, now)) = self.paths().next().zip(files.keys().next()) {
            ensure!(
                self.paths().any(|path| files.contains_key(path)),
                "the baseline has no file of the report: it has {}, the report {}\n  remedy: make both with --path-map",
                printable(before),
                printable(now)
            );
        }
        let paths = files.keys().copied().chain(self.paths().filter(|path| !files.contains_key(path)));
        for path in paths {
            let file = files.get(path).copied();
            let (before, now) = (self.0.get(path).unwrap_or(&none), file.map_or_else(Ran::default, Ran::of));
            let change = changes.map_or(FileChange::NONE, |changes| changes.of(path));
            // What is not in the report, and is not excluded either, does not run: its function is stale, or no program has it.
            let shown = file.map_or(&[][..], |file| &file.lines).iter();
            let excluded = file.map_or(&[][..], |file| &file.excluded_lines).iter();
            let known: HashSet<u32> = shown.chain(excluded).map(|(line, _)| *line).collect();
            let is_out = file.is_none() && !wanted.has(&[path]);
            let is_excluded = |line: u32| is_out || known.contains(&line);
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
        Ok(comparison)
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

impl Ran {
    fn of(file: &FileReport) -> Ran {
        let mut ran = Ran::default();
        ran.add_lines(file.lines.iter().copied());
        for on_line in branches_by_line(&file.branches) {
            for (number, (place, counts)) in on_line.iter().enumerate() {
                ran.add_branch(place.range.0.line, number, *counts);
            }
        }
        ran.add_functions(file.functions.iter().map(|(start, function)| (start.line, function.count)));
        ran
    }

    fn add_lines(&mut self, lines: impl IntoIterator<Item = (u32, u64)>) {
        self.lines.extend(lines.into_iter().map(|(line, count)| ((line, 0), count > 0)));
    }

    fn add_branch(&mut self, line: u32, number: usize, counts: [Option<u64>; 2]) {
        let sides = counts.into_iter().enumerate();
        let there = sides.filter_map(|(side, count)| Some(((line, 2 * number + side), count? > 0)));
        self.branches.extend(there);
    }

    fn add_functions(&mut self, functions: impl IntoIterator<Item = (u32, u64)>) {
        let mut numbers = HashMap::new();
        for (line, count) in functions {
            let number: &mut usize = numbers.entry(line).or_default();
            self.functions.insert((line, *number), count > 0);
            *number += 1;
        }
    }
}

impl Comparison {
    /// Returns the new lines of a file.
    pub(super) fn new_lines(&self, path: &str) -> Part {
        let mut part = Part::default();
        for (_, category) in self.categories.get(path).into_iter().flatten() {
            if matches!(category, Category::Unc | Category::Gnc) {
                part.add(*category == Category::Gnc);
            }
        }
        part
    }

    /// Returns the new lines of all files.
    pub(super) fn all_new_lines(&self) -> Part {
        let number = |category| self.lines.get(&category).copied().unwrap_or(0);
        let covered = number(Category::Gnc);
        Part { count: covered + number(Category::Unc), covered }
    }

    /// Returns a line for each file that has lost lines.
    pub(super) fn lost_lines(&self) -> impl Iterator<Item = String> {
        self.lost.iter().map(|(path, lines)| format!("{path}: ran before and not now: {}", super::lines::ranges(lines)))
    }
}

/// What an option names as a baseline.
#[derive(clap::Args, Debug)]
pub(super) struct Comparing {
    /// Compare with an earlier report of --json, or with other profiles; --since or --diff say what has changed in the sources since
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Fail by what the comparison says
    #[arg(long, value_name = "WHAT", requires = "baseline")]
    pub(super) fail_if: Option<FailIf>,
}
