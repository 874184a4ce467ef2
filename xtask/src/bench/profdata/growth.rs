//! How merges grow: with functions, with inputs, with threads.

use std::fmt::Write as _;

use anyhow::Result;

use super::super::programs::Programs;
use super::super::report::Limit;
use super::binary::Size;
use super::process::{Ours, Tools};
use super::{raw_files, scratch};
use crate::demo::progress;

const FUNCTIONS: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const INPUTS: [usize; 5] = [1, 10, 100, 1_000, 10_000];
const THREADS: [usize; 2] = [1, 2];
const ROUNDS: usize = 3;

/// Tables for docs/PERFORMANCE.md.
pub fn tables(programs: &Programs) -> Result<String> {
    let tools = Tools::build(programs, Ours::Crate)?;
    let bar = progress("how merges grow", FUNCTIONS.len() + INPUTS.len() * THREADS.len());
    let mut text = format!("| functions, in 1 raw file |{COLUMNS}\n");
    for functions in FUNCTIONS {
        let directory = scratch()?;
        let file = raw_files(Size { functions, counters: 4, with_sites: 8 }, 1, 1, directory.path())?;
        let _ = writeln!(text, "| {functions} |{}", cells(&tools, 1, &file)?);
        bar.inc(1);
    }
    for threads in THREADS {
        let title = if threads == 1 { "1 thread".into() } else { format!("{threads} threads") };
        let _ = write!(text, "\n| raw files of 100 functions, {title} |{COLUMNS}\n");
        for files in INPUTS {
            let directory = scratch()?;
            let files_of_this = raw_files(
                Size { functions: 100, counters: 4, with_sites: 8 },
                files,
                super::DIFFERENT,
                directory.path(),
            )?;
            let _ = writeln!(text, "| {files} |{}", cells(&tools, threads, &files_of_this)?);
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(text)
}

const COLUMNS: &str = " CPU ms, `llvm-profdata` | ours | ratio | wall: ratio | MiB, `llvm-profdata` | ours | ratio |\n\
                       | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |";

fn cells(tools: &Tools<'_>, threads: usize, files: &[std::path::PathBuf]) -> Result<String> {
    let used = tools.in_turns(threads, files, ROUNDS)?;
    let row = |part: fn(&super::Used) -> f64| used.row(String::new(), Limit::Time(1.0), part);
    let (cpu, wall, peak) = (row(|used| used.cpu), row(|used| used.wall), row(|used| used.peak));
    Ok(format!(
        " {:.1} | {:.1} | {:.2} | {:.2} | {:.1} | {:.1} | {:.2} |",
        cpu.official, cpu.ours, cpu.ratio, wall.ratio, peak.official, peak.ours, peak.ratio
    ))
}
