//! Questions about an index, and answers as text and JSON.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Serialize;

use super::index::{FileTests, Stored};
use super::select::{Selected, union};
use super::set::TestSet;
use crate::report::Page;
use crate::text::{exact, many, printable};
use profrt_coverage::general::general;
use profrt_coverage::lines::range;

/// An answer.
#[derive(Default, Serialize)]
pub(super) struct Answer {
    /// Names of tests, for lines and for a change.
    #[serde(skip_serializing_if = "Option::is_none")]
    tests: Option<Vec<String>>,
    /// Those of a change that ran a changed line.
    #[serde(skip_serializing_if = "Option::is_none")]
    ran_changed_lines: Option<Vec<String>>,
    /// Lines, as runs, by file.
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<BTreeMap<String, Vec<(u32, u32)>>>,
    /// Each test.
    #[serde(skip_serializing_if = "Option::is_none")]
    all: Option<Vec<Row>>,
    /// What of a change cannot be judged.
    pub(super) failures: Vec<String>,
    #[serde(skip)]
    pub(super) notes: Vec<String>,
}

/// How much a test runs.
#[derive(Serialize)]
struct Row {
    test: String,
    lines: u64,
    /// Those that no other test runs.
    unique: u64,
}

/// Returns the tests that ran one of these places: `FILE:LINE`, `FILE:FIRST-LAST`, or a function. Errors: there is no such place.
pub(super) fn of_places<'p>(stored: &Stored, places: impl Iterator<Item = &'p str>) -> Result<Answer> {
    let (mut tests, mut notes) = (TestSet::default(), Vec::new());
    for place in places {
        let found = match lines(place) {
            Some((path, first, last)) => {
                let path = one_path(stored, path)?;
                vec![(path, stored.file(path)?.context("there is no such file")?, vec![(first, last)])]
            }
            None => functions(stored, place)?,
        };
        let (mut ran, mut has_code, mut each) = (TestSet::default(), false, Vec::new());
        for (path, file, places) in &found {
            for (first, last) in places {
                ran.add(&union(stored, file, *first, *last)?);
                has_code |= file.runs(*first, *last).next().is_some();
                each.push(format!("{}:{first}", printable(path)));
            }
        }
        if each.len() > 1 {
            notes.push(format!("{} is each of {}", printable(place), each.join(", ")));
        }
        if !has_code {
            notes.push(format!("{}: no code", printable(place)));
        } else if ran.is_empty() {
            notes.push(format!("{}: no test ran it", printable(place)));
        }
        tests.add(&ran);
    }
    Ok(Answer { tests: Some(owned(stored, &tests)), notes, ..Answer::default() })
}

/// Reads `FILE:LINE` or `FILE:FIRST-LAST`.
fn lines(place: &str) -> Option<(&str, u32, u32)> {
    let (path, lines) = place.rsplit_once(':')?;
    let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first <= last).then_some((path, first, last))
}

/// What was asked for of a file: its path, and first and last lines.
type Found<'s> = (&'s str, FileTests, Vec<(u32, u32)>);

/// Returns the functions that have this name, or one that ends in it. Errors: there is none.
fn functions<'s>(stored: &'s Stored, end: &str) -> Result<Vec<Found<'s>>> {
    let is_it = |name: &String| {
        let general = general(name);
        name == end || general.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with([':', ';']))
    };
    let mut found = Vec::new();
    for path in stored.paths() {
        let Some(file) = stored.file(path)? else { continue };
        let named = file.functions.iter().zip(&file.names).filter(|(_, name)| is_it(name)).map(|(lines, _)| *lines);
        let named: Vec<_> = named.collect();
        if !named.is_empty() {
            found.push((path, file, named));
        }
    }
    ensure!(
        !found.is_empty(),
        "no function has the name `{}`, or one that ends in it; write FILE:LINE, FILE:FIRST-LAST or a function",
        printable(end)
    );
    Ok(found)
}

/// Returns the path that is this one, or ends in it. Errors: none does, or several do.
fn one_path<'s>(stored: &'s Stored, end: &str) -> Result<&'s str> {
    let is_it = |path: &&str| std::path::Path::new(path).ends_with(end);
    let found: Vec<&str> = match stored.paths().find(|path| *path == end) {
        Some(path) => vec![path],
        None => stored.paths().filter(is_it).collect(),
    };
    let shown = || found.iter().map(|path| printable(path)).collect::<Vec<_>>().join(", ");
    ensure!(found.len() <= 1, "{} is one of {}; write more of its path", printable(end), shown());
    found.first().copied().with_context(|| format!("no source has the path {}, or one that ends in it", printable(end)))
}

/// Returns the tests that a change concerns: those that ran a changed line first.
pub(super) fn of_change(stored: &Stored, selected: &Selected) -> Answer {
    let direct = owned(stored, &selected.direct);
    let mut others = TestSet::default();
    let unknown = stored.unknown.iter().copied();
    selected
        .tests
        .iter()
        .chain(unknown)
        .filter(|test| !selected.direct.has(*test))
        .for_each(|test| others.insert(test));
    let mut notes = selected.notes();
    if let number @ 1.. = stored.unknown.len() as u64 {
        notes.push(format!(
            "{} of which no line is known, so any change may need them, are listed too",
            many(number, "test")
        ));
    }
    Answer {
        tests: Some([direct.clone(), owned(stored, &others)].concat()),
        ran_changed_lines: Some(direct),
        failures: selected.failures(),
        notes,
        ..Answer::default()
    }
}

fn owned(stored: &Stored, set: &TestSet) -> Vec<String> {
    stored.names(set).into_iter().map(str::to_owned).collect()
}

/// Returns the lines that only this test ran. Errors: there is no such test, or the file is damaged.
pub(super) fn of_unique(stored: &Stored, test: &str) -> Result<Answer> {
    let test = stored
        .tests
        .iter()
        .position(|name| name == test)
        .with_context(|| format!("there is no test {}; without a question all are listed", printable(test)))?;
    let mut files: BTreeMap<String, Vec<(u32, u32)>> = BTreeMap::new();
    for_each_run(stored, |path, (first, last), set| {
        if set.only() == Some(test as u32) {
            files.entry(path.to_owned()).or_default().push((first, last));
        }
    })?;
    Ok(Answer { files: Some(files), ..Answer::default() })
}

/// Returns how much each test ran. Errors: the file is damaged.
pub(super) fn of_all(stored: &Stored) -> Result<Answer> {
    let mut all: Vec<Row> = stored.tests.iter().map(|test| Row { test: test.clone(), lines: 0, unique: 0 }).collect();
    for_each_run(stored, |_, (first, last), set| {
        let lines = u64::from(last.saturating_sub(first)) + 1;
        for test in set.iter() {
            all.get_mut(test as usize).into_iter().for_each(|row| row.lines += lines);
        }
        let row = set.only().and_then(|test| all.get_mut(test as usize));
        row.into_iter().for_each(|row| row.unique += lines);
    })?;
    Ok(Answer { all: Some(all), ..Answer::default() })
}

fn for_each_run(stored: &Stored, mut each: impl FnMut(&str, (u32, u32), &TestSet)) -> Result<()> {
    for path in stored.paths() {
        for (first, last, set) in stored.file(path)?.into_iter().flat_map(|file| file.lines) {
            each(path, (first, last), &stored.set(set)?);
        }
    }
    Ok(())
}

impl Answer {
    /// Returns an expression that matches the names of the tests: of all if any may be needed.
    pub(super) fn ctest(&self) -> String {
        if !self.failures.is_empty() {
            return ".\n".to_owned();
        }
        let names: Vec<String> = self.tests.iter().flatten().map(|test| regex::escape(test)).collect();
        format!("^({})$\n", names.join("|"))
    }

    /// Returns the answer for people and scripts: a name, or a place, a line.
    pub(super) fn text(&self) -> String {
        let mut page = Page::default();
        self.tests.iter().flatten().for_each(|test| page.line(printable(test)));
        for (path, runs) in self.files.iter().flatten() {
            for (first, last) in runs {
                page.line(format_args!("{}:{}", printable(path), range(*first, *last)));
            }
        }
        if let Some(rows) = &self.all {
            page.line(format_args!("{:>12} {:>12}", "lines", "only by it"));
            for row in rows {
                page.line(format_args!(
                    "{:>12} {:>12}   {}",
                    exact(row.lines),
                    exact(row.unique),
                    printable(&row.test)
                ));
            }
            page.line(format_args!(
                "{:>12} {:>12}   {}",
                "",
                exact(rows.iter().map(|row| row.unique).sum::<u64>()),
                many(rows.len() as u64, "test")
            ));
        }
        page.text()
    }
}
