//! `profrt report`: a page about a profile for optimization, or about two: which functions are hot, which are stale or were never trained, where
//! indirect calls go, and what has changed.
//!
//! Its numbers are those of `profrt show` and `profrt report quality`. Its elements, style and scripts are in `tool/templates/profile`.

mod curve;
mod excerpts;
mod functions;
mod inputs;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use profdata::Profile;
use profdata::coverage::Rules;
use profdata::read::Summary;
use profrt_coverage::load::Programs;
use profrt_coverage::paths::Paths;
use serde::Serialize;

use crate::diff::{self, check_kinds};
use crate::inputs::{binaries, damage, display, profile};
use crate::merge::names;
use crate::page::{self, Page};
use crate::places::Places;
use crate::quality::{self, Amount, Cover, Described, Program, Records, cover};
use crate::report::hot::Kinds;
use crate::report::names::Targets;
use crate::report::output::{self, check_keeps};
use crate::report::{NO_FUNCTIONS, Verdict};
use crate::show::{self, Site, formats, hottest_sites, kind_of};
use crate::text::read;
use excerpts::Excerpts;
use functions::Functions;
use inputs::Input;

/// What to show, and where.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLE, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Options {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    page: Option<PageOptions>,
}

#[derive(clap::Subcommand, Debug)]
enum Task {
    /// Compare two profiles
    Diff(diff::Options),
    /// Rate a profile for a program: functions with a usable profile, stale hashes, hot functions without one
    Quality(quality::Options),
}

#[derive(clap::Args, Debug)]
struct PageOptions {
    /// The profile: a file of any format, a directory, an archive
    #[arg(value_name = "A")]
    before: PathBuf,
    /// A later profile: the page compares both; stale and untrained functions are those of B
    #[arg(value_name = "B")]
    after: Option<PathBuf>,
    /// Program or shared object, as the linker wrote it; once for each. Without it the page has no sources, and nothing stale
    #[arg(long, alias = "elf", value_name = "PROGRAM")]
    object: Vec<PathBuf>,
    /// Where to write the page; `-` is standard output
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
}

const EXAMPLE: &str = "\
Example: last night's profile, compared with October's

    profrt report october.profdata night.profdata --object app --html night.html

Exit status: 0; 1 inputs are damaged, the page has the rest; 2 no page is written.";

/// What the page knows first.
#[derive(Serialize)]
struct Index {
    sides: Vec<Side>,
    /// What A and B have in common of all counts, in percent.
    overlap: Option<f64>,
    /// The files of A, if it has several and there is no B.
    inputs: Vec<Input>,
    programs: Vec<Described>,
    /// Functions of the programs, and bytes of their code.
    functions: Option<Amount>,
    code: Option<Amount>,
    /// The programs have hashes, so what is stale is known.
    knows_hashes: bool,
    /// What cannot be told, and why.
    notes: Vec<String>,
    damage: Vec<String>,
}

/// A or B.
#[derive(Serialize)]
struct Side {
    input: String,
    formats: Vec<String>,
    kind: String,
    summary: show::Totals,
    limits: Limits,
    /// Those of context-sensitive functions, if these have limits of their own.
    context_sensitive_limits: Option<Limits>,
    /// How many of the largest counters have which share of all counts, in percent.
    curve: Vec<(usize, f64)>,
}

/// From which counts on compilers take code for hot, and up to which for cold.
#[derive(Serialize)]
struct Limits {
    hot: u64,
    cold: u64,
    /// (cutoff in ppm, smallest counter at that cutoff, number of counters at or above it)
    cutoffs: Vec<(u32, u64, u64)>,
}

/// What the page reads from its block.
#[derive(Serialize)]
struct Data {
    #[serde(flatten)]
    functions: Functions,
    /// Of the last side: indirect calls, and vtables of virtual ones.
    targets: Vec<Site>,
    memory: Vec<Site>,
}

/// Writes the page, and returns the exit status. Errors: nothing can be read, or the page cannot be written.
pub fn run(options: &Options) -> Result<u8> {
    let page = match (&options.task, &options.page) {
        (Some(Task::Diff(options)), _) => return diff::run(options),
        (Some(Task::Quality(options)), _) => return quality::run(options),
        (None, page) => page.as_ref().context("no profile is named")?,
    };
    write_page(page)
}

fn write_page(options: &PageOptions) -> Result<u8> {
    let inputs: Vec<&PathBuf> = [Some(&options.before), options.after.as_ref()].into_iter().flatten().collect();
    let read = inputs.iter().copied().chain(&options.object).map(PathBuf::as_path);
    check_keeps("--html", &options.html, read.filter(|path| path.is_file()))?;
    let programs: Vec<Program> = options.object.iter().map(|path| Program::read(path)).collect::<Result<_>>()?;
    let binaries = binaries(&options.object)?;
    let (mut profiles, mut verdict) = (Vec::new(), Verdict::default());
    for input in &inputs {
        let (profile, report) = profile(std::slice::from_ref(input), binaries.clone())?;
        ensure!(!profile.is_empty(), "{}: {NO_FUNCTIONS}", display(input));
        verdict.damage.extend(damage(&report));
        profiles.push(profile);
    }
    if let [before, after] = &mut profiles[..] {
        check_kinds(before, after)?;
        verdict.damage.extend(names::align(before, after)?.1);
    }
    let mut notes = Vec::new();
    let places = places(&options.object, &mut notes);
    let last = profiles.last().context("there are no inputs")?;
    notes.extend(quality::notes(last, &programs));
    let covered: Option<Cover> = (!programs.is_empty()).then(|| cover(&programs, &Records::of(last)));
    let (opened, paths) = (Programs::open(options.object.clone())?, Paths::default());
    let mut mapping = opened.mapping(Rules::Own, |_| ()).ok();
    mapping.iter_mut().for_each(|mapping| mapping.set_sources(&paths));
    let targets = Targets::of(last);
    let data = Data {
        functions: Functions::of(
            &profiles,
            covered.as_ref(),
            &places,
            Excerpts::of(last, mapping.as_ref(), opened.linked()),
        ),
        targets: hottest_sites(last, &[0, 2], None, &targets),
        memory: hottest_sites(last, &[1], None, &targets),
    };
    let index = Index {
        sides: inputs.iter().zip(&profiles).map(|(input, profile)| Side::of(input, profile)).collect(),
        overlap: match &profiles[..] {
            [before, after] => Some(diff::overlap(before, after)),
            _ => None,
        },
        inputs: match &profiles[..] {
            [whole] => inputs::of(&options.before, whole, binaries.as_ref()),
            _ => Vec::new(),
        },
        functions: covered.as_ref().map(|cover| cover.functions),
        code: covered.as_ref().and_then(|cover| cover.code),
        knows_hashes: covered.as_ref().is_some_and(|cover| cover.knows_hashes),
        programs: programs.iter().map(Program::described).collect(),
        notes,
        damage: verdict.damage.clone(),
    };
    output::write(&options.html, text(&index, &data)?.as_bytes())?;
    Ok(verdict.end("report"))
}

/// Returns the places of functions in the sources; notes what cannot be read.
fn places(programs: &[PathBuf], notes: &mut Vec<String>) -> Places {
    let mut places = Places::default();
    for program in programs {
        if let Err(error) = read(program).and_then(|bytes| places.add(program, &bytes)) {
            notes.push(format!("{error:#}; its functions have no place in sources"));
        }
    }
    places
}

impl Side {
    fn of(input: &Path, profile: &Profile) -> Side {
        let kinds = Kinds::of(profile);
        Side {
            input: display(input),
            formats: formats(profile),
            kind: kind_of(profile),
            summary: show::totals(profile, &kinds),
            limits: Limits::of(kinds.main()),
            context_sensitive_limits: kinds.contexts().filter(|_| kinds.ordinary.functions > 0).map(Limits::of),
            curve: curve::of(profile, &kinds),
        }
    }
}

impl Limits {
    fn of(summary: &Summary) -> Limits {
        let cutoffs = summary.cutoffs.iter().map(|row| (row.cutoff, row.min_count, row.counts));
        Limits { hot: summary.hot_threshold(), cold: summary.cold_threshold(), cutoffs: cutoffs.collect() }
    }
}

/// Returns the page.
fn text(index: &Index, data: &Data) -> Result<String> {
    let scripts = [
        page::SCRIPTS,
        include_str!("../../templates/profile/model.js"),
        include_str!("../../templates/profile/functions.js"),
        include_str!("../../templates/profile/curve.js"),
        include_str!("../../templates/profile/treemap.js"),
        include_str!("../../templates/profile/verdict.js"),
        include_str!("../../templates/profile/page.js"),
    ];
    let page = Page {
        mark: "<!doctype html><!-- profrt report -->",
        title: "Profile",
        body: include_str!("../../templates/profile/body.html"),
        style: include_str!("../../templates/profile/page.css"),
        script: &format!("(async () => {{\n\"use strict\";\n{}}})();\n", scripts.concat()),
        more_sources: "",
        index: &serde_json::to_string(index)?,
        blocks: &[page::block(serde_json::to_string(data)?.as_bytes())?],
    };
    page.text()
}
