//! `profrt diff`: what is different between two profiles: functions gained, lost and changed, the hot set, counts by ratio.
//!
//! Counts are compared by their shares of all counts, so that a program that merely ran longer has not changed.
//!
//! Exit status: 0; 1 when the overlap is below `--fail-under-overlap`, or inputs are damaged; 2 when nothing can be read, or the profiles are
//! of different kinds.

mod compare;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use profdata::Flags;

use crate::inputs::{display, profile};
use crate::merge::names;
use crate::report::names::FullNames;
use crate::report::style::{BAD, Styled, WARNING};
use crate::report::{Share, exact, print};

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

    profrt diff october.profdata november.profdata --fail-under-overlap 90%

Exit status: 0; 1 the overlap is below --fail-under-overlap, or inputs are damaged; 2 nothing can be compared.";

/// Compares two profiles, and returns the exit status.
pub fn main(options: &Options) -> ExitCode {
    match run(options) {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            complainln!("{} {error:#}", Styled(BAD, "profrt diff:"));
            ExitCode::from(2)
        }
    }
}

/// Returns the exit status. Errors: nothing can be compared.
fn run(options: &Options) -> Result<u8> {
    let (before, before_loss) = profile(std::slice::from_ref(&options.before))?;
    let (after, after_loss) = profile(std::slice::from_ref(&options.after))?;
    for (profile, path) in [(&before, &options.before), (&after, &options.after)] {
        ensure!(
            !profile.is_empty(),
            "{} has no functions, so nothing can be compared; was it made of damaged profiles?",
            display(path)
        );
    }
    for (flag, name) in [(Flags::IR, "IR instrumentation"), (Flags::BYTE_COVERAGE, "byte coverage")] {
        ensure!(
            before.flags().has(flag) == after.flags().has(flag),
            "only one of the profiles has {name}: their functions and counters are not the same things; profile both programs with \
             the same flags"
        );
    }
    let renamed = names::align(&before, &after)?;
    let counts_lost: u128 = renamed.iter().flatten().map(|renamed| renamed.counts_lost).sum();
    let [before, after] = [(&renamed[0], &before), (&renamed[1], &after)]
        .map(|(renamed, profile)| renamed.as_ref().map_or(profile, |renamed| &renamed.profile));
    let top = if options.all { usize::MAX } else { options.top };
    let mut difference = compare::compare(before, after, top);
    difference.renamed = renamed.iter().flatten().map(|renamed| renamed.names).sum();
    (difference.before.input, difference.after.input) = (display(&options.before), display(&options.after));
    difference.damage = [before_loss.lines(), after_loss.lines()].concat();
    if counts_lost > 0 {
        difference.damage.push(format!(
            "{} counts are left out: local functions that are one function with two names have counters that do not fit",
            exact(counts_lost)
        ));
    }
    let text = if options.json {
        serde_json::to_string_pretty(&difference).context("the result cannot be made")? + "\n"
    } else {
        text::text(&difference, options.names)
    };
    print(&text).context("standard output cannot be written")?;
    for line in &difference.damage {
        complainln!("{} {line}", Styled(WARNING, "damaged:"));
    }
    let is_close =
        options.fail_under_overlap.is_none_or(|share| share.is_kept(difference.overlap_millionths(), 1_000_000u64));
    if !is_close {
        complainln!(
            "{} the overlap is {:.2} %, and --fail-under-overlap asks for {}",
            Styled(BAD, "profrt diff:"),
            difference.overlap,
            options.fail_under_overlap.unwrap_or(Share::ALL)
        );
    }
    Ok(u8::from(!is_close || !difference.damage.is_empty()))
}
