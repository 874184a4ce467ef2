//! The first write in continuous mode: the file is made, and the counters become a part of it.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};

use super::measure;
use super::programs::{MOVED, Programs, Side};
use super::report::{Limit, Row};
use crate::demo::progress;
use crate::run;

/// A process up to `main` with such a name, less the same with a name for a file that is written at exit.
pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let bar = progress("writing first in continuous mode", 2);
    let calls = |side, name: &Path| {
        let out = programs.scratch("strace.out");
        let mut strace = measure::strace(&programs.path(side, MOVED), &out);
        programs.quiet(&mut strace);
        run::quiet(strace.arg("x").env("LLVM_PROFILE_FILE", name))?;
        measure::calls_in(&out)
    };
    let title = "first write in continuous mode: system calls".to_owned();
    let calls =
        Row::counted(programs, title, Limit::AtMostMissed(20.0, 26.0), |side| first_write(programs, side, calls))?;
    bar.inc(1);
    let instructions = |side, name: &Path| {
        let out = programs.scratch("callgrind.out");
        let mut valgrind = measure::valgrind(&programs.path(side, MOVED), None, &out);
        programs.quiet(&mut valgrind);
        run::quiet(valgrind.arg("x").env("LLVM_PROFILE_FILE", name))?;
        measure::total(&out)
    };
    let title = "first write in continuous mode: instructions".to_owned();
    let instructions =
        Row::counted(programs, title, Limit::Missed(1.0, 2.1), |side| first_write(programs, side, instructions))?;
    bar.finish_and_clear();
    Ok(vec![calls, instructions])
}

/// What `count` gives more for a side with `%c` in the name.
fn first_write(programs: &Programs, side: Side, count: impl Fn(Side, &Path) -> Result<u64>) -> Result<f64> {
    // The number of other files would count.
    let directory = programs.scratch("first");
    let file = directory.join("first.profraw");
    let fresh = || {
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir(&directory)
    };
    fresh()?;
    let plain = count(side, &file)?;
    fresh()?;
    let mapped = count(side, &directory.join("first%c.profraw"))?;
    ensure!(fs::metadata(&file)?.len() > 0, "{side:?} has written nothing in continuous mode");
    Ok(mapped as f64 - plain as f64)
}
