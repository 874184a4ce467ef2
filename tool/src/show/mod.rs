//! `profrt show`: what a profile says about a program: totals, hottest functions, call targets, sizes of memory operations, one function.
//!
//! Exit status: 0; 1 when inputs are damaged, after the rest of them was shown; 2 when nothing can be read, or no function has the name.

mod functions;
mod sites;
mod text;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use profdata::Profile;
use profdata::read::Summary;
use profdata::sink::{Flags, Format, RecordRef};
use serde::Serialize;

use crate::inputs::{damage, display, profile};
use crate::report::hot::Kinds;
use crate::report::names::{FullNames, Targets};
use crate::report::style::{Styled, WARNING};
use crate::report::{self, NO_FUNCTIONS, Verdict};
use functions::Function;
pub(crate) use functions::sum;
pub(crate) use sites::{Site, hottest as hottest_sites};

/// What to show.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLE)]
pub struct Options {
    /// Profiles of any format, directories, archives; `-` is standard input. Several are added up
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// How many functions and sites to show, of those that ran
    #[arg(short = 'n', long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Show all functions and sites, those that never ran too
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
    #[command(flatten)]
    names: FullNames,
}

const EXAMPLE: &str = "\
Example: the five hottest functions, and where their indirect calls go

    profrt show night.profdata --top 5 --targets

Exit status: 0; 1 inputs are damaged, and the rest is shown; 2 nothing can be read, or no function has the name.";

/// Everything that is shown.
#[derive(Serialize)]
struct Shown {
    inputs: Vec<String>,
    formats: Vec<String>,
    kind: String,
    summary: Totals,
    functions: Vec<Function>,
    #[serde(skip_serializing_if = "Option::is_none")]
    targets: Option<Vec<Site>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory: Option<Vec<Site>>,
    #[serde(flatten)]
    verdict: Verdict,
}

/// Totals of a profile.
#[derive(Serialize)]
pub(crate) struct Totals {
    #[serde(flatten)]
    all: KindTotals,
    /// What of it the context-sensitive functions have.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_sensitive: Option<KindTotals>,
    binary_ids: Vec<String>,
    temporal_traces: u64,
}

/// Totals of a kind of functions.
#[derive(Default, Serialize)]
pub(crate) struct KindTotals {
    functions: u64,
    functions_that_ran: u64,
    counters: u64,
    counters_that_ran: u64,
    counts: u128,
    largest_count: u64,
    /// The smallest of the counters that together have 99 % of all counts; compilers take it and larger ones for hot. Of all functions these are
    /// the ordinary ones; in a profile of context-sensitive ones only, these.
    hot_count: u64,
    hot_counters: u64,
    hot_functions: u64,
}

/// Shows profiles, and returns the exit status. Errors: there is nothing to show.
pub fn run(options: &Options) -> Result<u8> {
    let (profile, read) = profile(&options.inputs, None)?;
    let targets = Targets::of(&profile);
    let kinds = Kinds::of(&profile);
    let top = (!options.all).then_some(options.top);
    let functions = match &options.function {
        Some(name) => {
            let found = functions::named(&profile, &kinds, name, &targets);
            ensure!(
                !found.is_empty(),
                "no function of {} is called {name}, or has that in its name; profrt show --all lists all",
                display(options.inputs.first().context("there are no inputs")?)
            );
            found
        }
        None => functions::hottest(&profile, &kinds, top),
    };
    let shown = Shown {
        inputs: options.inputs.iter().map(|path| display(path)).collect(),
        formats: formats(&profile),
        kind: kind_of(&profile),
        summary: totals(&profile, &kinds),
        functions,
        targets: options.targets.then(|| sites::hottest(&profile, &[0, 2], top, &targets)),
        memory: options.memory.then(|| sites::hottest(&profile, &[1], top, &targets)),
        verdict: Verdict { damage: damage(&read), ..Verdict::default() },
    };
    let schema = options.json.then_some("profrt-show-1");
    report::show(schema, shown.verdict.status(), &shown, || text::text(&shown, options))?;
    if profile.is_empty() {
        complainln!("{} {NO_FUNCTIONS}", Styled(WARNING, "note:"));
    }
    Ok(shown.verdict.end("show"))
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

/// Returns the kind of instrumentation of a profile, which only a function tells.
pub fn kind_of(profile: &Profile) -> String {
    if profile.is_empty() { "no functions".into() } else { kind(profile.flags()) }
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

/// Returns the totals of a profile.
pub(crate) fn totals(profile: &Profile, kinds: &Kinds) -> Totals {
    let is_context_sensitive = |record: &RecordRef<'_>| kinds.is_context_sensitive(record);
    let context_sensitive = kinds.contexts().map(|summary| KindTotals::of(profile, summary, is_context_sensitive));
    let is_main = |record: &RecordRef<'_>| kinds.ordinary.functions == 0 || !is_context_sensitive(record);
    let hot_functions = KindTotals::of(profile, kinds.main(), is_main).hot_functions;
    let all = KindTotals::of(profile, kinds.main(), |_| true);
    Totals {
        all: KindTotals { functions: profile.len() as u64, hot_functions, ..all },
        context_sensitive,
        binary_ids: profile.binary_ids().iter().map(|id| data_encoding::HEXLOWER.encode(id)).collect(),
        temporal_traces: profile.traces().len() as u64,
    }
}

impl KindTotals {
    /// Adds up the functions of a kind. `summary` is that of the kind.
    fn of(profile: &Profile, summary: &Summary, is_of_kind: impl Fn(&RecordRef<'_>) -> bool) -> KindTotals {
        let row = summary.cutoffs.iter().find(|row| row.cutoff == 990_000);
        let (hot_count, hot_counters) = row.map_or((0, 0), |row| (row.min_count, row.counts));
        let mut totals = KindTotals { hot_count, hot_counters, ..KindTotals::default() };
        for record in profile.records().filter(|record| !record.is_pseudo() && is_of_kind(record)) {
            let ran = record.counters.iter().filter(|count| **count > 0).count() as u64;
            let largest = record.counters.iter().copied().max().unwrap_or(0);
            totals.functions += 1;
            totals.functions_that_ran += u64::from(ran > 0);
            totals.counters += record.counters.len() as u64;
            totals.counters_that_ran += ran;
            totals.counts += functions::sum(record);
            totals.largest_count = totals.largest_count.max(largest);
            totals.hot_functions += u64::from(largest >= hot_count.max(1));
        }
        totals
    }
}
