//! `profrt report diff`: what is different between two profiles: functions gained, lost and changed, the hot set.
//!
//! Counts are compared by their shares of all counts, so that a program that merely ran longer has not changed.
//!
//! Exit status: 0; 1 when the overlap is below `--fail-under-overlap`, or inputs are damaged; 2 when nothing can be read, or the profiles are
//! of different kinds.

mod compare;
mod text;

use std::path::PathBuf;

use anyhow::{Result, ensure};
use profdata::Profile;
use profdata::sink::Flags;

use crate::inputs::{damage, display, profile};
use crate::merge::names;
use crate::report::names::FullNames;
use crate::report::{self, Share, Verdict};

/// What to compare.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// The former profile: a file of any format, a directory, an archive
    #[arg(value_name = "A")]
    before: PathBuf,
    /// The later profile
    #[arg(value_name = "B")]
    after: PathBuf,
    /// How many functions to name of each list
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Name all functions
    #[arg(long, conflicts_with = "top")]
    all: bool,
    /// Exit with status 1 when the profiles have less than this in common
    #[arg(long, value_name = "SHARE")]
    fail_under_overlap: Option<Share>,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    names: FullNames,
}

const EXAMPLE: &str = "\
Example: is last month's profile still good for this release?

    profrt report diff october.profdata november.profdata --fail-under-overlap 90%

Exit status: 0; 1 the overlap is below --fail-under-overlap, or inputs are damaged; 2 nothing can be compared.";

/// Compares two profiles, and returns the exit status. Errors: nothing can be compared.
pub fn run(options: &Options) -> Result<u8> {
    let (mut before, read_before) = profile(std::slice::from_ref(&options.before), None)?;
    let (mut after, read_after) = profile(std::slice::from_ref(&options.after), None)?;
    for (profile, path) in [(&before, &options.before), (&after, &options.after)] {
        ensure!(
            !profile.is_empty(),
            "{} has no functions, so nothing can be compared; was it made of damaged profiles?",
            display(path)
        );
    }
    check_kinds(&before, &after)?;
    let (renamed, lost) = names::align(&mut before, &mut after)?;
    let top = if options.all { usize::MAX } else { options.top };
    let mut difference = compare::compare(&before, &after, top);
    difference.renamed = renamed;
    (difference.before.input, difference.after.input) = (display(&options.before), display(&options.after));
    let Verdict { damage, failures } = &mut difference.verdict;
    *damage = [self::damage(&read_before), self::damage(&read_after), lost.into_iter().collect()].concat();
    let overlap = difference.overlap;
    // In parts of a million, rounded down.
    let is_kept = |share: &Share| share.is_kept((overlap * 10_000.0 + 1e-6) as u64, 1_000_000u64);
    if let Some(share) = options.fail_under_overlap.filter(|share| !is_kept(share)) {
        failures.push(format!("the overlap is {overlap:.2} %, and --fail-under-overlap asks for {share}"));
    }
    let schema = options.json.then_some("profrt-diff-1");
    report::show(schema, difference.verdict.status(), &difference, || text::text(&difference, options.names))?;
    Ok(difference.verdict.end("report diff"))
}

/// Returns what two profiles have in common of all counts, in percent.
pub(crate) fn overlap(before: &Profile, after: &Profile) -> f64 {
    compare::compare(before, after, 0).overlap
}

/// Checks that two profiles count the same things. Errors: they do not.
pub(crate) fn check_kinds(before: &Profile, after: &Profile) -> Result<()> {
    for (flag, name) in [(Flags::IR, "IR instrumentation"), (Flags::BYTE_COVERAGE, "byte coverage")] {
        ensure!(
            before.flags().has(flag) == after.flags().has(flag),
            "only one of the profiles has {name}: their functions and counters are not the same things; profile both programs with \
             the same flags"
        );
    }
    Ok(())
}
