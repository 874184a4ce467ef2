//! `cargo xtask bench`: what a user decides by, ours beside the compiler's archive and `llvm-profdata`, in the same run.
//!
//! Programs are linked for each side from the same objects. Each row has a limit, and the command fails where one is not held; a limit that
//! nobody means to hold is changed, with its reason, in docs/PERFORMANCE.md.

#![forbid(unsafe_code)]

mod big;
mod coverage;
mod crowd;
mod devices;
mod gcov;
mod generated;
mod hooks;
mod measure;
mod merge;
mod page;
mod process;
mod programs;
mod report;
mod units;

use anyhow::{Result, bail};
use clap::Parser;
use programs::Programs;
use report::Row;
use testkit::toolchain::Packages;

#[derive(clap::Parser)]
#[command(name = "cargo xtask bench", bin_name = "cargo xtask bench")]
struct Options {
    #[command(flatten)]
    packages: Packages,
    /// Fewer rounds: counts are the same, times are rough and do not fail, and docs/PERFORMANCE.md stays as it is
    #[arg(long)]
    quick: bool,
    /// Only the rows of this part, on the terminal: for work on what it measures
    #[arg(long, value_name = "NAME")]
    only: Option<String>,
}

/// Measures the rows of a part; `quick`: with fewer rounds.
type Measure = fn(&Programs, quick: bool) -> Result<Vec<Row>>;

/// The parts of the table, by the names for `--only`.
const PARTS: [(&str, Measure); 10] = [
    ("process", process::rows),
    ("big", big::rows),
    ("crowd", crowd::rows),
    ("hooks", |programs, _| hooks::rows(programs)),
    ("gcov", |programs, _| gcov::rows(programs)),
    ("merge", merge::rows),
    ("units", units::rows),
    ("coverage", coverage::rows),
    ("page", page::rows),
    ("devices", |programs, _| devices::rows(programs)),
];

fn main() -> Result<()> {
    let options = Options::parse();
    options.packages.require(&["clang", "gcc", "valgrind", "strace"])?;
    let wanted = |name: &str| options.only.as_deref().is_none_or(|only| only == name);
    if !PARTS.iter().any(|(name, _)| wanted(name)) {
        bail!("the parts are: {}", PARTS.map(|(name, _)| name).join(", "));
    }
    let programs = Programs::prepare(options.packages)?;
    let mut rows = Vec::new();
    for (name, measure) in PARTS.iter().filter(|(name, _)| wanted(name)) {
        eprintln!("measuring: {name}");
        rows.extend(measure(&programs, options.quick)?);
    }
    let table = report::table(&rows, &programs.clang);
    println!("{table}");
    if !options.quick && options.only.is_none() {
        println!("written to {}", report::write(&table)?.display());
    }
    let missed: Vec<&str> = rows.iter().filter(|row| row.fails(options.quick)).map(|row| row.what.as_str()).collect();
    if !missed.is_empty() {
        bail!("{} rows do not hold their limits:\n  {}", missed.len(), missed.join("\n  "));
    }
    Ok(())
}
