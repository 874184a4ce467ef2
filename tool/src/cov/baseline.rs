//! Comparison with an earlier report, in the twelve categories of lcov: what is new, what was lost, what was gained.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::SCHEMA;
use super::changes::{Changes, FileChange};
use super::files::{FileReport, Report};
use super::lines::branches_by_line;
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
    /// What became of each line that is there now, by file, in rising order.
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

    /// Compares a report with this one. `changes`: what has changed in the sources since; nothing, unless it is given.
    pub(super) fn compare(&self, report: &Report, changes: Option<&Changes>) -> Comparison {
        let mut comparison = Comparison::default();
        let none = Ran::default();
        let now: BTreeMap<&str, Ran> = report.files.iter().map(|file| (file.path.as_str(), Ran::of(file))).collect();
        let paths = now.keys().copied().chain(self.0.keys().map(String::as_str).filter(|path| !now.contains_key(path)));
        for path in paths {
            let (before, now) = (self.0.get(path).unwrap_or(&none), now.get(path).unwrap_or(&none));
            let change = changes.map_or(FileChange::NONE, |changes| changes.of(path));
            let mut lines = Vec::new();
            compare(&before.lines, &now.lines, change, &mut comparison.lines, |line, category| {
                lines.push((line, category))
            });
            compare(&before.branches, &now.branches, change, &mut comparison.branches, |_, _| ());
            compare(&before.functions, &now.functions, change, &mut comparison.functions, |_, _| ());
            lines.sort_unstable();
            let lost = lines.iter().filter(|(_, category)| *category == Category::Lbc).map(|(line, _)| *line);
            let lost: Vec<u32> = lost.collect();
            if !lost.is_empty() {
                comparison.lost.insert(path.to_owned(), lost);
            }
            comparison.categories.insert(path.to_owned(), lines);
        }
        comparison
    }
}

/// Counts the categories of the things of a file. Calls `each` with the line and the category of each that is there now.
fn compare(
    before: &HashMap<(u32, usize), bool>,
    now: &HashMap<(u32, usize), bool>,
    change: &FileChange,
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
        let category = match (change.is_deleted(place.0), ran) {
            (false, false) => Category::Eub,
            (false, true) => Category::Ecb,
            (true, false) => Category::Dub,
            (true, true) => Category::Dcb,
        };
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
