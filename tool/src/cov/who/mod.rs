//! `profrt cov who`: which tests ran which lines.
//!
//! [`make`] reads profiles, of which [`name`] knows the tests and [`collect`] the lines. What comes of them is kept in a file ([`index`]), of which
//! [`ask`] and [`select`] read what a question needs.

mod ask;
pub(super) mod collect;
pub(super) mod index;
pub(super) mod make;
pub(super) mod name;
mod select;
pub(super) mod set;

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Arg;

use super::since::Since;
use super::sources::PathOptions;
use crate::report::style::{Styled, WARNING};
use crate::report::{self, Verdict};
use ask::Answer;
use index::Stored;
use name::Names;
use select::Selected;

/// Which tests ran which lines.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES, mut_args = of_programs)]
pub struct Options {
    /// With --object: profiles of any format, directories, archives. Else the file that --output made, without which the last profrt cov run
    /// --each-test is asked, and places: FILE:LINE, FILE:FIRST-LAST or a function
    #[arg(value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// The programs and libraries that wrote the profiles, directories of them, or their object files and static archives
    #[arg(long, alias = "elf", value_name = "FILE", num_args = 1, requires = "output")]
    object: Vec<PathBuf>,
    /// Write which tests cover which lines, for later questions
    #[arg(short, long, value_name = "FILE", requires = "object", conflicts_with_all = ["since", "diff"])]
    output: Option<PathBuf>,
    /// Take the tests from this JSON object of profiles (patterns of paths or file names) and tests, not from the names of profiles
    #[arg(long, value_name = "MAP", requires = "object")]
    contexts: Option<PathBuf>,
    #[command(flatten)]
    paths: PathOptions,
    #[command(flatten)]
    since: Since,
    /// List the lines that only this test covers
    #[arg(long, value_name = "TEST", conflicts_with_all = ["object", "since", "diff"])]
    unique: Option<String>,
    /// Write JSON
    #[arg(long, conflicts_with = "object")]
    json: bool,
    /// Write the tests as the expression that `ctest -R` takes
    #[arg(long, conflicts_with_all = ["object", "json", "unique"])]
    ctest: bool,
}

/// Refuses where sources are unless programs are read.
fn of_programs(arg: Arg) -> Arg {
    let is_of_programs = ["outside", "path_map", "compilation_dir", "absolute_paths"].contains(&arg.get_id().as_str());
    if is_of_programs { arg.requires("object") } else { arg }
}

const EXAMPLES: &str = "\
Examples: keep the coverage of each test; tests that cover a line; tests to run for a change

    profrt cov who profiles/ --object build/app -o tests.who
    profrt cov who tests.who parser.c:120
    profrt cov who tests.who parse_line
    profrt cov who tests.who --since main
    T=$(profrt cov who tests.who --since main --ctest) || T=.; ctest --test-dir build -R \"$T\"

Exit status: 0; 1 something of a profile is lost, or a change is in no function, so that any test may depend on it; 2 there is no result.";

/// Which tests ran which lines in the last `profrt cov run`.
pub(super) const OF_RUN: &str = ".profrt/tests.who";

/// The schema of answers.
const SCHEMA: &str = "profrt-who-1";

/// Makes an index or answers a question, and returns the exit status. Errors: there is no result.
pub fn run(options: &Options) -> Result<u8> {
    let paths = options.paths.paths();
    if let Some(output) = &options.output {
        let names = options.contexts.as_deref().map_or_else(|| Ok(Names::default()), Names::read)?;
        return make::run(&options.inputs, &options.object, &paths, &names, output);
    }
    let is_file = |path: &&PathBuf| path.metadata().is_ok_and(|found| !found.is_dir());
    let (path, places) = match options.inputs.split_first().filter(|(path, _)| is_file(path)) {
        Some((path, places)) => (path.as_path(), places),
        None => (Path::new(OF_RUN), options.inputs.as_slice()),
    };
    ensure!(
        path.exists(),
        "no file of `profrt cov who --output` is given, and the last `profrt cov run` here was not with --each-test"
    );
    let (stored, diff) = (Stored::read(path)?, options.since.diff(true)?);
    let questions = [!places.is_empty(), diff.is_some(), options.unique.is_some()];
    ensure!(
        questions.iter().filter(|is_asked| **is_asked).count() <= 1,
        "ask one question at a time: places, a change, or --unique"
    );
    ensure!(
        diff.is_some() || paths.has_all(),
        "--only and --ignore select files of a change, or with --object what --output keeps"
    );
    let answer = match (&diff, &options.unique) {
        (Some(diff), _) => ask::of_change(&stored, &Selected::of(&stored, diff, &paths)?),
        (None, Some(test)) => ask::of_unique(&stored, test)?,
        (None, None) if places.is_empty() => ask::of_all(&stored)?,
        (None, None) => {
            let places: Vec<String> = places.iter().map(|place| place.to_string_lossy().into_owned()).collect();
            ask::of_places(&stored, places.iter().map(String::as_str))?
        }
    };
    let Answer { failures, notes, .. } = &answer;
    let verdict = Verdict { failures: failures.clone(), ..Verdict::default() };
    report::show(options.json.then_some(SCHEMA), verdict.status(), &answer, || {
        if options.ctest { answer.ctest() } else { answer.text() }
    })?;
    notes.iter().for_each(|note| complainln!("{} {note}", Styled(WARNING, "note:")));
    Ok(verdict.end("cov who"))
}
