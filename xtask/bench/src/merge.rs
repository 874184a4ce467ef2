//! Merging profiles: `profrt merge` beside `llvm-profdata merge`, in processes that take turns. Both have to write the same bytes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};

use super::coverage;
use super::programs::Programs;
use super::report::Row;
use testkit::dist::compile::cargo;
use testkit::{paths, run};

/// Profiles of a program that are merged.
struct Job {
    what: &'static str,
    program: &'static str,
    files: usize,
    /// Whether the files are indexed profiles.
    indexed: bool,
    /// Of the CPU time.
    limit: f64,
    /// Of the peak of the memory.
    memory: Option<f64>,
}

/// The generated program of 100,000 functions.
const LARGE: &str = "large";
/// One with little more than a call through a pointer.
const SMALL: &str = "small";
const FUNCTION: &str = "
static int even(int a) { return a; }
static int odd(int a) { return -a; }
int main(int a, char **v) {
  int sum = 0;
  for (int i = 0; i < 9 * a; i++)
    sum += (i % 3 ? odd : even)(i);
  return a == 0 && sum;
}
";

#[rustfmt::skip]
const JOBS: [Job; 4] = [
    Job { what: "20 raw files of 100,000 functions", program: LARGE, files: 20, indexed: false, limit: 0.3, memory: Some(0.5) },
    Job { what: "a raw file of 100,000 functions", program: LARGE, files: 1, indexed: false, limit: 0.6, memory: Some(0.5) },
    // As one raw file: a real program's functions have few values, whose sums were most of what LLVM's tool did with generated profiles.
    Job { what: "4 indexed files of 100,000 functions", program: LARGE, files: 4, indexed: true, limit: 0.6, memory: None },
    Job { what: "1,000 raw files of 1 kB", program: SMALL, files: 1000, indexed: false, limit: 0.8, memory: None },
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
    let optimizer = ["-O0", "-g0", "-fprofile-generate"];
    coverage::generated(programs, LARGE, &optimizer)?;
    coverage::compiled(programs, SMALL, &[FUNCTION.to_owned()], &optimizer)?;
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

/// Runs the program of a job, with other counts each time. `llvm-profdata` makes the indexed files.
fn inputs(programs: &Programs, job: &Job, directory: &Path) -> Result<()> {
    for file in 0..job.files {
        let raw = directory.join(format!("{file:05}.profraw"));
        let mut program = Command::new(programs.scratch(job.program));
        run::quiet(program.args(vec!["more"; file % 7]).env("LLVM_PROFILE_FILE", &raw))?;
        if job.indexed {
            let mut merge = Command::new(&programs.clang.profdata);
            merge.arg("merge").arg("-o").arg(raw.with_extension("profdata")).arg(&raw);
            run::quiet(&mut merge)?;
            fs::remove_file(raw)?;
        }
    }
    Ok(())
}
