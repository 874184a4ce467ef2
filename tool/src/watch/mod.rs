//! `profrt watch`: merges profiles as they appear in a directory, and publishes the result.
//!
//! # What is never lost
//!
//! The sum of all inputs and the list of what is in it are one file, the state (`OUT.watch`), which is replaced as a whole:
//!
//! 1. New files are read and added in memory.
//! 2. The new state is written, synced and renamed. From here on they are merged.
//! 3. The output, which is derived from the state alone, is written, synced and renamed.
//! 4. With `--delete`, the files are removed.
//!
//! A kill before 2 leaves everything as it was; one after 2 leaves files whose contents are in the list: the next watcher does not add them
//! again, writes the output of 3, and goes on with 4. A watcher that ends before 2 without being killed gives files that it has taken away their
//! names back.
//!
//! # Files that change
//!
//! A pool file (`%m`) is rewritten by each run, and has the counts of all runs. Merged twice, it would count the first runs twice.
//!
//! - With `--delete` a file is taken away first: it is renamed, so that the next run begins a new one, and read after nobody has changed it for
//!   `--settle` seconds.
//! - Without it, a file that was merged and has another content later is not merged again; a message says so.
//!
//! | exit status | means |
//! | --- | --- |
//! | 0 | stopped as asked (SIGINT, SIGTERM, SIGHUP; `--once`), and the last result is published |
//! | 1 | the same after `--once`, and something is not in the result: damaged, refused, empty, busy files |
//! | 130 | a second signal has ended it at once |
//! | 2 | it cannot go on; what it has merged is safe, and the next watcher goes on with it |

mod batch;
mod durable;
mod events;
mod files;
mod ledger;
mod looked;
mod report;
mod scan;
mod state;
mod verdict;
mod waiting;
mod watcher;

use std::io::{PipeReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use clap::ValueEnum;

use crate::merge::derive::Output;
use crate::report::style::{BAD, Styled};
use watcher::Watcher;

/// What to watch, and what to do with it.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The directory where profiles appear, at any depth
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Where to write the result; OUT.watch, next to it, has what a restart needs
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Remove each file when a result that contains it is on the disk. Damaged ones are renamed to NAME.corrupt-N; what is refused and not
    /// damaged stays
    #[arg(long)]
    delete: bool,
    /// Remove damaged files too
    #[arg(long, requires = "delete")]
    delete_damaged: bool,
    /// Take over files that other watchers have taken away and never merged. Only if their OUT.watch is lost: else start them again
    #[arg(long, requires = "delete")]
    adopt: bool,
    #[command(flatten)]
    result: Output,
    /// Write what was merged and what is wrong as JSON, with each result
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Threads; the result is the same with any number
    #[arg(short = 'j', long, value_name = "N")]
    threads: Option<usize>,
    /// Merge what is there, and end
    #[arg(long)]
    once: bool,
    /// Seconds between two results, at least
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    interval: Duration,
    /// Seconds for which nobody must have changed a file before it is read
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = seconds)]
    settle: Duration,
    /// Seconds between two looks at everything, for what no event tells, as on network file systems
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    rescan: Duration,
    /// Add files with equal contents each time, not once
    #[arg(long)]
    keep_duplicates: bool,
    /// What to do, without --delete, with a file that was merged and has another content now
    #[arg(long, value_enum, default_value_t, conflicts_with = "delete")]
    changed: Changed,
    /// Contents of files that are gone to remember, so that a second copy does not count
    #[arg(long, value_name = "N", default_value_t = 65_536)]
    remember: usize,
    /// Print problems only
    #[arg(short, long)]
    quiet: bool,
}

/// What a file means that was merged and has another content now.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Changed {
    /// It may have the counts that were merged: leave it out, with a message
    #[default]
    Refuse,
    /// It is another run, whose file has the same name: add it
    Add,
}

const EXAMPLES: &str = "\
Example: a service that collects the profiles of a fleet, for clang 16

    profrt watch /srv/incoming -o /srv/app.profdata --delete --for clang-16 --report /srv/app.json

Exit status: 0 stopped by SIGINT, SIGTERM or SIGHUP, or by --once, with the last result published; 1 after --once, when something of the
inputs is not in the result; 2 it cannot go on; 130 a second signal has ended it. Nothing is lost or counted twice when it is killed: start it again with the same -o.";

/// The longest time that an option may have: a century.
const LONGEST: f64 = 3.2e9;

/// Reads a number of seconds.
fn seconds(text: &str) -> Result<Duration, String> {
    let number = text.parse::<f64>().ok().filter(|number| (0.0..=LONGEST).contains(number));
    number
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("`{text}` is no number of seconds; write it like 5 or 0.5"))
}

/// Asked to stop: by a signal, which wakes a wait too.
struct Stop {
    pipe: PipeReader,
}

static STOPPED: AtomicBool = AtomicBool::new(false);

impl Stop {
    /// Takes the signals that end a program. A second one ends it at once, which is as safe as any kill.
    fn new() -> Result<Stop> {
        let (pipe, mut wake) = std::io::pipe().context("no pipe")?;
        ctrlc::set_handler(move || {
            if STOPPED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            // The pipe has room for the only byte.
            let _ = wake.write_all(b"!");
        })
        .context("signals cannot be handled")?;
        Ok(Stop { pipe })
    }

    fn is_asked(&self) -> bool {
        STOPPED.load(Ordering::Relaxed)
    }
}

/// Watches until it is stopped, and returns the exit status.
pub fn main(options: &Options) -> ExitCode {
    let watch = || Watcher::new(options, Stop::new()?)?.run();
    match watch() {
        Ok(is_complete) => ExitCode::from(u8::from(!is_complete && options.once)),
        Err(error) => {
            complainln!("{} {error:#}", Styled(BAD, "profrt watch:"));
            ExitCode::from(2)
        }
    }
}
