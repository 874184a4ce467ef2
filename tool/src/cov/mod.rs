//! `profrt cov`: what ran of the source, from profiles of any version and the programs that wrote them.
//!
//! [`load`] reads the profiles and the programs. What they say is the business of the crate `profrt-coverage`. Here are the command line, the
//! outputs for people ([`outputs`], [`html`], `live`), limits ([`gates`]), LLVM's outputs ([`compat`]), and which tests ran a line ([`who`]).

mod compat;
pub mod config;
mod gates;
mod html;
mod library;
#[cfg(all(unix, feature = "live"))]
pub mod live;
mod load;
mod outputs;
mod run;
mod since;
mod sources;
pub mod who;

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Arg;
use profdata::coverage::{Counts, Mapping, Rules};
use profrt_coverage::account::{Account, Class};
use profrt_coverage::baseline::{Baseline, Ran};
use profrt_coverage::comparison::{Comparing, Comparison};
use profrt_coverage::files::{FileReport, Report, Wanted};
use profrt_coverage::format::{Format, Pieces, Whole};
use profrt_coverage::lines;
use profrt_coverage::load::Programs;
use profrt_coverage::names::demangle;

use crate::inputs::{self, Progress, display};
use crate::report::style::{Styled, WARNING};
use crate::report::{Page, Verdict, exact, output};
use crate::text::many;
use gates::{FailOn, FailUnder};
pub use library::{Coverage, coverage};
use outputs::Output;
use since::Since;
use who::index::Stored;

/// What ran of which source.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES, mut_args = own, args_conflicts_with_subcommands = true)]
pub struct Options {
    #[command(subcommand)]
    command: Option<Subcommand>,
    /// Profiles of any format and compiler, directories, archives; `-` is standard input. Without any all lines are uncovered
    #[arg(value_name = "PROFILE")]
    profiles: Vec<PathBuf>,
    /// The programs and libraries that wrote the profiles, their object files and static archives, or directories of all these. Without any the
    /// last `profrt cov run` is reported
    #[arg(long, alias = "elf", value_name = "FILE", num_args = 1)]
    object: Vec<PathBuf>,
    #[command(flatten)]
    reporting: Reporting,
    /// Write exactly what llvm-cov of this release exports and reports, its errors included (--json, --lcov, --summary)
    #[arg(long, value_name = "llvm-N", requires = "profiles")]
    compat: Option<compat::Release>,
}

#[derive(clap::Subcommand, Debug)]
enum Subcommand {
    /// Run a command, and report the coverage of the programs in this directory
    Run(Box<run::Options>),
    /// List the tests that cover a line, those to run for a change, and lines that only one covers
    Who(Box<who::Options>),
}

/// What to report, and how.
#[derive(clap::Args, Debug)]
struct Reporting {
    #[command(flatten)]
    outputs: outputs::Outputs,
    /// Write an HTML report: one file if the name ends in .html, else a directory, which opens faster
    #[arg(long, value_name = "DIR|FILE.html")]
    html: Option<PathBuf>,
    /// Show in the HTML report which tests cover a line; FILE is from profrt cov who --output
    #[arg(long, value_name = "FILE", requires = "html")]
    who: Option<PathBuf>,
    #[command(flatten)]
    paths: sources::PathOptions,
    #[command(flatten)]
    exclude: sources::Exclusions,
    #[command(flatten)]
    since: Since,
    /// Compare with an earlier report of --json, of which --since or --diff say what has changed in the sources since, or with other profiles of the same programs
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Fail if the comparison with --baseline finds this
    #[arg(long, value_name = "WHAT", requires = "baseline")]
    fail_if: Option<gates::FailIf>,
    /// Fail if the coverage of all files is below a threshold, in percent: lines=80,branches=70 (functions, lines, regions, branches, mcdc; new-lines with --since
    /// or --diff), or that of a directory: src/core:lines=90
    #[arg(long, value_name = "WHAT=PERCENT", value_delimiter = ',')]
    fail_under: Vec<FailUnder>,
    /// Fail if the coverage of any one file is below a threshold
    #[arg(long, value_name = "WHAT=PERCENT", value_delimiter = ',')]
    fail_under_file: Vec<FailUnder>,
    /// Fail if there is a record of this class: stale, other-build, unknown, damaged, mismatched (the first two)
    #[arg(long, value_name = "CLASS", value_delimiter = ',')]
    fail_on: Vec<FailOn>,
    /// List the functions not counted, with the cause and a remedy
    #[arg(long)]
    explain: bool,
    /// Show each instantiation of functions that have several (--summary, --json)
    #[arg(long)]
    instantiations: bool,
    /// Threads; as many as there are processors unless given. The result is the same
    #[arg(short, long, value_name = "N")]
    jobs: Option<std::num::NonZeroUsize>,
}

/// Refuses beside `--compat` what `llvm-cov` has not, or has in another way: everything but these.
fn own(arg: Arg) -> Arg {
    let name = arg.get_id().as_str();
    let is_llvms = ["profiles", "object", "ignore", "compat"].contains(&name) || compat::output(name).is_some();
    if is_llvms { arg } else { arg.conflicts_with("compat") }
}

const EXAMPLES: &str = "\
Example: the coverage of tests, for people and for a CI server; fails below 80 % of lines

    profrt cov profiles/ --object build/app --ignore '^/usr/' --lcov app.lcov --summary - --fail-under lines=80

Exit status: 0; 1 below a threshold (--fail-under), a record of a class of --fail-on, or something is lost; 2 no result.";

/// Does what the command line says, and returns the exit status. Errors: there is no result.
pub fn run(options: &Options) -> Result<u8> {
    match &options.command {
        Some(Subcommand::Run(options)) => return run::run(options),
        Some(Subcommand::Who(options)) => return who::run(options),
        None => {}
    }
    if options.object.is_empty() {
        ensure!(
            options.profiles.is_empty(),
            "no program is named; --object names the programs that wrote the profiles"
        );
        return run::again(&options.reporting);
    }
    let inputs = Inputs { profiles: &options.profiles, compat: options.compat, of_run: None };
    report(&inputs, &options.reporting, || load::expand(&options.object))
}

/// What a report is of.
struct Inputs<'a> {
    profiles: &'a [PathBuf],
    compat: Option<compat::Release>,
    /// If the last run is reported: where the page is written, and which tests ran which lines, if each was run alone.
    of_run: Option<[&'a Path; 2]>,
}

/// Makes the outputs, and returns the exit status. `objects` returns the programs, which may take long, so it is called when everything is known
/// to be right that the options say. Errors: there is no result.
fn report(inputs: &Inputs<'_>, options: &Reporting, objects: impl FnOnce() -> Result<Vec<PathBuf>>) -> Result<u8> {
    let Inputs { profiles, compat, of_run } = *inputs;
    let html = of_run.map(|[page, _]| page).or(options.html.as_deref());
    let outputs = options.outputs.all(options.html.is_some());
    let paths = options.paths.paths();
    check_outputs(profiles, options, &outputs)?;
    html.map_or(Ok(()), html::check)?;
    let diff = options.since.diff(options.baseline.is_some())?;
    let limits = || options.fail_under.iter().chain(&options.fail_under_file);
    gates::check(&options.fail_under, &options.fail_under_file, diff.is_some())?;
    let baseline = options.baseline.as_deref().map(|path| Baseline::read(path, &paths)).transpose()?.flatten();
    let of_profiles = options.baseline.as_ref().filter(|_| baseline.is_none());
    ensure!(
        of_profiles.is_none() || diff.is_none(),
        "profiles as a baseline are read with the programs of now, so no line has another number there\n  \
         remedy: leave out --since and --diff, or keep a report of --json before the change"
    );
    let who = options.who.as_deref().map(Stored::read).transpose()?;
    let objects = objects()?;
    let mut written = outputs.iter().map(|(_, path)| *path).chain(html);
    written.try_for_each(|path| output::check_keeps("an output", path, objects.iter().map(PathBuf::as_path)))?;
    let of_tests = of_run.map(|[_, tests]| tests).filter(|tests| options.who.is_none() && tests.exists());
    let who = of_tests.map(Stored::read).transpose()?.or(who);
    let threads = options.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let rules = compat.map_or(Rules::Own, compat::Release::rules);
    let programs = Programs::open(objects)?;
    let (loaded, damage, mut mapping) = load::with_mapping(profiles, &programs, rules, threads)?;
    if compat.is_none() {
        mapping.set_sources(&paths);
    }
    let mapping = mapping;
    let (counts, unclear) = loaded.counts();
    if let Some(release) = compat {
        let files = compat::Files::new(&mapping, &counts, release, &paths);
        let mut written = Output::begin(&outputs)?;
        written.iter_mut().try_for_each(|output| output.write_compat(&files))?;
        Output::publish(written)?;
        return Ok(Verdict { damage, failures: Vec::new() }.end("cov"));
    }
    let (files, outside) = paths.files(&mapping)?;
    let (sources, exclude, linked) = (&files[..], &options.exclude.rules(&files)?, programs.linked());
    let wanted = Wanted { mapping: &mapping, sources, exclude, linked, changes: None, threads, progress: &|| () };
    let of_profiles = of_profiles.map(|path| baseline_of(path, &programs, &wanted)).transpose()?;
    let baseline = baseline.or(of_profiles);
    let all = paths.all(&mapping);
    let placed: BTreeSet<&str> =
        all.iter().map(String::as_str).chain(baseline.iter().flat_map(Baseline::paths)).collect();
    let changes = diff.map(|diff| diff.place(placed));
    // Beside a baseline, a change says which line was which.
    let shown = changes.as_ref().filter(|_| baseline.is_none());
    let mut comparing = baseline.as_ref().map(|baseline| Comparing {
        baseline,
        wanted: &paths,
        changes: changes.as_ref(),
        comparison: Comparison::default(),
    });
    let (mut written, mut kept) = (Output::begin(&outputs)?, Vec::new());
    written.iter_mut().try_for_each(Output::start)?;
    let (instantiations, changes) = (options.instantiations, changes.as_ref());
    let pieces = Pieces { mapping: &mapping, instantiations, is_change: shown.is_some(), changes };
    let (has_page, is_compared) = (html.is_some(), comparing.is_some());
    let look = |file: FileReport| {
        let pieces = outputs.iter().map(|(format, _)| format.of_file(&file, &pieces)).collect::<Result<Vec<_>>>();
        (pieces, (has_page || is_compared).then(|| file.shrunk()))
    };
    let take = |(pieces, file): (Result<Vec<String>>, Option<FileReport>)| {
        written.iter_mut().zip(pieces?).try_for_each(|(output, piece)| output.add(piece))?;
        comparing.iter_mut().zip(&file).for_each(|(comparing, file)| comparing.add(file));
        kept.extend(file.filter(|_| has_page));
        Ok(())
    };
    let mut report = with_progress(&Wanted { changes: shown, ..wanted }, &counts, look, take)?;
    if let missing @ 1.. = loaded.missing_builds() as u64 {
        let files = many(missing, "file");
        let note = format!("cannot find {files} that ran (programs, libraries): built again, or not of --object");
        report.notes.push(note);
    }
    let report = report;
    let comparison = comparing.map(|comparing| comparing.end(&report)).transpose()?;
    let account = Account::of(&loaded, &mapping, &counts, &report.damaged);

    let mut verdict = Verdict { damage, failures: Vec::new() };
    let failures = &mut verdict.failures;
    let new = comparison.as_ref().map_or(report.totals.lines, Comparison::all_new_lines);
    let whose = if report.is_change { "the change" } else { "all files" };
    gates::under(&options.fail_under, whose, &report.totals, new, failures);
    gates::under_directory(&options.fail_under, &report, failures);
    for file in &report.files {
        let new = comparison.as_ref().map_or(file.totals.lines, |comparison| comparison.new_lines(&file.path));
        gates::under(&options.fail_under_file, &file.path, &file.totals, new, failures);
    }
    if !report.is_change {
        gates::absent(&options.fail_under, &report.totals, failures);
    }
    let stray = changes.and_then(|changes| changes.stray.as_deref());
    if stray.is_some() {
        gates::stray(limits(), failures);
    }
    if options.fail_if.is_some() {
        verdict.failures.extend(comparison.iter().flat_map(Comparison::lost_lines));
    }
    // Functions of another build are in no sum, so limits say nothing. Who names classes has chosen.
    let has_limits = limits().next().is_some() && options.fail_on.is_empty();
    let classes = if has_limits { &[FailOn::OtherBuild] } else { options.fail_on.as_slice() };
    gates::on(classes, &account, &mut verdict.failures);
    let status = verdict.status();

    let tests = who.as_ref().map(|stored| html::Tests::of(stored, &kept)).transpose();
    let tests = tests.with_context(|| options.who.as_deref().or(of_tests).map(display).unwrap_or_default())?;
    let page = html::Shown {
        report: &report,
        files: &kept,
        account: &account,
        comparison: comparison.as_ref(),
        tests: tests.as_ref(),
        mapping: &mapping,
        counts: &counts,
        sources,
        threads,
    };
    let page = html.map(|path| html::draft(path, &page)).transpose()?;
    let whole = Whole { report: &report, account: &account, comparison: comparison.as_ref(), status };
    written.iter_mut().try_for_each(|output| output.end(&whole))?;
    Output::publish(written)?;
    page.map_or(Ok(()), |publish| publish())?;
    if of_run.is_some() {
        run::show_worst(&kept);
    }

    if options.explain {
        explain(&account, profiles, &mapping);
    }
    let is_other = tests.is_some_and(|tests| tests.is_empty());
    let no_tests =
        is_other.then_some("no test of --who ran a line of the report; give `profrt cov who` the same --path-map");
    let nothing = profiles.is_empty().then_some("no profile is given, so nothing has run");
    let notes = report.notes.iter().chain(&outside).chain(&unclear).map(String::as_str);
    let notes = notes.chain(stray).chain(no_tests).chain(nothing);
    notes.for_each(|note| complainln!("{} {note}", Styled(WARNING, "note:")));
    Ok(verdict.end("cov"))
}

/// Returns what other profiles of the same programs say, to compare with. Errors: they cannot be read.
fn baseline_of(path: &PathBuf, programs: &Programs, wanted: &Wanted<'_>) -> Result<Baseline> {
    let profiles = std::slice::from_ref(path);
    let ((mut loaded, _), mut baseline) = (load::read(profiles, programs)?, Baseline::default());
    load::tell_apart(&mut loaded, profiles, programs, wanted.mapping);
    let take = |(path, ran)| {
        baseline.add(path, ran);
        Ok(())
    };
    with_progress(wanted, &loaded.counts().0, |file| (file.path.clone(), Ran::of(&file)), take)?;
    Ok(baseline)
}

/// Looks at all files as [`Report::of`] does, and shows how far it has come.
fn with_progress<R: Send>(
    wanted: &Wanted<'_>,
    counts: &Counts<'_>,
    look: impl Fn(FileReport) -> R + Sync,
    take: impl FnMut(R) -> Result<()>,
) -> Result<Report> {
    let progress = Progress::of_files(wanted.sources.len());
    Report::of(&Wanted { progress: &|| progress.add_file(), ..*wanted }, counts, look, take)
}

/// Writes the records that are not counted to standard error.
fn explain(account: &Account, profiles: &[PathBuf], mapping: &Mapping<'_>) {
    // The names of what no program has are in raw profiles, which were read without.
    let named = (account.records(Class::Unknown) > 0).then(|| inputs::profile(profiles, None).ok()).flatten();
    let names: HashMap<u64, &[u8]> = named
        .iter()
        .flat_map(|(profile, _)| profile.names().iter())
        .filter_map(|(_, name)| Some((name.hash, name.bytes?)))
        .collect();
    let name = |hash| names.get(&hash).map_or_else(|| lines::name(mapping, hash), |name| demangle(name));
    let mut page = Page::default();
    for left_out in account.left_out(name) {
        page.heading(format_args!("{}: {} {}", left_out.class, exact(left_out.number as u64), left_out.what));
        page.line(format_args!("  cause:  {}", left_out.cause));
        page.line(format_args!("  remedy: {}", left_out.remedy));
        if left_out.class == Class::OtherBuild.name() {
            page.line(format_args!("  builds of the profiles: {}", account.builds.join(", ")));
        }
        for (hash, name) in left_out.names {
            page.line(format_args!("  {hash}  {name}"));
        }
    }
    complain!("{}", page.text());
}

/// Checks that outputs are different, and no inputs, and can be written.
fn check_outputs(profiles: &[PathBuf], options: &Reporting, outputs: &[(&'static dyn Format, &Path)]) -> Result<()> {
    let profiles = inputs::expand(profiles, None);
    let paths: Vec<&Path> = outputs.iter().map(|(_, path)| *path).chain(options.html.as_deref()).collect();
    for (place, path) in paths.iter().enumerate() {
        let is_twice = paths.iter().take(place).any(|other| other == path || output::is_same(other, path));
        ensure!(!is_twice, "two outputs would be written to {}; give each a file of its own", display(path));
        output::check_keeps("an output", path, profiles.files().chain(options.who.as_deref()))?;
    }
    outputs.iter().try_for_each(|(_, path)| output::Draft::check(path))
}
