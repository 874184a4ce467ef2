//! Names as C++ programs have them: every translation unit brings those of all inline functions that it uses, and each raw file has all
//! copies. What reads such files, beside `llvm-profdata merge`; merges have to write the same bytes.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};

use super::merge::tool;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use crate::run;

const NAME: &str = "units";
const UNITS: usize = 64;
const FILES: usize = 100;

/// What is measured: the arguments of our tool, whether it merges, and the limits for all files and for one.
struct Job {
    title: &'static str,
    arguments: &'static [&'static str],
    merges: bool,
    limits: [f64; 2],
}

const JOBS: [Job; 4] = [
    Job {
        title: "profrt merge",
        arguments: &["merge", "--quiet", "--for", "clang-22", "-j", "1"],
        merges: true,
        limits: [0.3, 0.5],
    },
    Job {
        title: "profrt merge --compat",
        arguments: &["merge", "--quiet", "--for", "clang-22", "--compat"],
        merges: true,
        limits: [0.3, 0.5],
    },
    Job {
        title: "as llvm-profdata",
        arguments: &["llvm-profdata", "merge", "-num-threads=1"],
        merges: true,
        limits: [0.3, 0.5],
    },
    Job { title: "profrt check", arguments: &["check"], merges: false, limits: [0.5, 0.5] },
];

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    build(programs)?;
    let tool = tool()?;
    let directory = tempfile::Builder::new().prefix("profrt-bench-").tempdir()?;
    for run in 0..FILES {
        let profile = format!("{run:03}.profraw");
        let mut units = programs.command(Side::Official, NAME, directory.path(), Some(&profile));
        run::quiet(units.env("RUN", run.to_string()))?;
    }
    let outputs = [programs.scratch("official.profdata"), programs.scratch("ours.profdata")];
    let mut rows = Vec::new();
    for (number, what) in [format!("{FILES} raw files"), "one raw file".to_owned()].into_iter().enumerate() {
        let input = [".", "000.profraw"][number];
        let mut official = Command::new(&programs.clang.profdata);
        official.args(["merge", "-num-threads=1", input, "-o"]).arg(&outputs[0]);
        for job in &JOBS {
            let mut ours = Command::new(&tool);
            ours.args(job.arguments).arg(input);
            if job.merges {
                ours.arg("-o").arg(&outputs[1]);
            }
            // One file takes a few milliseconds.
            let (rounds, times) = if quick { (2, 2) } else { (7, [1, 10][number]) };
            let title = format!("{UNITS} units of C++, {what}, {}: ms of CPU time", job.title);
            rows.push(Row::timed(title, Limit::Ratio(job.limits[number]), rounds, |side| {
                let command = if side == Side::Ours { &mut ours } else { &mut official };
                Ok(programs.used(command.current_dir(directory.path()), times)?.cpu)
            })?);
            let same = !job.merges || fs::read(&outputs[0])? == fs::read(&outputs[1])?;
            ensure!(same, "the outputs differ: {}", job.title);
        }
    }
    Ok(rows)
}

/// Compiles all units, and links them.
fn build(programs: &Programs) -> Result<()> {
    let numbers: Vec<usize> = (0..UNITS).collect();
    let objects = run::each(&numbers, |number| {
        let object = programs.scratch(&format!("{NAME}-{number}.o"));
        let unit = format!("-DUNIT={number}");
        let options = ["--driver-mode=g++", "-std=c++17", "-O0", "-fprofile-instr-generate", &unit];
        programs.compile_to(&object, &crate::paths::root().join("xtask/bench/units.cpp"), &options)?;
        Ok(object)
    })?;
    let objects: Vec<_> = objects.iter().map(|object| object.as_path()).collect();
    programs.link_for(Side::Official, NAME, &objects, &["--driver-mode=g++"])
}
