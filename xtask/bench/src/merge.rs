//! Merging profiles: `profrt merge` beside `llvm-profdata merge`, in processes that take turns. Both have to write the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::binary::{Binary, Size};
use super::programs::Programs;
use super::report::Row;
use testkit::dist::compile::cargo;
use testkit::{paths, run};

/// Files that are merged.
struct Job {
    what: &'static str,
    size: Size,
    files: u64,
    /// Whether the files are indexed profiles.
    indexed: bool,
    /// Of the CPU time.
    limit: f64,
    /// Of the peak of the memory.
    memory: Option<f64>,
}

/// 20 MB of counters.
const LARGE: Size = Size { functions: 10_000, counters: 250, with_sites: 8 };

const WIDE: Size = Size { functions: 100_000, counters: 10, with_sites: 8 };

const JOBS: [Job; 4] = [
    Job { what: "20 raw files of 20 MB", size: LARGE, files: 20, indexed: false, limit: 0.3, memory: Some(0.5) },
    Job {
        what: "a raw file of 100,000 functions",
        size: WIDE,
        files: 1,
        indexed: false,
        limit: 0.6,
        memory: Some(0.5),
    },
    Job { what: "4 indexed files of 100,000 functions", size: WIDE, files: 4, indexed: true, limit: 0.5, memory: None },
    Job {
        what: "1,000 raw files of 1 kB",
        size: Size { functions: 8, counters: 5, with_sites: 8 },
        files: 1000,
        indexed: false,
        limit: 0.8,
        memory: None,
    },
];

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let release = programs.clang.version;
    let tool = tool()?;
    let outputs = [programs.scratch("official.profdata"), programs.scratch("ours.profdata")];
    let mut official = Command::new(&programs.clang.profdata);
    official.args(["merge", "-num-threads=1"]);
    let mut ours = Command::new(&tool);
    ours.args(["merge", "--quiet", "-j", "1", "--for", &format!("clang-{release}")]);
    for (command, output) in [(&mut official, &outputs[0]), (&mut ours, &outputs[1])] {
        // A directory: as many names as there are files do not fit into a command line everywhere.
        command.arg("-o").arg(output).arg(".");
    }
    let mut rows = Vec::new();
    for job in &JOBS {
        let directory = tempfile::Builder::new().prefix("profrt-bench-").tempdir()?;
        inputs(programs, job, directory.path())?;
        let [official, ours] = [&mut official, &mut ours].map(|command| &*command.current_dir(directory.path()));
        let turns = programs.turns(if quick { 2 } else { 7 }, [official, ours])?;
        ensure!(fs::read(&outputs[0])? == fs::read(&outputs[1])?, "the outputs differ: {}", job.what);
        let what = format!("merging {}", job.what);
        rows.push(Row::used(format!("{what}: CPU ms"), job.limit, &turns, |used| used.cpu));
        rows.extend(job.memory.map(|most| Row::used(format!("{what}: MiB"), most, &turns, |used| used.peak)));
    }
    Ok(rows)
}

/// Builds our tool, and returns its path.
pub fn tool() -> Result<PathBuf> {
    run::run(cargo().args(["build", "--quiet", "--release", "--package", "profrt-tool", "--bins"]))?;
    Ok(paths::target().join("release/profrt"))
}

/// Makes the inputs of a job. `llvm-profdata` makes the indexed ones, and so has to read the raw ones.
fn inputs(programs: &Programs, job: &Job, directory: &Path) -> Result<()> {
    let binary = Binary::new(job.size)?;
    for file in 0..job.files {
        let raw = directory.join(format!("{file:05}.profraw"));
        fs::write(&raw, binary.profile(file)?)?;
        if job.indexed {
            let mut merge = Command::new(&programs.clang.profdata);
            merge.arg("merge").arg("-o").arg(raw.with_extension("profdata")).arg(&raw);
            run::quiet(&mut merge)?;
            fs::remove_file(raw)?;
        }
    }
    Ok(())
}
