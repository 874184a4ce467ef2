//! What a watcher says: a line for each problem, once, and a report as JSON.

use std::collections::HashSet;

use serde::Serialize;

use crate::report::style::{GOOD, Styled, WARNING};

/// Different lines that are remembered.
const MOST: usize = 10_000;

/// Says things on standard error.
pub(super) struct Voice {
    quiet: bool,
    said: HashSet<String>,
}

impl Voice {
    pub(super) fn new(quiet: bool) -> Voice {
        Voice { quiet, said: HashSet::new() }
    }

    /// Says what goes on.
    pub(super) fn note(&self, text: &str) {
        if !self.quiet {
            complainln!("{} {text}", Styled(GOOD, "profrt watch:"));
        }
    }

    /// Says that something is wrong, but not twice.
    pub(super) fn warn(&mut self, text: String) {
        if self.said.len() >= MOST {
            self.said.clear();
        }
        if !self.said.contains(&text) {
            complainln!("{} {text}", Styled(WARNING, "profrt watch:"));
            self.said.insert(text);
        }
    }
}

/// The report, after each result, and when the problems change.
#[derive(Serialize)]
pub(super) struct Report {
    pub(super) totals: Totals,
    /// Files that are not merged yet.
    pub(super) waiting: u64,
    /// Files that stay out of the result as they are.
    pub(super) problems: Vec<Problem>,
}

/// What is in the result, since the output began.
#[derive(Serialize)]
pub(super) struct Totals {
    pub(super) inputs: u64,
    pub(super) bytes: u64,
    pub(super) functions: u64,
    pub(super) counts: u128,
}

#[derive(Serialize)]
pub(super) struct Problem {
    pub(super) input: String,
    pub(super) text: String,
}
