//! What a watcher says: a line for each problem, once, and a report as JSON.

use std::collections::{HashSet, VecDeque};
use std::path::Path;

use serde::Serialize;

use super::state::State;
use crate::inputs::display;
use crate::merge::derive::Derived;
use crate::report::style::{GOOD, Styled, WARNING};

/// Problems that the report lists, and different messages that are remembered.
const MOST: usize = 1000;

/// Says things on standard error.
pub(super) struct Voice {
    quiet: bool,
    said: HashSet<String>,
    problems: VecDeque<Problem>,
    /// Problems of this run that keep something out of the result.
    pub(super) number: u64,
}

#[derive(Clone, Serialize)]
struct Problem {
    input: Option<String>,
    text: String,
}

impl Voice {
    pub(super) fn new(quiet: bool) -> Voice {
        Voice { quiet, said: HashSet::new(), problems: VecDeque::new(), number: 0 }
    }

    /// Says what goes on.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            complainln!("{} {text}", Styled(GOOD, "profrt watch:"));
        }
    }

    /// Says that something does not work, and is made up for; but not twice.
    pub(super) fn warn(&mut self, text: &str) {
        let before = self.number;
        self.problem(None, text);
        self.number = before;
    }

    /// Says that something is wrong, but not twice.
    pub(super) fn problem(&mut self, path: Option<&Path>, text: &str) {
        let input = path.map(display);
        let line = input.iter().map(|input| format!("{input}: ")).collect::<String>() + text;
        if self.said.len() >= MOST {
            self.said.clear();
        }
        if !self.said.insert(line.clone()) {
            return;
        }
        complainln!("{} {line}", Styled(WARNING, "profrt watch:"));
        self.number += 1;
        if self.problems.len() == MOST {
            self.problems.pop_front();
        }
        self.problems.push_back(Problem { input, text: text.to_owned() });
    }

    /// Returns the report on a result.
    pub(super) fn json(&self, output: &Path, state: &State, derived: &Derived, waiting: usize) -> String {
        let total = &derived.report.total;
        let report = Report {
            schema: "profrt-watch-1",
            output: Written {
                path: display(output),
                version: derived.version,
                readers: &derived.readers,
                bytes: derived.bytes.len() as u64,
                functions: derived.functions,
            },
            totals: Totals {
                inputs: total.inputs(),
                whole: total.whole,
                salvaged: total.salvaged,
                refused: total.refused,
                empty: total.empty,
                duplicates: state.counts.duplicates,
                changed: state.counts.changed,
                bytes: total.bytes,
                bytes_missing: total.bytes_missing,
                functions: total.functions,
                functions_lost: total.functions_lost,
                counts: total.counts,
                counts_lost: total.counts_lost,
            },
            waiting: waiting as u64,
            problems: self.problems.iter().collect(),
        };
        // Numbers and texts can always be written.
        serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
    }
}

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    output: Written<'a>,
    /// Since the first watcher of this output began.
    totals: Totals,
    /// Files that will be read.
    waiting: u64,
    /// The last ones of this run.
    problems: Vec<&'a Problem>,
}

#[derive(Serialize)]
struct Written<'a> {
    path: String,
    version: u32,
    readers: &'a str,
    bytes: u64,
    functions: u64,
}

#[derive(Serialize)]
struct Totals {
    inputs: u64,
    whole: u64,
    salvaged: u64,
    refused: u64,
    empty: u64,
    duplicates: u64,
    changed: u64,
    bytes: u64,
    bytes_missing: u64,
    functions: u64,
    functions_lost: u64,
    counts: u128,
    counts_lost: u128,
}
