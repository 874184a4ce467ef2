//! Many processes at once that merge into the same files.

use std::process::Stdio;
use std::time::Instant;

use anyhow::{Result, ensure};

use super::big;
use super::programs::{Programs, Side, TINY};
use super::report::Row;
use super::sides::Sides;
use crate::demo::progress;

const PROCESSES: usize = 64;

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let rounds = if quick { 3 } else { 15 };
    let bar = progress("many processes into one file", rounds * 2);
    let mut rows = Vec::new();
    for pool in ["%m", "%4m"] {
        let mut sides = Sides::default();
        for _ in 0..rounds {
            let none = together(programs, Side::Empty, pool, PROCESSES)?;
            sides.round(programs, |side| Ok((together(programs, side, pool, PROCESSES)?, none)))?;
            bar.inc(1);
        }
        let what = format!("{PROCESSES} processes into one {pool}: ms");
        rows.push(sides.row(&what, 0.75, 1.0, "without a runtime"));
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// Milliseconds from the start of the first process to the end of the last, with nothing in the pool at first.
pub fn together(programs: &Programs, side: Side, pool: &str, processes: usize) -> Result<f64> {
    big::clear(programs)?;
    let name = programs.scratch("pool").join(format!("p-{pool}.profraw"));
    let start = Instant::now();
    let children = (0..processes).map(|_| {
        let mut command = programs.command(side, TINY);
        command.env("LLVM_PROFILE_FILE", &name).stdin(Stdio::null()).stderr(Stdio::null()).spawn()
    });
    let children = children.collect::<Result<Vec<_>, _>>()?;
    for mut child in children {
        ensure!(child.wait()?.success(), "one of {processes} processes of {side:?} failed");
    }
    Ok(start.elapsed().as_secs_f64() * 1e3)
}
