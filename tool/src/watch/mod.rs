//! `profrt watch`: merges profiles as they appear in a directory, and publishes the result.
//!
//! # What is never lost, and never counts twice
//!
//! The sum and the list of the files that are in it are one file, the output, which is replaced as a whole. There is no other state:
//!
//! 1. A file that two looks have found the same is, with `--delete`, *taken away*: it gets a hidden name that no other file ever has, so that a
//!    run that adds to it (`%m`) begins a new one.
//! 2. The next look reads it, and adds it to the sum in memory.
//! 3. The output is written, synced and renamed. From here on the file is merged.
//! 4. With `--delete`, the file is removed.
//!
//! A kill before 3 leaves an output and a directory in which the file is new; one after 3, a file that the output knows.
//!
//! A file that is damaged, or cannot be merged, gets its name again, and is in no result.

mod claims;
mod folder;
mod input;
mod known;
mod report;
mod slot;
mod stop;
mod watcher;

use std::path::PathBuf;
use std::time::Duration;

use crate::text::seconds;
use anyhow::Result;
use stop::Stop;
use watcher::Watcher;

/// What to watch, and what to do with it.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Options {
    /// The directory where profiles appear, at any depth
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Where to write the result, a partial result for `profrt merge`; it is also what a restart needs
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Remove each file when a result that contains it is on the disk. What is in no result stays
    #[arg(long)]
    delete: bool,
    /// Write what was merged and what is wrong as JSON
    #[arg(long = "json", alias = "report", value_name = "FILE")]
    report: Option<PathBuf>,
    /// Merge what is there, and end
    #[arg(long)]
    once: bool,
    /// Seconds between two scans. A file that did not change in between is merged
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    interval: Duration,
    /// Print problems only
    #[arg(short, long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Example: a service that collects the profiles of a fleet, and each night's profile for clang 16

    profrt watch /srv/incoming -o /srv/app.profpart --delete --json /srv/app.json
    profrt merge /srv/app.profpart --for clang-16 -o /srv/app.profdata

Exit status: 0 stopped by SIGINT, SIGTERM or SIGHUP, or by --once, with the last result published; 1 after --once, when something of the
inputs is not in the result; 2 it cannot go on; 130 a second signal has ended it. Nothing is lost or counted twice when it is killed: start it again with the same -o.";

/// Watches until it is stopped, and returns the exit status. Errors: it cannot go on.
pub fn run(options: &Options) -> Result<u8> {
    let is_complete = Watcher::new(options, Stop::new()?)?.run()?;
    Ok(u8::from(!is_complete && options.once))
}
