//! A process that ends where an earlier run has left a `default.profraw`, as most runs of a program without a setting do.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::measure;
use super::programs::{Programs, STATIC, Side, TINY};
use super::report::{Limit, Row};
use crate::demo::progress;
use crate::run;

pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let bar = progress("replacing an old profile", 3);
    let mut rows = Vec::new();
    let what = "exit that replaces a default.profraw: system calls".to_owned();
    rows.push(Row::counted(programs, what, Limit::AtMostMissed(9.0, 30.0), |side| {
        let calls = |argument: Option<&str>| -> Result<f64> {
            let out = programs.scratch("strace.out");
            let mut strace = measure::strace(&programs.path(side, TINY), &out);
            run::quiet(unset(&mut strace, &old(programs, side, TINY)?).args(argument))?;
            Ok(measure::calls_in(&out)? as f64)
        };
        Ok(calls(None)? - calls(Some("x"))?)
    })?);
    bar.inc(1);
    let links = [("dynamic", TINY, 0.98, 1.03), ("static", STATIC, 1.0, 1.14)];
    for (link, name, required, now) in
        links.into_iter().filter(|(_, name, ..)| *name != STATIC || programs.links_static)
    {
        let what = format!("the same, {link} link: thousands of instructions of the process");
        rows.push(Row::counted(programs, what, Limit::Missed(required, now), |side| {
            let out = programs.scratch("callgrind.out");
            let mut valgrind = measure::valgrind(&programs.path(side, name), None, &out);
            run::quiet(unset(&mut valgrind, &old(programs, side, name)?))?;
            Ok(measure::total(&out)? as f64 / 1e3)
        })?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// A directory in which a run of the program has left its profile.
fn old(programs: &Programs, side: Side, name: &str) -> Result<PathBuf> {
    let directory = programs.scratch("old");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir(&directory)?;
    run::quiet(unset(&mut Command::new(programs.path(side, name)), &directory))?;
    Ok(directory)
}

/// Runs the command there, without a setting of the profile's name.
fn unset<'a>(command: &'a mut Command, directory: &PathBuf) -> &'a mut Command {
    command.current_dir(directory).env_remove("LLVM_PROFILE_FILE")
}
