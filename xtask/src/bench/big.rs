//! Dumps and merges of many counters, records and values.

use std::fs;

use anyhow::Result;

use super::generated::{BIG, Many, VALUES, WIDE};
use super::measure::{self, median};
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use super::sides::Sides;
use crate::demo::progress;

pub const WRITE: &str = "__llvm_profile_write_file";

/// Files that a measured program has left.
pub fn clear(programs: &Programs) -> Result<()> {
    let pool = programs.scratch("pool");
    let _ = fs::remove_dir_all(&pool);
    Ok(fs::create_dir_all(&pool)?)
}

/// The name of a file that is merged into.
pub fn pool(programs: &Programs) -> String {
    programs.scratch("pool/p-%m.profraw").to_string_lossy().into_owned()
}

/// Microseconds of what programs print in nanoseconds.
const MICRO: f64 = 1000.0;

pub fn times(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let rounds = if quick { 2 } else { 7 };
    let merges = [("cold", "20 MB, 3.8 % not zero", 0.7), ("full", "20 MB, none zero", 0.7)];
    let bar = progress("dumping and merging many counters", rounds * (1 + merges.len() + 1));
    let mut rows = Vec::new();
    let (mut warm, mut first) = (Sides::default(), Sides::default());
    for _ in 0..rounds {
        let mut firsts = Vec::new();
        warm.round(programs, |side| {
            let file = programs.scratch("dump.profraw");
            let _ = fs::remove_file(&file);
            let arguments = ["dump", &file.to_string_lossy(), "5", "cold"];
            let [cold, dump, write, _] = measure::printed(programs, side, BIG.name, &arguments)?;
            firsts.push((cold, write));
            Ok((dump, write))
        })?;
        let mut firsts = firsts.into_iter();
        first.round(programs, |_| Ok(firsts.next().unwrap_or((f64::NAN, f64::NAN))))?;
        bar.inc(1);
    }
    let beside = "one write(2) of the same bytes";
    rows.push(warm.row("dump 20 MB of counters, 3.8 % not zero: us", 0.85, MICRO, beside));
    // Where most counters are zero, a process has never touched most of their pages.
    rows.push(first.row("the same, first dump of a process: us", 0.7, MICRO, beside));
    for (fill, title, required) in merges {
        // The least that a merge takes which has the old file or the new one at any time.
        let (mut sides, mut floors) = (Sides::default(), Vec::new());
        for _ in 0..rounds {
            sides.round(programs, |side| {
                let [merge, beside, floor] = merged(programs, side, BIG, "merge", fill)?;
                floors.push(floor);
                Ok((merge, beside))
            })?;
            bar.inc(1);
        }
        let floor = median(floors) / MICRO;
        let mut row = sides.row(&format!("merge {title} at exit: us"), required, MICRO, "adding in place");
        row.note = format!("{}; reading, and a new file in its place: {floor:.0}", row.note);
        rows.push(row);
    }
    let mut sides = Sides::default();
    for _ in 0..rounds {
        sides.round(programs, |side| {
            let [merge, beside, _] = merged(programs, side, VALUES, "values", "100000")?;
            Ok((merge, beside))
        })?;
        bar.inc(1);
    }
    rows.push(sides.row("merge 100,000 values at exit: us", 1.0, MICRO, ""));
    bar.finish_and_clear();
    Ok(rows)
}

/// Nanoseconds of a merge into a file that is there, at exit, and of what is measured beside it: adding in place, and reading the file
/// and putting a new one in its place.
pub fn merged(programs: &Programs, side: Side, many: Many, what: &str, detail: &str) -> Result<[f64; 3]> {
    clear(programs)?;
    let pool = pool(programs);
    let run = || measure::printed(programs, side, many.name, &[what, &pool, "3", detail]);
    let _: [f64; 3] = run()?;
    run()
}

/// Instructions of a dump that the program asks for in its course, or of a merge into a file that is there at exit.
pub fn instructions(programs: &Programs, side: Side, many: Many, merges: bool, detail: (&str, &str)) -> Result<f64> {
    clear(programs)?;
    if !merges {
        let name: String = programs.scratch("pool/plain.profraw").to_string_lossy().into();
        let arguments = [detail.0, &name, "0", detail.1];
        return Ok(measure::instructions(programs, side, many.name, &arguments, Some(WRITE))? as f64);
    }
    let name = pool(programs);
    let arguments = [detail.0, &name, "0", detail.1];
    let _: [f64; 3] = measure::printed(programs, side, many.name, &arguments)?;
    Ok(measure::instructions(programs, side, many.name, &arguments, Some("exit"))? as f64)
}

pub fn counts(programs: &Programs) -> Result<Vec<Row>> {
    let bar = progress("counting the instructions of dumps and merges", 3);
    let mut rows = Vec::new();
    let mut row = |what: &str, limit: f64, count: &dyn Fn(Side) -> Result<f64>| -> Result<()> {
        rows.push(Row::counted(programs, what.into(), Limit::Count(limit), count)?);
        bar.inc(1);
        Ok(())
    };
    row("dump of 100,000 functions: thousands of instructions", 0.3, &|side| {
        Ok(instructions(programs, side, WIDE, false, ("now", "full"))? / 1e3)
    })?;
    row("merge 100,000 functions: thousands of instructions", 0.7, &|side| {
        Ok(instructions(programs, side, WIDE, true, ("merge", "full"))? / 1e3)
    })?;
    row("merge 100,000 values: thousands of instructions", 0.5, &|side| {
        Ok(instructions(programs, side, VALUES, true, ("values", "100000"))? / 1e3)
    })?;
    bar.finish_and_clear();
    Ok(rows)
}
