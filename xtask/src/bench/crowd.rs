//! Many processes at once that merge into the same file, in memory and on a disk.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::generated::SMALL;
use super::programs::{Programs, Side, TINY};
use super::report::Row;
use super::sides::Sides;
use crate::demo::progress;
use crate::paths;

const PROCESSES: usize = 64;
/// A file system in memory on most Linux systems.
pub const MEMORY: &str = "/dev/shm";

/// Processes with 1 MB of counters.
pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let rounds = if quick { 3 } else { 9 };
    let mut places = vec![("in target/", paths::target())];
    if file_system(MEMORY).as_deref() == Some("tmpfs") {
        places.insert(0, ("on tmpfs", MEMORY.into()));
    }
    let bar = progress("many processes into one file", rounds * places.len());
    let mut rows = Vec::new();
    for (title, place) in places {
        let directory = tempfile::Builder::new().prefix("profrt-bench-").tempdir_in(place)?;
        let pool = directory.path().join("pool");
        let name = pool.join("p-%m.profraw").to_string_lossy().into_owned();
        let mut sides = Sides::default();
        for _ in 0..rounds {
            sides.round(programs, |side| {
                Ok((together(programs, side, &pool, (SMALL.name, &["exit", &name, "0", "full"]), PROCESSES)?, 0.0))
            })?;
            bar.inc(1);
        }
        let what = format!("{PROCESSES} processes of 1 MB into one %m, {title}: ms");
        rows.push(sides.row(&what, 1.05, 1.0, ""));
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// The kind of the file system that is mounted there.
fn file_system(place: &str) -> Option<String> {
    let mounts = fs::read_to_string("/proc/mounts").ok()?;
    // DEVICE PLACE KIND OPTIONS
    let mut words = mounts.lines().map(|line| line.split(' ').skip(1));
    words.find_map(|mut words| (words.next() == Some(place)).then(|| words.next().map(str::to_owned))?)
}

/// Milliseconds of processes of the smallest program, as [`together`] measures them.
pub fn tiny(programs: &Programs, side: Side, processes: usize) -> Result<f64> {
    together(programs, side, &programs.scratch("pool"), (TINY, &[]), processes)
}

/// Milliseconds from the start of the first process to the end of the last, with nothing in the directory `pool` at first.
fn together(programs: &Programs, side: Side, pool: &Path, what: (&str, &[&str]), processes: usize) -> Result<f64> {
    let (name, arguments) = what;
    let _ = fs::remove_dir_all(pool);
    fs::create_dir(pool)?;
    let start = Instant::now();
    let children = (0..processes).map(|_| {
        let mut command = programs.command(side, name);
        command.args(arguments).env("LLVM_PROFILE_FILE", pool.join("p-%m.profraw"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    });
    let children = children.collect::<Result<Vec<_>, _>>()?;
    for mut child in children {
        ensure!(child.wait()?.success(), "one of {processes} processes of {side:?} failed");
    }
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
