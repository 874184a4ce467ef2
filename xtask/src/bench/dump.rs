//! A dump of 100,000 nodes.

use anyhow::Result;

use super::big::WRITE;
use super::generated::NODES;
use super::measure;
use super::programs::Programs;
use super::report::{Limit, Row};
use super::sides::Sides;
use crate::demo::progress;

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let (runs, rounds) = if quick { (3, "5") } else { (7, "15") };
    let bar = progress("dumping", 1 + runs);
    let file = programs.scratch("dump.profraw");
    let file = file.to_string_lossy();
    let what = "dump of 100,000 nodes: thousands of instructions".to_owned();
    let instructions = Row::counted(programs, what, Limit::Count(1.0), |side| {
        Ok(measure::instructions(programs, side, NODES.name, &[&file, "1"], Some(WRITE))? as f64 / 1e3)
    })?;
    bar.inc(1);
    let mut sides = Sides::default();
    for _ in 0..runs {
        sides.round(programs, |side| {
            let [dump, write] = measure::printed(programs, side, NODES.name, &[&file, rounds])?;
            Ok((dump, write))
        })?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    let time = sides.row("dump of 100,000 nodes: us", 0.5, 1e3, "one write(2) of the same bytes");
    Ok(vec![instructions, time])
}
