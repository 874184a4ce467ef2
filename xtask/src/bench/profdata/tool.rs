//! The tool's processes: start, and merges of the crate's jobs, which may use 5 % more than the crate's own process.

use anyhow::Result;

use super::super::programs::Programs;
use super::super::report::{Limit, Row};
use super::process::{Ours, Tools, Used};
use super::{JOBS, indexed, raw_files, scratch};
use crate::demo::progress;

/// What the tool may use of what the crate may.
const MORE: f64 = 1.05;

/// The same as it is now, where it does not hold: for large files, which are hashed to find equal ones, and for many small ones, which have to be
/// looked for and reported.
const LARGE_FILES: f64 = 1.1;
const SMALL_FILES: f64 = 3.2;

/// The most that a start may take: ms and MiB.
const START: (f64, f64) = (3.0, 10.0);

/// Rows of the start, and of merges with one thread.
pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let tools = Tools::build(programs, Ours::Tool)?;
    let bar = progress("starting and merging with profrt", 1 + JOBS.len());
    let starts = tools.starts(21)?;
    let at_most = |most| Limit::AtMostMissed(most, most);
    // Not the wall time, in which a busy machine lets others run.
    let mut time = starts.row("profrt --version: ms of CPU time".into(), at_most(START.0), |used| used.cpu);
    time.note = format!("wall: {:.1} ms", starts.row(String::new(), at_most(START.0), |used| used.wall).ours);
    let memory = starts.row("profrt --version: MiB".into(), at_most(START.1), |used: &Used| used.peak);
    let mut rows = vec![time, memory];
    bar.inc(1);
    for job in JOBS {
        let directory = scratch()?;
        // All are different: a file counts once, whatever links lead to it.
        let raw = raw_files(job.size, job.counted, job.counted, directory.path())?;
        let inputs = indexed(&tools, &job, raw)?;
        let files = if job.counted == 1 { "1 file".into() } else { format!("{} files", job.counted) };
        let what = format!("profrt merge, {files} of {}", job.what);
        let Some((_, [time, memory, instructions])) = job.threads.first() else { continue };
        let used = tools.in_turns(1, &inputs, if quick { 3 } else { 5 })?;
        if let Some(limit) = time {
            rows.push(used.row(format!("{what}: ms of CPU time"), more(*limit), |used| used.cpu));
        }
        if let Some(limit) = memory {
            rows.push(used.row(format!("{what}: MiB"), more(*limit), |used| used.peak));
        }
        if instructions.is_some() {
            let (alone, ours) = (tools.with_crate().instructions_of(1, &inputs)?, tools.instructions_of(1, &inputs)?);
            let limit = match job.files {
                200 => Limit::Missed(MORE, LARGE_FILES),
                1000 => Limit::Missed(MORE, SMALL_FILES),
                _ => Limit::Count(MORE),
            };
            let mut row = Row::new(format!("{what}: millions of instructions"), alone / 1e6, ours / 1e6, limit);
            row.note = "LLVM: the crate's process".into();
            rows.push(row);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// Returns the limit of the tool's process, of that of the crate's.
fn more(limit: Limit) -> Limit {
    match limit {
        Limit::Count(most) => Limit::Count(times(most)),
        Limit::Missed(most, now) => Limit::Missed(times(most), times(now)),
        Limit::AtMostMissed(most, now) => Limit::AtMostMissed(times(most), times(now)),
        Limit::Time(most) => Limit::Time(times(most)),
    }
}

/// Returns a limit with [`MORE`], to three digits after the point.
fn times(most: f64) -> f64 {
    (most * MORE * 1000.0).round() / 1000.0
}
