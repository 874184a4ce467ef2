//! `cargo xtask bench`: what the hooks and a dump cost, ours beside the official archive, in the same run.
//!
//! Everything is measured in programs that clang has instrumented, linked for each side from the same objects. Counts of instructions
//! and of system calls are the same in every run, so they have limits that the command fails on; times are shown.

mod again;
mod big;
mod calls;
mod continuous;
mod crowd;
mod dump;
mod gcov;
mod generated;
mod growth;
mod hot;
mod increment;
mod jobs;
mod leveldb;
mod measure;
mod old_file;
mod process;
mod profdata;
mod programs;
mod report;
mod sides;
mod sites;

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
    /// A real program instead of the table: LevelDB, CPU time of runs on both sides in turns
    #[arg(long)]
    program: bool,
    /// Only the rows of this part, on the terminal: for work on what it measures
    #[arg(long, value_name = "PART", conflicts_with = "program")]
    only: Option<String>,
}

/// Measures the rows of a part; `quick`: with fewer calls and rounds.
type Measure = fn(&Programs, quick: bool) -> Result<Vec<Row>>;

/// The parts of the table, by the names for `--only`.
const PARTS: [(&str, Measure); 14] = [
    ("process", |programs, _| process::rows(programs)),
    ("old", |programs, _| old_file::rows(programs)),
    ("hooks", |programs, _| calls::instructions(programs)),
    ("threads", calls::times),
    ("sites", sites::rows),
    ("dump", dump::rows),
    ("big", |programs, quick| Ok([big::counts(programs)?, big::times(programs, quick)?].concat())),
    ("again", again::rows),
    ("crowd", crowd::rows),
    ("increment", |programs, _| increment::rows(programs)),
    ("continuous", |programs, _| continuous::rows(programs)),
    ("gcov", |programs, _| gcov::rows(programs)),
    (PROFDATA, profdata::rows),
    (TOOL, profdata::tool_rows),
];

/// The part that needs no linked program. Its rows, and those of the next, are a table of their own.
const PROFDATA: &str = "profdata";

/// The same for the tool's processes.
const TOOL: &str = "tool";

pub fn run(options: &Options) -> Result<()> {
    options.packages.ensure(Need::OneClang)?;
    if options.program {
        return leveldb::run(&Programs::of_two_sides()?, options.quick);
    }
    for (program, package) in [("valgrind", "valgrind"), ("strace", "strace")] {
        if paths::find_program(program).is_none() {
            bail!("{program} is needed; on Debian and Ubuntu: apt-get install {package}");
        }
    }
    let parts = parts(options.only.as_deref())?;
    let quick = options.quick || options.only.is_some();
    let merges_only = |name: &str| name == PROFDATA || name == TOOL;
    let alone = options.only.as_deref().is_some_and(merges_only);
    let programs = if alone { Programs::of_two_sides()? } else { Programs::build(quick)? };
    let (mut rows, mut merges) = (Vec::new(), Vec::new());
    for (name, measure) in parts {
        let list = if merges_only(name) { &mut merges } else { &mut rows };
        list.extend(measure(&programs, options.quick)?);
    }
    let older = programs.older.as_ref().map_or_else(String::new, |older| format!("clang {}", older.version));
    let table = report::table(&rows, "official", &older);
    let merging = report::table(&merges, "LLVM", "");
    println!("{}", if alone { &merging } else { &table });
    if options.only.as_deref() == Some(PROFDATA) && !options.quick {
        println!("{}", profdata::tables(&programs)?);
    }
    if !quick {
        let tables = report::Tables {
            rows: table,
            growth: growth::tables(&programs)?,
            hot: hot::table(&programs)?,
            jobs: jobs::table(&programs)?,
            merging,
            merging_growth: profdata::tables(&programs)?,
        };
        println!("{}", tables.rest());
        println!("written to {}", report::write(&programs, &tables, options.packages)?.display());
    }
    rows.extend(merges);
    let missed: Vec<String> = rows.iter().filter(|row| row.missed()).map(Row::complaint).collect();
    if !missed.is_empty() {
        bail!("{} of the counts above miss what is required:\n  {}", missed.len(), missed.join("\n  "));
    }
    Ok(())
}

/// The parts that are asked for: all, or the one of this name.
fn parts(only: Option<&str>) -> Result<Vec<(&'static str, Measure)>> {
    let parts: Vec<_> = PARTS.into_iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).collect();
    if parts.is_empty() {
        bail!("the parts are: {}", PARTS.map(|(name, _)| name).join(", "));
    }
    Ok(parts)
}
