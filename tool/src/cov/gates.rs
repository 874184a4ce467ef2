//! Limits that decide the exit status.

use std::path::Path;
use std::str::FromStr;

use anyhow::{Result, ensure};
use profrt_coverage::account::{Account, Class};
use profrt_coverage::files::Report;
use profrt_coverage::paths::plain;
use profrt_coverage::totals::{ALL, Part, Totals, What};

use crate::report::{exact, percent};

/// How much has to have run: `lines=80`, or `src/core:lines=90`.
#[derive(Clone, Debug)]
pub(super) struct FailUnder {
    what: What,
    /// In thousandths of a percent.
    least: u64,
    text: String,
    /// Of new lines.
    is_new: bool,
    /// Of the files in this directory.
    directory: Option<String>,
}

impl FromStr for FailUnder {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<FailUnder, String> {
        let form = || {
            format!(
                "`{text}`: write functions, lines, regions, branches, mcdc or new-lines, `=`, and a percentage, as lines=80"
            )
        };
        let (what, least) = text.rsplit_once('=').ok_or_else(form)?;
        let (directory, what) = what.rsplit_once(':').map_or((None, what), |(directory, what)| (Some(directory), what));
        let directory = directory.map(str::to_owned);
        let is_new = what == "new-lines";
        let name = if is_new { "lines" } else { what };
        let what = ALL.into_iter().find(|what| what.name() == name).ok_or_else(form)?;
        let least = least.strip_suffix('%').unwrap_or(least).trim();
        let number: f64 = least.parse().map_err(|_| form())?;
        if !(0.0..=100.0).contains(&number) || is_new && directory.is_some() {
            return Err(form());
        }
        Ok(FailUnder { what, least: (number * 1000.0).round() as u64, text: least.to_owned(), is_new, directory })
    }
}

/// Checks that limits of new lines have a change, and those of each file no directory. Errors: one has not.
pub(super) fn check(of_all: &[FailUnder], of_file: &[FailUnder], has_change: bool) -> Result<()> {
    ensure!(
        has_change || !of_all.iter().chain(of_file).any(|limit| limit.is_new),
        "new-lines needs --since or --diff, which say which lines are new"
    );
    ensure!(of_file.iter().all(|limit| limit.directory.is_none()), "only --fail-under has limits of a directory");
    Ok(())
}

/// Says that a limit of new lines was not checked, for the change is one of other sources.
pub(super) fn stray<'l>(limits: impl IntoIterator<Item = &'l FailUnder>, failures: &mut Vec<String>) {
    if limits.into_iter().any(|limit| limit.is_new) {
        failures.push("new-lines: no file of the change is a source".to_owned());
    }
}

/// Says which limits are of what is not there at all. New lines need not be there.
pub(super) fn absent(limits: &[FailUnder], totals: &Totals, failures: &mut Vec<String>) {
    let of_all = limits.iter().filter(|limit| !limit.is_new && limit.directory.is_none());
    for limit in of_all.filter(|limit| limit.least > 0 && totals.part(limit.what).count == 0) {
        let remedy = if limit.what == What::Mcdc { "; compile with -fcoverage-mcdc" } else { "" };
        failures.push(format!(
            "all files: there are no {} at all; {} % are required{remedy}",
            limit.what.name(),
            limit.text
        ));
    }
}

/// Says which limits are not reached. `new`: new lines.
pub(super) fn under(limits: &[FailUnder], whose: &str, totals: &Totals, new: Part, failures: &mut Vec<String>) {
    for limit in limits.iter().filter(|limit| limit.directory.is_none()) {
        let part = if limit.is_new { new } else { totals.part(limit.what) };
        if u128::from(part.covered) * 100_000 < u128::from(part.count) * u128::from(limit.least) {
            failures.push(format!(
                "{whose}: {} of {} {}{} ran, {}; {} % are required",
                exact(part.covered),
                exact(part.count),
                if limit.is_new { "new " } else { "" },
                limit.what.name(),
                percent(part.covered, part.count),
                limit.text
            ));
        }
    }
}

/// Says which limits of directories are not reached, or have no file.
pub(super) fn under_directory(limits: &[FailUnder], report: &Report, failures: &mut Vec<String>) {
    for limit in limits {
        let Some(directory) = &limit.directory else { continue };
        let mut inside = report
            .files
            .iter()
            .filter(|file| Path::new(&file.path).starts_with(plain(Path::new(directory))))
            .peekable();
        // A change need not be in it.
        if inside.peek().is_none() && !report.is_change {
            failures.push(format!("{directory}: no file of the report is in it"));
        }
        let mut totals = Totals::default();
        inside.for_each(|file| totals += file.totals);
        let limit = FailUnder { directory: None, ..limit.clone() };
        under(&[limit], directory, &totals, Part::default(), failures);
    }
}

/// What may not be in a comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum FailIf {
    /// Unchanged lines that were covered are uncovered now
    Lost,
}

/// Classes of records that may not be there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum FailOn {
    /// Stale and other-build.
    Mismatched,
    Stale,
    OtherBuild,
    Unknown,
    Damaged,
}

/// Says which classes have records.
pub(super) fn on(classes: &[FailOn], account: &Account, failures: &mut Vec<String>) {
    for class in classes {
        let classes: &[Class] = match class {
            FailOn::Mismatched => &[Class::Stale, Class::OtherBuild],
            FailOn::Stale => &[Class::Stale],
            FailOn::OtherBuild => &[Class::OtherBuild],
            FailOn::Unknown => &[Class::Unknown],
            FailOn::Damaged => &[Class::Damaged],
        };
        for class in classes {
            let (functions, records) = (account.mappings(*class), account.records(*class));
            if functions + records > 0 {
                failures.push(format!(
                    "{}: {} functions of programs, {} records of profiles; --explain lists them",
                    class.name(),
                    exact(functions),
                    exact(records)
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_exact() {
        let totals = Totals { lines: Part { count: 1000, covered: 799 }, ..Totals::default() };
        let new = Part { count: 5, covered: 2 };
        let fails = |limit: &str| {
            let mut failures = Vec::new();
            under(&[limit.parse().unwrap()], "x", &totals, new, &mut failures);
            !failures.is_empty()
        };
        assert!(fails("lines=80") && fails("lines=79.901%") && !fails("lines=79.9"));
        assert!(fails("new-lines=41") && !fails("new-lines=40"));
        assert!(!fails("branches=100"), "nothing is all");
        let is_absent = |limit: &str| {
            let mut failures = Vec::new();
            absent(&[limit.parse().unwrap()], &totals, &mut failures);
            !failures.is_empty()
        };
        assert!(is_absent("branches=100") && is_absent("mcdc=1"));
        assert!(!is_absent("mcdc=0") && !is_absent("lines=100"));
        assert!(!is_absent("new-lines=100"));
        for wrong in ["a:new-lines=1", "a:words=1", "lines", "lines=", "lines=101", "words=1", "lines=x"] {
            assert!(wrong.parse::<FailUnder>().is_err(), "{wrong}");
        }
    }
}
