//! An earlier report, to be compared with.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::files::FileReport;
use crate::lines::branches_by_line;
use crate::paths::{Paths, located};
use crate::text::{display, printable};

/// What a report says of a file: for each line, branch side and function whether it ran. The second number tells apart what is on one line.
#[derive(Default)]
pub struct Ran {
    /// Lines.
    pub lines: HashMap<(u32, usize), bool>,
    /// Sides of branches.
    pub branches: HashMap<(u32, usize), bool>,
    /// Functions by the lines that they begin in.
    pub functions: HashMap<(u32, usize), bool>,
}

/// The schema of reports as JSON.
pub const SCHEMA: &str = "profrt-cov-1";

/// An earlier report.
#[derive(Default)]
pub struct Baseline(BTreeMap<String, Ran>);

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
    /// Reads a report of the format `json`, whose paths become those of reports; `None`: the file is none. Errors: it cannot be read, or is damaged.
    pub fn read(path: &Path, paths: &Paths) -> Result<Option<Baseline>> {
        if path.is_dir() {
            return Ok(None);
        }
        let unread = || format!("{} cannot be read; is the path right?", display(path));
        let bytes = std::fs::read(path).with_context(unread)?;
        // No profile begins so.
        if !bytes.starts_with(b"{") {
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
            (paths.of_report(&located(&file.path)).to_string_lossy().into_owned(), ran)
        });
        Ok(Some(Baseline(files.collect())))
    }

    /// Adds what ran of a file, by other profiles.
    pub fn add(&mut self, path: String, ran: Ran) {
        self.0.insert(path, ran);
    }

    /// Returns the paths of all files.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns what ran of a file; `None`: it is not there.
    pub fn of_file(&self, path: &str) -> Option<&Ran> {
        self.0.get(path)
    }
}

impl Ran {
    /// Returns what ran of a file.
    pub fn of(file: &FileReport) -> Ran {
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
