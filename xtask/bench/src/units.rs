//! Names as C++ programs have them: each translation unit brings those of all inline functions that it uses, and each raw file has all copies.
//!
//! What reads such files, beside `llvm-profdata merge` with one thread; what merges has to write the same bytes.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};

use super::crowd;
use super::merge::tool;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use testkit::{paths, run};

const NAME: &str = "units";
const UNITS: usize = 64;
const FILES: usize = 100;

/// The inputs, in a directory of all files.
const ALL: &str = ".";
const ONE: &str = "000.profraw";

/// What is measured.
struct Job {
    title: &'static str,
    arguments: &'static [&'static str],
    input: &'static str,
    limit: f64,
}

const LINK: &[&str] = &["llvm-profdata", "merge", "-num-threads=1"];

const JOBS: [Job; 5] = [
    Job { title: "as llvm-profdata", arguments: LINK, input: ALL, limit: 0.3 },
    Job { title: "merge --compat", arguments: &["merge", "--quiet", "--compat"], input: ALL, limit: 0.3 },
    Job { title: "check", arguments: &["check"], input: ALL, limit: 0.5 },
    Job { title: "merge, 1 file", arguments: &["merge", "--quiet", "-j", "1"], input: ONE, limit: 0.5 },
    Job { title: "check, 1 file", arguments: &["check"], input: ONE, limit: 0.5 },
];

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    build(programs)?;
    let tool = tool()?;
    let directory = crowd::in_memory()?;
    for run in 0..FILES {
        let profile = format!("{run:03}.profraw");
        let mut units = programs.command(Side::Official, NAME, directory.path(), Some(&profile));
        run::quiet(units.env("RUN", run.to_string()))?;
    }
    // In memory too: what a disk does when a file is replaced is neither side's cost.
    let place = crowd::in_memory()?;
    let outputs = ["official.profdata", "ours.profdata"].map(|name| place.path().join(name));
    let row = |job: &Job| {
        let mut official = Command::new(&programs.clang.profdata);
        official.args(["merge", "-num-threads=1", job.input, "-o"]).arg(&outputs[0]);
        let mut ours = Command::new(&tool);
        ours.args(job.arguments).arg(job.input);
        let writes = job.arguments.contains(&"merge");
        if writes {
            ours.arg("-o").arg(&outputs[1]);
        }
        if job.arguments.starts_with(&["merge"]) {
            ours.arg(format!("--for=clang-{}", programs.clang.version));
        }
        // One file takes a few milliseconds.
        let (rounds, times) = (if quick { 2 } else { 7 }, if job.input == ONE { 10 } else { 1 });
        let what = format!("C++ units, {}: CPU ms", job.title);
        let row = Row::timed(what, Limit::Ratio(job.limit), rounds, |side| {
            let command = if side == Side::Ours { &mut ours } else { &mut official };
            Ok(programs.used(command.current_dir(directory.path()), times)?.cpu)
        })?;
        let same = !writes || fs::read(&outputs[0])? == fs::read(&outputs[1])?;
        ensure!(same, "the outputs differ: {}", job.title);
        Ok(row)
    };
    JOBS.iter().map(row).collect()
}

/// Compiles all units, and links them.
fn build(programs: &Programs) -> Result<()> {
    let source = paths::root().join("xtask/bench/units.cpp");
    let numbers: Vec<usize> = (0..UNITS).collect();
    let objects = run::each(&numbers, |number| {
        let object = programs.scratch(&format!("{NAME}-{number}.o"));
        let unit = format!("-DUNIT={number}");
        let options = ["--driver-mode=g++", "-std=c++17", "-O0", "-fprofile-instr-generate", &unit];
        programs.compile_to(&object, &source, &options)?;
        Ok(object)
    })?;
    let objects: Vec<_> = objects.iter().map(|object| object.as_path()).collect();
    programs.link_for(Side::Official, NAME, &objects, &["--driver-mode=g++"])
}
