//! Many processes at once that merge into one file, and a process with many shared objects.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Instant;

use anyhow::{Result, ensure};
use tempfile::TempDir;

use super::generated::{OBJECT, SMALL};
use super::programs::{Programs, SIDES, Side};
use super::report::{Limit, Row};

const PROCESSES: usize = 64;
const OBJECTS: usize = 400;

/// A directory in memory, on most Linux systems: what a disk does is neither side's cost.
pub fn in_memory() -> Result<TempDir> {
    let memory = Path::new("/dev/shm");
    let place = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
    Ok(tempfile::Builder::new().prefix("profrt-bench-").tempdir_in(place)?)
}

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    programs.build_many(&[SMALL])?;
    let directory = in_memory()?;
    let what = format!("{PROCESSES} processes of 1 MB into one %m: ms");
    let rounds = if quick { 3 } else { 15 };
    // From 1.6 to 2.1 on the machines that were measured.
    let together = Row::timed(what, Limit::Ratio(2.5), rounds, |side| together(programs, side, directory.path()))?;
    build_objects(programs)?;
    let what = format!("exit with {OBJECTS} shared objects of 247 kB, one file: ms");
    let rounds = if quick { 1 } else { 5 };
    Ok(vec![together, Row::timed(what, Limit::Ratio(2.0), rounds, |side| exit_with_objects(programs, side))?])
}

/// Milliseconds from the start of the first process to the end of the last, with no file at first.
fn together(programs: &Programs, side: Side, place: &Path) -> Result<f64> {
    let directory = place.join("pool");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir(&directory)?;
    let start = Instant::now();
    let children = (0..PROCESSES).map(|_| {
        let mut many = programs.command(side, SMALL.name, &directory, Some("p-%m.profraw"));
        many.args(["exit", "full"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
    });
    for mut child in children.collect::<Result<Vec<_>, _>>()? {
        ensure!(child.wait()?.success(), "one of {PROCESSES} processes of {side:?} failed");
    }
    Ok(start.elapsed().as_secs_f64() * 1e3)
}

/// `load`, and copies of one shared object, which the loader takes for different ones.
fn build_objects(programs: &Programs) -> Result<()> {
    let code = programs.compile("object.c", &["-fPIC", "-fprofile-generate"])?;
    programs.link("object", &[&code, &programs.assemble(&OBJECT)?], &["-shared"])?;
    let load = programs.compile("load.c", &["-fprofile-generate"])?;
    programs.link("load", &[&load], &[])?;
    for side in SIDES {
        let directory = programs.scratch(&format!("objects-{side:?}"));
        fs::create_dir(&directory)?;
        for number in 0..OBJECTS {
            fs::copy(programs.path(side, "object"), directory.join(format!("{number}.so")))?;
        }
    }
    Ok(())
}

/// Milliseconds of a process that loads them all and ends, less one that loads them and leaves without a profile.
fn exit_with_objects(programs: &Programs, side: Side) -> Result<f64> {
    let directory = programs.fresh()?;
    let objects = programs.scratch(&format!("objects-{side:?}"));
    let wall = |leave: Option<&str>| -> Result<f64> {
        let mut load = programs.command(side, "load", &directory, Some("p.profraw"));
        load.arg(&objects).arg(OBJECTS.to_string()).args(leave);
        Ok(programs.used(&load, 1)?.wall)
    };
    let loading = wall(Some("leave"))?;
    Ok(wall(None)? - loading)
}
