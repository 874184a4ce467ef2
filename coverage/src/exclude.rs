//! What does not count: by markers in sources, by regular expressions, and what every Rust program has.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::Result;
use derive_more::AddAssign;
use regex::Regex;
use serde::Serialize;

use crate::names::demangle;
use crate::paths::{Source, located, source};
use crate::rust;
use crate::totals::Part;

/// What is excluded, and how much of it ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, AddAssign)]
pub struct Excluded {
    /// Functions.
    pub functions: Part,
    /// Lines with code.
    pub lines: Part,
    /// Sides of branches.
    pub branches: Part,
}

/// The rules of exclusion: markers in sources, and these.
pub struct Exclude {
    /// Expressions for the text of lines.
    pub lines: Vec<Regex>,
    /// Expressions for the text of lines whose branches are left out.
    pub branches: Vec<Regex>,
    /// Expressions for demangled names of functions.
    pub functions: Vec<Regex>,
    /// Leave out of Rust what every program has, and nobody tests.
    is_rust: bool,
    marker: Regex,
    /// Files of which all is excluded.
    files: HashSet<PathBuf>,
}

/// The lines of a file that are excluded, as ranges from the first to the last.
#[derive(Default)]
pub struct Marks {
    lines: Vec<(u32, u32)>,
    branches: Vec<(u32, u32)>,
    /// The lines of the source; `None`: it was not read.
    pub(crate) source_lines: Option<u32>,
}

/// Something in a source that began and has not ended: the line, and the marker.
type Open = Option<(u32, String)>;

impl Exclude {
    /// Returns the rules of markers; `sources`: those of Rust, too, which look at these. Errors: none, for the expressions are sound.
    pub fn new(sources: Option<&[Source]>) -> Result<Exclude> {
        let files = sources.map(rust::of_tests).transpose()?.unwrap_or_default();
        // lcov's, gcovr's and those that both know.
        let marker = Regex::new(r"(?-u:\b)(?:LCOV|GCOVR|GCOV)_EXCL_(BR_)?(LINE|START|STOP)(?-u:\b)")?;
        let is_rust = sources.is_some();
        Ok(Exclude { lines: Vec::new(), branches: Vec::new(), functions: Vec::new(), is_rust, marker, files })
    }

    /// Returns what is excluded of a file. `functions` returns the names, first and last lines of all its functions.
    ///
    /// Errors: a line for each marker that has no partner.
    pub fn marks<'n>(
        &self,
        path: &str,
        functions: impl FnOnce() -> Vec<(&'n [u8], u32, u32)>,
    ) -> std::result::Result<Marks, Vec<String>> {
        let mut marks = Marks::default();
        if self.files.contains(&located(path)) {
            marks.lines.push((1, u32::MAX));
        }
        if !self.functions.is_empty() {
            for (name, first, last) in functions() {
                let name = demangle(name);
                if self.functions.iter().any(|regex| regex.is_match(&name)) {
                    marks.lines.push((first, last));
                }
            }
        }
        let has_rules = !self.lines.is_empty() || !self.branches.is_empty() || self.is_rust;
        let source = source(path);
        marks.source_lines = source.as_ref().map(|source| memchr::memchr_iter(b'\n', source).count() as u32 + 1);
        // Most sources have none, and looking at all lines would take a sixth of the time.
        let is_looked_at = |source: &Vec<u8>| has_rules || memchr::memmem::find(source, b"_EXCL_").is_some();
        let Some(source) = source.filter(is_looked_at) else { return Ok(marks.in_order()) };
        let source = String::from_utf8_lossy(&source);
        let mut wrong = Vec::new();
        // Of lines, and of branches.
        let mut open: [Open; 2] = [None, None];
        for (number, text) in (1..).zip(source.lines()) {
            for found in self.marker.captures_iter(text) {
                let (is_branch, name) = (found.get(1).is_some(), found.get(0).map_or("", |found| found.as_str()));
                let to = if is_branch { &mut marks.branches } else { &mut marks.lines };
                let [lines, branches] = &mut open;
                let open = if is_branch { branches } else { lines };
                match found.get(2).map_or("", |found| found.as_str()) {
                    "LINE" => to.push((number, number)),
                    "START" => match open {
                        Some((first, _)) => {
                            wrong.push(format!("{path}:{number}: {name} in one that began in line {first}"))
                        }
                        None => *open = Some((number, name.to_owned())),
                    },
                    _ => match open.take() {
                        Some((first, _)) => to.push((first, number)),
                        None => wrong.push(format!("{path}:{number}: {name} ends nothing")),
                    },
                }
            }
            if self.lines.iter().any(|regex| regex.is_match(text)) {
                marks.lines.push((number, number));
            }
            if self.branches.iter().any(|regex| regex.is_match(text)) {
                marks.branches.push((number, number));
            }
        }
        wrong.extend(open.into_iter().flatten().map(|(line, name)| format!("{path}:{line}: {name} never ends")));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        if self.is_rust && Path::new(path).extension().is_some_and(|extension| extension == "rs") {
            rust::add(&source, &mut marks.lines);
        }
        Ok(marks.in_order())
    }
}

impl Marks {
    /// Returns whether nothing is excluded.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.branches.is_empty()
    }

    /// Makes the ranges ones that do not meet, in order.
    fn in_order(mut self) -> Marks {
        for ranges in [&mut self.lines, &mut self.branches] {
            ranges.sort_unstable();
            ranges.dedup_by(|next, first| {
                let meets = next.0 <= first.1;
                if meets {
                    first.1 = first.1.max(next.1);
                }
                meets
            });
        }
        self
    }

    /// Returns whether a line is excluded.
    pub fn has_line(&self, line: u32) -> bool {
        is_in(&self.lines, line)
    }

    /// Returns whether the branches of a line are excluded.
    pub fn has_branch(&self, line: u32) -> bool {
        self.has_line(line) || is_in(&self.branches, line)
    }
}

/// Returns whether a line is in one of these ranges, which do not meet and are in order.
pub fn is_in(ranges: &[(u32, u32)], line: u32) -> bool {
    let after = ranges.partition_point(|(first, _)| *first <= line);
    after.checked_sub(1).and_then(|place| ranges.get(place)).is_some_and(|(_, last)| line <= *last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(source: &str, name: &str) -> std::result::Result<Marks, Vec<String>> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        std::fs::write(&path, source).unwrap();
        let functions = || vec![(&b"drop_all"[..], 20, 22), (&b"main"[..], 30, 32)];
        let regex = |text: &str| vec![Regex::new(text).unwrap()];
        let mut exclude = Exclude::new(Some(&[])).unwrap();
        (exclude.lines, exclude.branches, exclude.functions) = (regex("assert"), regex("likely"), regex("^drop_"));
        exclude.marks(path.to_str().unwrap(), functions)
    }

    #[test]
    fn markers_and_expressions() {
        let source = "a // LCOV_EXCL_LINE\nb\n// GCOVR_EXCL_START\nc\n// GCOVR_EXCL_STOP\nd /* LCOV_EXCL_BR_LINE */\n\
                      // GCOV_EXCL_BR_START\ne\n// LCOV_EXCL_BR_STOP\nassert(f)\nif (likely(g))\n";
        let marks = marks(source, "a.c").unwrap();
        let lines: Vec<u32> = (1..40).filter(|line| marks.has_line(*line)).collect();
        assert_eq!(lines, [1, 3, 4, 5, 10, 20, 21, 22]);
        let branches: Vec<u32> = (1..12).filter(|line| marks.has_branch(*line)).collect();
        assert_eq!(branches, [1, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    }

    #[test]
    fn markers_without_partners_are_errors() {
        let source = "// LCOV_EXCL_STOP\n// LCOV_EXCL_START\n// LCOV_EXCL_START\n";
        let wrong = marks(source, "a.c").err().unwrap();
        let places: Vec<&str> = wrong.iter().filter_map(|line| line.split(":").nth(1)).collect();
        assert_eq!(places, ["1", "3", "2"], "{wrong:?}");
    }
}
