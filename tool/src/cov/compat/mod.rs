//! `--compat`: what `llvm-cov` of a release prints, from the same profiles and programs.
//!
//! [`Files`] goes through the files as that release does, and each output has a module: `export` as JSON and as lcov, and the table of `report`.

mod json;
mod lcov;
mod release;
mod report;

use anyhow::{Result, ensure};
use profdata::coverage::{Counts, FileCoverage, Function, Mapping};
use profrt_coverage::paths::Paths;

use crate::text::printable_bytes;
pub(super) use release::Release;

/// Returns what the output with this name is; `None`: `llvm-cov` has no such output.
pub(super) fn output(name: &str) -> Option<fn(&Files<'_>) -> Result<String>> {
    match name {
        "json" => Some(json::text),
        "lcov" => Some(lcov::text),
        "summary" => Some(report::text),
        _ => None,
    }
}

/// The files that `llvm-cov` lists, in the order of their names.
pub(super) struct Files<'c> {
    mapping: &'c Mapping<'c>,
    counts: &'c Counts<'c>,
    release: Release,
    /// Names and numbers.
    files: Vec<(String, u32)>,
}

impl<'c> Files<'c> {
    /// Returns the files that are not ignored.
    pub(super) fn new(mapping: &'c Mapping<'c>, counts: &'c Counts<'c>, release: Release, paths: &Paths) -> Files<'c> {
        let mut files: Vec<(String, u32)> = (0..mapping.paths())
            .filter(|number| mapping.listed(mapping.functions_in(*number), counts, release.rules()).next().is_some())
            .map(|number| (String::from_utf8_lossy(mapping.path(number)).into_owned(), number))
            .filter(|(name, _)| !paths.ignores(name))
            .collect();
        files.sort_unstable();
        Files { mapping, counts, release, files }
    }

    /// Calls `each` with each file. Errors: what `llvm-cov` makes of damaged functions is not known.
    fn for_each(&self, mut each: impl FnMut(&str, FileCoverage<'_>) -> Result<()>) -> Result<()> {
        for (name, number) in &self.files {
            let file = self.mapping.file(*number, self.counts, self.release.rules());
            for (function, error) in &file.left_out {
                self.check(function, error.as_ref())?;
            }
            each(name, file)?;
        }
        Ok(())
    }

    /// Checks that a function is left out only because the profile has another build of it.
    fn check(&self, function: &Function<'_>, error: Option<&profdata::Error>) -> Result<()> {
        ensure!(
            error.is_none(),
            "{}: {}\n  remedy: leave --compat out; what llvm-cov prints of damaged mappings was not compared",
            printable_bytes(self.mapping.name(function.name_hash()).unwrap_or(b"a function")),
            error.map_or_else(String::new, ToString::to_string)
        );
        Ok(())
    }

    /// Returns the PGO name of a function.
    fn name(&self, function: &Function<'_>) -> String {
        String::from_utf8_lossy(self.mapping.name(function.name_hash()).unwrap_or(&[])).into_owned()
    }
}
