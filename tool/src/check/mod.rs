//! `profrt check`: is each profile whole, what is wrong where, and what a merge can use of it.
//!
//! Exit status: 0; 1 when an input is damaged or no profile; 2 when one cannot be read.

mod guess;
mod inspect;
mod verdict;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ArgAction;
use profdata::error::ErrorKind;
use serde::Serialize;

use crate::inputs::{Duplicate, Feed, Loaded, Progress, display, expand, load, passed_over};
use crate::report::style::{BAD, Styled, WARNING};
use crate::report::{self, exact};
use crate::text::many;
pub use inspect::inspect;
pub use verdict::{Numbers, State, Verdict};

/// What to check.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// Profiles of any format, directories, archives; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print only inputs that are not whole, and the totals
    #[arg(short, long, action = ArgAction::SetTrue)]
    quiet: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Example: which profiles of a night are damaged?

    profrt check night/ app.profdata

Exit status: 0 all are whole; 1 one is damaged, or no profile; 2 one cannot be read.";

/// Everything, for machines.
#[derive(Serialize)]
struct All {
    totals: Totals,
    inputs: Vec<Verdict>,
    duplicates: Vec<Duplicate>,
    /// Files in directories and archives that are no profiles.
    ignored: Vec<String>,
}

/// How many inputs there are of each state.
#[derive(Default, Serialize)]
struct Totals {
    inputs: u64,
    ok: u64,
    damaged: u64,
    unreadable: u64,
}

impl Totals {
    fn add(&mut self, state: State) {
        self.inputs += 1;
        match state {
            State::Ok => self.ok += 1,
            State::Damaged => self.damaged += 1,
            State::Unreadable => self.unreadable += 1,
        }
    }

    /// Returns the numbers as a line.
    fn line(&self) -> String {
        let mut line = format!("{}: {} ok", many(self.inputs, "input"), exact(self.ok));
        for (number, state) in [(self.damaged, "damaged"), (self.unreadable, "unreadable")] {
            if number > 0 {
                line += &format!(", {} {state}", exact(number));
            }
        }
        line
    }

    fn status(&self) -> u8 {
        match self {
            Totals { unreadable: 1.., .. } => 2,
            Totals { damaged: 1.., .. } => 1,
            _ => 0,
        }
    }
}

/// Checks inputs and says what they are. Returns the exit status. Errors: something cannot be written, or there is no input.
pub fn run(options: &Options) -> Result<u8> {
    let sources = expand(&options.files, None);
    let (feed, mut buffer) = (Feed::new(&sources.sources), Vec::new());
    let progress = Progress::of(&sources, &feed, "");
    let (mut totals, mut inputs) = (Totals::default(), Vec::new());
    while let Some(item) = feed.next() {
        let loaded = load(&item.content, &mut buffer);
        progress.add(&item.content, loaded.bytes.map_or(0, <[u8]>::len));
        let verdict = verdict(item.name, loaded);
        totals.add(verdict.state);
        if options.json {
            inputs.push(verdict);
        } else if !options.quiet || verdict.state != State::Ok {
            progress.suspend(|| say(&verdict))?;
        }
    }
    drop(progress);
    let mut ignored = sources.ignored;
    ignored.extend(feed.take_ignored());
    if totals.inputs == 0 {
        passed_over(&ignored, "").iter().for_each(|line| complainln!("{} {line}", Styled(WARNING, "not checked:")));
        bail!("no profile is in {}", options.files.iter().map(|path| display(path)).collect::<Vec<_>>().join(", "));
    }
    let status = totals.status();
    let mut lines = String::new();
    if !options.quiet {
        let line = |duplicate: &Duplicate| format!("{}: the same file as {}\n", duplicate.input, duplicate.same_as);
        lines.extend(sources.duplicates.iter().map(line));
    }
    if totals.inputs > 1 {
        lines += &(totals.line() + "\n");
    }
    if !options.json {
        for line in passed_over(&ignored, "; --json lists these") {
            complainln!("{} {line}", Styled(WARNING, "not checked:"));
        }
    }
    let all = All { totals, inputs, duplicates: sources.duplicates, ignored };
    report::show(options.json.then_some("profrt-check-1"), status, &all, || lines)?;
    Ok(status)
}

/// Checks one input.
pub fn verdict(name: String, loaded: Loaded<'_>) -> Verdict {
    let Some(error) = loaded.damage else { return inspect(name, loaded.bytes.unwrap_or(&[])) };
    let state = if error.kind() == ErrorKind::Io { State::Unreadable } else { State::Damaged };
    let mut damaged = Verdict::of_error(name, state, &error);
    match loaded.bytes {
        // What comes before the damage of an archive's member can be whole.
        Some(bytes @ [_, ..]) => {
            let part = inspect(damaged.name.clone(), bytes);
            damaged.salvage = if part.state == State::Ok { vec![part.summary] } else { part.salvage };
            damaged.lost = part.lost;
        }
        Some([]) => {}
        None => damaged.notes.push("members before the damage stand here by themselves".into()),
    }
    damaged
}

/// Prints the lines of an input: what cannot be read goes to standard error.
fn say(verdict: &Verdict) -> Result<()> {
    if verdict.state == State::Unreadable {
        let reason = verdict.damage.first().and_then(|fault| fault.found.as_deref()).unwrap_or("no reason is known");
        complainln!("{} {} cannot be read; is the path right? ({reason})", Styled(BAD, "profrt check:"), verdict.name);
        return Ok(());
    }
    report::print(&verdict.to_string())
}
