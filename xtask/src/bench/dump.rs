//! A dump: of 100,000 nodes, and of functions without value sites.

use anyhow::Result;

use super::big::WRITE;
use super::generated::{BARE, Functions, NODES, NONE};
use super::measure;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use super::sides::Sides;
use crate::demo::progress;

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let (runs, rounds) = if quick { (3, "5") } else { (7, "15") };
    let bar = progress("dumping", 3 + runs);
    let file = programs.scratch("dump.profraw");
    let file = file.to_string_lossy();
    let instructions = |side, of: Functions| -> Result<f64> {
        Ok(measure::instructions(programs, side, of.name, &[&file, "1"], Some(WRITE))? as f64)
    };
    let counted = |what: &str, limit, count: &dyn Fn(Side) -> Result<f64>| {
        bar.inc(1);
        Row::counted(programs, what.into(), limit, count)
    };
    let of_nodes = counted("dump of 100,000 nodes: thousands of instructions", Limit::Count(1.0), &|side| {
        Ok(instructions(side, NODES)? / 1e3)
    })?;
    let calls = counted("dump of 100,000 nodes: system calls", Limit::AtMost(26.0), &|side| {
        Ok(measure::system_calls(programs, side, NODES.name, &[&file, "1"])? as f64)
    })?;
    let of_bare = counted("dump of a function without sites: instructions", Limit::Count(0.2), &|side| {
        Ok((instructions(side, BARE)? - instructions(side, NONE)?) / BARE.functions as f64)
    })?;

    let mut sides = Sides::default();
    for _ in 0..runs {
        sides.round(programs, |side| {
            let [dump, write] = measure::printed(programs, side, NODES.name, &[&file, rounds])?;
            Ok((dump, write))
        })?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let time = sides.row("dump of 100,000 nodes: microseconds", 0.5, 1e3, "one write(2) of the same bytes");
    Ok(vec![of_nodes, calls, time, of_bare])
}
