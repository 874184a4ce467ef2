//! `profrt report quality`: how much a profile is worth for a program: functions with a profile, stale hashes, hot functions without one, values that
//! overflowed.
//!
//! Exit status: 0; 1 when less than the options ask for has a profile, more is stale, or inputs are damaged; 2 when something cannot be read,
//! or the programs do not tell what an option asks for.

mod cover;
mod hot;
mod program;
mod sites;
mod text;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use profdata::Profile;
use serde::Serialize;

use crate::inputs::{binaries, damage, display, profile};
use crate::merge::notes::OtherHashes;
use crate::report::names::FullNames;
use crate::report::{self, NO_FUNCTIONS, Share, Verdict, percent, share};
use crate::show::{formats, kind_of};

pub(crate) use cover::{Amount, Cover, Records, cover};
use hot::{Calls, Hot, Useless};
pub(crate) use program::{Described, Program};
use sites::Sites;

/// What to look at.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// Profiles of any format, directories, archives; `-` is standard input. Several are added up
    #[arg(required = true, value_name = "PROFILE")]
    inputs: Vec<PathBuf>,
    /// Program or shared object, as the linker wrote it; once for each. Only an instrumented one has hashes to compare
    #[arg(long, alias = "elf", value_name = "PROGRAM")]
    object: Vec<PathBuf>,
    /// How many functions and sites to name of each list
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Name all functions and sites
    #[arg(long, conflicts_with = "top")]
    all: bool,
    /// Exit with status 1 when fewer functions of the programs have a profile that compilers can use
    #[arg(long, value_name = "SHARE", requires = "object")]
    fail_under_functions: Option<Share>,
    /// The same by bytes of code
    #[arg(long, value_name = "SHARE", requires = "object")]
    fail_under_code: Option<Share>,
    /// Exit with status 1 when more functions that both the programs and the profile have are stale: their hashes differ
    #[arg(long, value_name = "SHARE", requires = "object")]
    fail_over_stale: Option<Share>,
    /// Exit with status 1 when more hot functions of the profile are stale or not in the programs
    #[arg(long, value_name = "SHARE", requires = "object")]
    fail_over_hot_unusable: Option<Share>,
    /// Write JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    names: FullNames,
}

const EXAMPLE: &str = "\
Example: is last night's profile good enough for the release?

    profrt report quality night.profdata --object app --fail-under-functions 80% --fail-over-stale 5%

Exit status: 0; 1 the profile fails what --fail-… ask for, or inputs are damaged; 2 something cannot be read, or the programs do not tell
what an option asks for.";

/// Everything, for machines.
#[derive(Serialize)]
struct Quality {
    inputs: Vec<String>,
    formats: Vec<String>,
    kind: String,
    programs: Vec<Described>,
    /// Functions of the programs; `null`: no program is named.
    functions: Option<Amount>,
    /// Bytes of code; `null`: no program has symbols.
    code: Option<Amount>,
    /// Share of functions whose hash differs, of those that both sides have, in percent; `null`: no program has hashes.
    stale_share: Option<f64>,
    profile: Parts,
    hot: Hot,
    calls: Calls,
    sites: Sites,
    /// What cannot be told, and why.
    notes: Vec<String>,
    #[serde(flatten)]
    verdict: Verdict,
}

/// What of the profile is of no use.
#[derive(Serialize)]
struct Parts {
    functions: u64,
    functions_that_ran: u64,
    counts: u64,
    /// Records of functions of the programs with other hashes.
    stale_records: u64,
    stale_counts: u64,
    /// Records of functions that no program has.
    records_not_in_program: u64,
    counts_not_in_program: u64,
    /// Functions with counts under several hashes, and the counts under others than that with the most.
    functions_with_other_hashes: u64,
    counts_of_other_hashes: u64,
}

/// Judges a profile, and returns the exit status. Errors: something cannot be read, or an option asks for what cannot be told.
pub fn run(options: &Options) -> Result<u8> {
    let programs: Vec<Program> = options.object.iter().map(|path| Program::read(path)).collect::<Result<_>>()?;
    let (profile, read) = profile(&options.inputs, binaries(&options.object)?)?;
    let records = Records::of(&profile);
    let covered = (!programs.is_empty()).then(|| cover(&programs, &records));
    let top = if options.all { usize::MAX } else { options.top };
    let (hot, useless) = hot::hot(&profile, covered.as_ref(), top);
    let calls = hot::calls(&profile, &programs, &records, hot.from, top);
    let mut quality = Quality {
        inputs: options.inputs.iter().map(|path| display(path)).collect(),
        formats: formats(&profile),
        kind: kind_of(&profile),
        functions: covered.as_ref().map(|cover| cover.functions),
        code: covered.as_ref().and_then(|cover| cover.code),
        stale_share: covered.as_ref().filter(|cover| cover.knows_hashes).map(|cover| {
            let (stale, both) = stale(cover);
            share(stale, both)
        }),
        profile: parts(&profile, &useless),
        hot,
        calls,
        sites: sites::sites(&profile, top),
        notes: notes(&profile, &programs),
        verdict: Verdict { damage: damage(&read), ..Verdict::default() },
        programs: programs.iter().map(Program::described).collect(),
    };
    if let Some(cover) = &covered {
        quality.verdict.failures = failures(options, cover, &quality.hot)?;
    }
    let limits = [
        options.fail_under_functions,
        options.fail_under_code,
        options.fail_over_stale,
        options.fail_over_hot_unusable,
    ];
    if profile.is_empty() {
        let has_limit = limits.iter().any(Option::is_some);
        let lines = if has_limit { &mut quality.verdict.failures } else { &mut quality.notes };
        lines.push(NO_FUNCTIONS.into());
    }
    let schema = options.json.then_some("profrt-quality-1");
    report::show(schema, quality.verdict.status(), &quality, || text::text(&quality, options.names))?;
    Ok(quality.verdict.end("report quality"))
}

/// Returns how many functions are stale, and how many both sides have.
fn stale(cover: &Cover) -> (u64, u64) {
    let Amount { stale, with_profile, .. } = cover.functions;
    (stale, stale.saturating_add(with_profile))
}

/// Returns what of the options' demands the profile fails. Errors: the programs do not tell what is asked for.
fn failures(options: &Options, cover: &Cover, hot: &Hot) -> Result<Vec<String>> {
    let mut failures = Vec::new();
    let mut under = |what: &str, option: &str, share: Option<Share>, amount: Amount| {
        if let Some(share) = share.filter(|share| !share.is_kept(amount.with_profile, amount.all)) {
            let is = percent(amount.with_profile, amount.all);
            failures.push(format!("{is} of the {what} have a profile; {option} asks for {share}"));
        }
    };
    under("functions", "--fail-under-functions", options.fail_under_functions, cover.functions);
    if options.fail_under_code.is_some() {
        let code = cover.code.context(
            "no program has symbols of functions, so --fail-under-code cannot be told; name the unstripped programs with --object",
        )?;
        under("bytes of code", "--fail-under-code", options.fail_under_code, code);
    }
    let mut over = |what: &str, option: &str, share: Option<Share>, (part, all): (u64, u64)| {
        if let Some(share) = share.filter(|share| share.is_exceeded(part, all)) {
            failures.push(format!("{} of the {what}; {option} allows {share}", percent(part, all)));
        }
    };
    for (share, option) in
        [(options.fail_over_stale, "--fail-over-stale"), (options.fail_over_hot_unusable, "--fail-over-hot-unusable")]
    {
        ensure!(
            share.is_none() || cover.knows_hashes,
            "the programs have no records, so {option} cannot be told; name programs that were built with the instrumentation"
        );
    }
    let what = "functions that the programs and the profile have are stale";
    over(what, "--fail-over-stale", options.fail_over_stale, stale(cover));
    let what = "hot functions are stale or not in the programs";
    over(what, "--fail-over-hot-unusable", options.fail_over_hot_unusable, (hot.unusable, hot.functions));
    Ok(failures)
}

fn parts(profile: &Profile, useless: &Useless) -> Parts {
    let counted = || profile.records().filter(|record| !record.is_pseudo());
    let counts = counted().flat_map(|record| record.counters).fold(0, |sum: u64, count| sum.saturating_add(*count));
    let other = OtherHashes::of(profile);
    let ran = profile.records().filter(|record| record.counters.iter().any(|count| *count > 0)).count();
    Parts {
        functions: profile.len() as u64,
        functions_that_ran: ran as u64,
        counts,
        stale_records: useless.stale.0,
        stale_counts: useless.stale.1,
        records_not_in_program: useless.not_in_program.0,
        counts_not_in_program: useless.not_in_program.1,
        functions_with_other_hashes: other.functions,
        counts_of_other_hashes: u64::try_from(other.counts).unwrap_or(u64::MAX),
    }
}

/// Returns what cannot be told, and why.
pub(crate) fn notes(profile: &Profile, programs: &[Program]) -> Vec<String> {
    let mut notes = Vec::new();
    if programs.is_empty() {
        notes.push(
            "no program is named with --object, so what of it has a profile, and what is stale, cannot be told"
                .to_owned(),
        );
    }
    for program in programs {
        let path = &program.path;
        if program.records.is_none() {
            notes.push(format!(
                "{path} is not instrumented: its functions are those of its symbols, and stale hashes cannot be told; name the \
                 program that was built with the instrumentation from the same sources"
            ));
        }
        if let Some(error) = &program.damage {
            notes.push(format!("{path} is damaged, so names of its functions are missing: names: {error}"));
        }
        if program.code.is_empty() {
            notes.push(format!("{path} is stripped: its functions' sizes cannot be told"));
        }
        let ids = profile.binary_ids();
        let is_known = program.build_ids.iter().any(|id| ids.contains(id));
        let has_ids = !ids.is_empty() && !program.build_ids.is_empty();
        if program.records.is_some() && has_ids && !is_known {
            notes.push(format!(
                "{path} is another build than those of the profile: the profile does not have its build id"
            ));
        }
    }
    let has_idle = profile.records().any(|record| record.counters.iter().all(|count| *count == 0));
    if !programs.is_empty() && !profile.is_empty() && !has_idle {
        notes.push("the profile has no function that never ran, as after a sparse merge: functions without a profile may only not have run".into());
    }
    notes
}
