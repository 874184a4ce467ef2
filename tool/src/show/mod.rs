//! `profrt show`: what a profile says about a program: totals, hottest functions, call targets, sizes of memory operations, one function.
//!
//! Exit status: 0; 1 when inputs are damaged, after the rest of them was shown; 2 when nothing can be read, or no function has the name.

mod functions;
mod sites;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use profdata::summary::{CUTOFFS, Summary, SummaryPart};
use profdata::{Flags, Format, Profile};
use serde::Serialize;

use crate::inputs::{display, profile};
use crate::report::names::Targets;
use crate::report::print;
use crate::report::style::{BAD, Styled, WARNING};
use functions::Function;
use sites::Site;

/// What to show.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// Profiles of any format, directories, archives; `-` is standard input. Several are added up
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// How many functions and sites to show
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Show all functions and sites
    #[arg(long, conflicts_with = "top")]
    all: bool,
    /// Show the targets of the hottest indirect calls, and the vtables of the hottest virtual ones
    #[arg(long)]
    targets: bool,
    /// Show the sizes of the hottest memory operations
    #[arg(long)]
    memory: bool,
    /// Show all counters, values and bitmaps of a function: its name, mangled or not, or else a part of it
    #[arg(short, long, value_name = "NAME")]
    function: Option<String>,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLE: &str = "\
Example: the five hottest functions, and where their indirect calls go

    profrt show night.profdata --top 5 --targets

Exit status: 0; 1 inputs are damaged, and the rest is shown; 2 nothing can be read, or no function has the name.";

/// Everything that is shown.
#[derive(Serialize)]
struct Shown {
    schema: &'static str,
    inputs: Vec<String>,
    formats: Vec<String>,
    kind: String,
    summary: Totals,
    functions: Vec<Function>,
    #[serde(skip_serializing_if = "Option::is_none")]
    targets: Option<Vec<Site>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Vec<Site>>,
    damage: Vec<String>,
}

/// Totals of a profile.
#[derive(Serialize)]
struct Totals {
    functions: u64,
    functions_that_ran: u64,
    counters: u64,
    counters_that_ran: u64,
    counts: u128,
    largest_count: u64,
    /// The smallest of the counters that together have 99 % of all counts; compilers take it and larger ones for hot.
    hot_count: u64,
    hot_counters: u64,
    hot_functions: u64,
    binary_ids: Vec<String>,
    temporal_traces: u64,
}

/// Shows profiles, and returns the exit status.
pub fn main(options: &Options) -> ExitCode {
    match run(options) {
        Ok(is_whole) => ExitCode::from(u8::from(!is_whole)),
        Err(error) => {
            complainln!("{} {error:#}", Styled(BAD, "profrt show:"));
            ExitCode::from(2)
        }
    }
}

/// Returns whether all inputs are whole. Errors: there is nothing to show.
fn run(options: &Options) -> Result<bool> {
    let (profile, loss) = profile(&options.inputs)?;
    let targets = Targets::of(&profile);
    let top = if options.all { usize::MAX } else { options.top };
    let functions = match &options.function {
        Some(name) => {
            let found = functions::named(&profile, name, &targets);
            ensure!(
                !found.is_empty(),
                "no function of {} is called {name}, or has that in its name; profrt show --all lists all",
                display(options.inputs.first().context("there are no inputs")?)
            );
            found
        }
        None => functions::hottest(&profile, top),
    };
    let shown = Shown {
        schema: "profrt-show-1",
        inputs: options.inputs.iter().map(|path| display(path)).collect(),
        formats: formats(&profile),
        // Only a function tells.
        kind: if profile.is_empty() { "no functions".into() } else { kind(profile.flags()) },
        summary: totals(&profile),
        functions,
        targets: options.targets.then(|| sites::hottest(&profile, &[0, 2], top, &targets)),
        memory: options.memory.then(|| sites::hottest(&profile, &[1], top, &targets)),
        damage: loss.lines(),
    };
    let text = if options.json {
        serde_json::to_string_pretty(&shown).context("the result cannot be made")? + "\n"
    } else {
        text::text(&shown, options.function.is_some())
    };
    print(&text).context("standard output cannot be written")?;
    for line in &shown.damage {
        complainln!("{} {line}", Styled(WARNING, "damaged:"));
    }
    Ok(shown.damage.is_empty())
}

/// Returns the formats of the inputs.
pub(crate) fn formats(profile: &Profile) -> Vec<String> {
    let mut formats: Vec<String> = profile
        .headings()
        .iter()
        .map(|heading| match heading.format {
            Format::Raw7(_) => "raw version 7".into(),
            Format::Raw(version, _) => format!("raw version {}", version.number()),
            Format::Indexed(version) => format!("indexed version {version}"),
            Format::Text => "text".into(),
            _ => "partial result".into(),
        })
        .collect();
    formats.sort();
    formats.dedup();
    formats
}

/// Returns formats and kind as a title. The formats of a profile without functions are not known.
pub(crate) fn title(formats: &[String], kind: &str) -> String {
    if formats.is_empty() { kind.to_owned() } else { format!("{}; {kind}", formats.join(" and ")) }
}

/// Returns the kind of instrumentation.
pub(crate) fn kind(flags: Flags) -> String {
    let mut kind = String::from(if flags.has(Flags::IR) { "IR" } else { "front end" });
    for (flag, name) in [
        (Flags::CONTEXT_SENSITIVE, "context-sensitive"),
        (Flags::ENTRY_FIRST, "entries first"),
        (Flags::LOOP_ENTRIES, "loop entries"),
        (Flags::BYTE_COVERAGE, "byte coverage"),
        (Flags::FUNCTION_ENTRY_ONLY, "function entries only"),
        (Flags::TEMPORAL, "temporal traces"),
        (Flags::MEMPROF, "MemProf"),
    ] {
        if flags.has(flag) {
            kind += &format!(", {name}");
        }
    }
    kind
}

fn totals(profile: &Profile) -> Totals {
    let records = || profile.records().filter(|record| !record.is_pseudo());
    let of = |part| Summary::of(profile.records(), part, &CUTOFFS);
    let (plain, context) = (of(SummaryPart::Plain), of(SummaryPart::ContextSensitive));
    // Compilers use one or the other; most profiles have only the first.
    let (hot_count, hot_counters) = match plain.cutoffs.iter().chain(&context.cutoffs).find(|row| row.cutoff == 990_000)
    {
        Some(row) => (row.min_count, row.counts),
        None => (0, 0),
    };
    let ran = |counters: &[u64]| counters.iter().filter(|count| **count > 0).count() as u64;
    Totals {
        functions: profile.len() as u64,
        functions_that_ran: records().filter(|record| ran(record.counters) > 0).count() as u64,
        counters: plain.counters.saturating_add(context.counters),
        counters_that_ran: records().map(|record| ran(record.counters)).sum(),
        counts: functions::total(profile),
        largest_count: plain.max_count.max(context.max_count),
        hot_count,
        hot_counters,
        hot_functions: records().filter(|record| record.counters.iter().any(|count| *count >= hot_count.max(1))).count()
            as u64,
        binary_ids: profile.binary_ids().iter().map(|id| data_encoding::HEXLOWER.encode(id)).collect(),
        temporal_traces: profile.traces().len() as u64,
    }
}
