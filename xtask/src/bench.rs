//! `cargo xtask bench`: what the hooks and a dump cost, ours beside the official archive, in the same run.
//!
//! Everything is measured in programs that clang has instrumented, linked for each side from the same objects. Counts of instructions
//! and of system calls are the same in every run, so they have limits that the command fails on; times are shown.

mod big;
mod calls;
mod crowd;
mod dump;
mod gcov;
mod generated;
mod growth;
mod hot;
mod increment;
mod jobs;
mod measure;
mod process;
mod programs;
mod report;
mod sides;

use anyhow::{Result, bail};

use crate::paths;
use crate::toolchain::{Need, Packages};
use programs::Programs;
use report::Row;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    packages: Packages,
    /// Fewer calls and rounds: the counts are the same, the times are rough, and docs/PERFORMANCE.md stays as it is
    #[arg(long)]
    quick: bool,
}

pub fn run(options: &Options) -> Result<()> {
    options.packages.ensure(Need::OneClang)?;
    for (program, package) in [("valgrind", "valgrind"), ("strace", "strace")] {
        if paths::find_program(program).is_none() {
            bail!("{program} is needed; on Debian and Ubuntu: apt-get install {package}");
        }
    }
    let programs = Programs::build(options.quick)?;
    let rows = rows(&programs, options.quick)?;
    let older = programs.older.as_ref().map_or_else(String::new, |older| format!("clang {}", older.version));
    let table = report::table(&rows, &older);
    println!("{table}");
    if !options.quick {
        let tables = [growth::tables(&programs)?, hot::table(&programs)?, jobs::table(&programs)?];
        println!("{}", tables.join("\n"));
        println!("written to {}", report::write(&programs, &table, &tables, options.packages)?.display());
    }
    let missed: Vec<String> = rows.iter().filter(|row| row.missed()).map(Row::complaint).collect();
    if !missed.is_empty() {
        bail!("{} of the counts above miss what is required:\n  {}", missed.len(), missed.join("\n  "));
    }
    Ok(())
}

fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let mut rows = process::rows(programs)?;
    rows.extend(big::counts(programs)?);
    rows.extend(big::times(programs, quick)?);
    rows.extend(crowd::rows(programs, quick)?);
    rows.extend(increment::rows(programs)?);
    rows.extend(gcov::rows(programs)?);
    rows.extend(calls::instructions(programs)?);
    rows.extend(calls::times(programs, quick)?);
    rows.extend(dump::rows(programs, quick)?);
    Ok(rows)
}
