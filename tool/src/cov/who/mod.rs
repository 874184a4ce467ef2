//! `profrt who`: which tests ran which lines.
//!
//! [`collect`] makes an [`index`] of profiles, whose tests [`name`] knows. It is kept in a file, of which [`ask`] and [`select`] read what a
//! question needs.

mod ask;
mod collect;
pub(super) mod index;
mod name;
mod select;
pub(super) mod set;

use std::path::{Path, PathBuf};

use anyhow::{Error, Result, ensure};
use profdata::merge::{MergeOptions, Merger};

use super::changes::Since;
use super::load::{Programs, check_kind};
use super::paths::Paths;
use crate::inputs::{self, Feed, Progress, display};
use crate::report::style::{Styled, WARNING};
use crate::report::{self, Verdict, explained, output};
use crate::text::many;
use ask::Answer;
use collect::Collector;
use index::Stored;
use name::Names;
use select::Selected;

/// Which tests ran which lines.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// With --elf: profiles of any format, directories, archives. Else the file that --output made, and places: FILE:LINE or FILE:FIRST-LAST
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The programs and libraries that wrote the profiles, directories of them, or their object files and static archives
    #[arg(long, value_name = "FILE", num_args = 1, requires = "output")]
    elf: Vec<PathBuf>,
    /// Write which tests ran which lines
    #[arg(short, long, value_name = "FILE", requires = "elf", conflicts_with_all = ["since", "diff"])]
    output: Option<PathBuf>,
    /// Take the tests from this JSON object of profiles (patterns of paths or file names) and tests, not from the names of profiles
    #[arg(long, value_name = "MAP", requires = "elf")]
    contexts: Option<PathBuf>,
    #[command(flatten)]
    paths: Paths,
    #[command(flatten)]
    since: Since,
    /// List the lines that only this test ran
    #[arg(long, value_name = "TEST", conflicts_with_all = ["elf", "since", "diff"])]
    unique: Option<String>,
    /// Write JSON
    #[arg(long, conflicts_with = "elf")]
    json: bool,
}

const EXAMPLES: &str = "\
Example: what each test ran, kept; who ran a line; which tests to run for a change

    profrt who profiles/ --elf build/app -o tests.who
    profrt who tests.who parser.c:120
    profrt who tests.who --since main

Exit status: 0; 1 something of a profile is lost, or a change is in no function, so that any test may depend on it; 2 there is no result.";

/// The schema of answers.
const SCHEMA: &str = "profrt-who-1";

/// Makes an index or answers a question, and returns the exit status. Errors: there is no result.
pub fn run(options: &Options) -> Result<u8> {
    if let Some(output) = &options.output {
        return make(options, output);
    }
    let (Some(path), places) = (options.inputs.first(), options.inputs.get(1..).unwrap_or_default()) else {
        return Ok(report::verdict::NO_RESULT);
    };
    let (stored, changes) = (Stored::read(path)?, options.since.changes()?);
    let questions = [!places.is_empty(), changes.is_some(), options.unique.is_some()];
    ensure!(
        questions.iter().filter(|is_asked| **is_asked).count() <= 1,
        "ask one question at a time: places, a change, or --unique"
    );
    let answer = match (&changes, &options.unique) {
        (Some(changes), _) => ask::of_change(&stored, &Selected::of(&stored, changes, &options.paths)?),
        (None, Some(test)) => ask::of_unique(&stored, test)?,
        (None, None) if places.is_empty() => ask::of_all(&stored)?,
        (None, None) => {
            let places: Vec<String> = places.iter().map(|place| place.to_string_lossy().into_owned()).collect();
            ask::of_places(&stored, places.iter().map(String::as_str))?
        }
    };
    let Answer { failures, notes, .. } = &answer;
    let verdict = Verdict { failures: failures.clone(), ..Verdict::default() };
    report::show(options.json.then_some(SCHEMA), verdict.status(), &answer, || answer.text())?;
    notes.iter().for_each(|note| complainln!("{} {note}", Styled(WARNING, "note:")));
    Ok(verdict.end("who"))
}

/// Makes an index of profiles, one after the other.
fn make(options: &Options, output: &Path) -> Result<u8> {
    let names = options.contexts.as_deref().map_or_else(|| Ok(Names::default()), Names::read)?;
    let sources = inputs::expand(&options.inputs, Some(output));
    sources.check_keeps("--output", output)?;
    output::check_keeps("--output", output, sources.files().chain(options.elf.iter().map(PathBuf::as_path)))?;
    let programs = Programs::read(&options.elf)?;
    let mapping = programs.mapping()?;
    let binaries = programs.binaries();
    let mut collector = Collector::new(&mapping, &options.paths.files(&mapping)?);
    let feed = Feed::new(&sources.sources);
    let progress = Progress::of(&sources, &feed, "");
    let (mut buffer, mut verdict, mut profiles) = (Vec::new(), Verdict::default(), 0u64);
    while let Some(item) = feed.next() {
        let mut merger = Merger::new(MergeOptions { correlation: binaries.clone(), ..MergeOptions::default() });
        let loaded = inputs::load(&item.content, &mut buffer);
        let added = loaded.add_to(&mut merger, &item, 1, binaries.as_deref());
        added.map_err(|error| Error::msg(explained(&error)))?;
        progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
        let (profile, report) = merger.finish()?;
        check_kind(&profile)?;
        verdict.damage.extend(inputs::damage(&report));
        if report.total.whole + report.total.salvaged > 0 {
            profiles += 1;
            collector.add(&names.of(&item.name), &profile);
        }
    }
    drop(progress);
    ensure!(profiles > 0, "no profile can be read\n{}", verdict.damage.join("\n"));
    let left_out = collector.left_out;
    let index = collector.finish();
    output::write(output, &index.bytes()?)?;
    complainln!("{}: {} in {}", display(output), many(index.tests.len() as u64, "test"), many(profiles, "profile"));
    if left_out > 0 {
        complainln!(
            "{} {} of functions that no program has as they are; profrt cov --explain lists them",
            Styled(WARNING, "note:"),
            many(left_out, "record")
        );
    }
    Ok(verdict.end("who"))
}
