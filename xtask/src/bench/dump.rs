//! A dump: of 100,000 nodes, and of functions without value sites.

use anyhow::Result;

use super::big::WRITE;
use super::generated::{BARE, Functions, NODES, NONE};
use super::measure::{self, median};
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use crate::demo::progress;

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let (runs, rounds) = if quick { (3, "5") } else { (9, "15") };
    let bar = progress("dumping", 2 * (3 + 1 + runs));
    let file = programs.scratch("dump.profraw");
    let file = file.to_string_lossy();
    let instructions = |of: Functions| -> Result<[f64; 2]> {
        let mut both = [0.0; 2];
        for (side, total) in Side::BOTH.into_iter().zip(&mut both) {
            *total = measure::instructions(programs, side, of.name, &[&file, "1"], Some(WRITE))? as f64;
            bar.inc(1);
        }
        Ok(both)
    };
    let (nodes, bare, none) = (instructions(NODES)?, instructions(BARE)?, instructions(NONE)?);
    let per_function = |side: usize| (bare[side] - none[side]) / BARE.functions as f64;

    let mut calls = [0.0; 2];
    for (side, count) in Side::BOTH.into_iter().zip(&mut calls) {
        *count = measure::system_calls(programs, side, NODES.name, &[&file, "1"])? as f64;
        bar.inc(1);
    }

    let (mut official, mut ours, mut ratios, mut beside) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..runs {
        let [theirs, write] = measure::printed(programs, Side::Official, NODES.name, &[&file, rounds])?;
        bar.inc(1);
        let [time, other] = measure::printed(programs, Side::Ours, NODES.name, &[&file, rounds])?;
        bar.inc(1);
        official.push(theirs / 1000.0);
        ours.push(time / 1000.0);
        ratios.push(time / theirs);
        beside.push(write.min(other) / 1000.0);
    }
    bar.finish_and_clear();

    let mut time =
        Row::new("dump of 100,000 nodes: microseconds".into(), median(official), median(ours), Limit::Time(0.5));
    time.ratio = median(ratios);
    time.note = format!("one write(2) of the same bytes: {:.0}", median(beside));
    Ok(vec![
        Row::new(
            "dump of 100,000 nodes: thousands of instructions".into(),
            nodes[0] / 1e3,
            nodes[1] / 1e3,
            Limit::Count(1.0),
        ),
        Row::new("dump of 100,000 nodes: system calls".into(), calls[0], calls[1], Limit::AtMost(20.0)),
        time,
        Row::new(
            "dump of a function without sites: instructions".into(),
            per_function(0),
            per_function(1),
            Limit::Count(0.2),
        ),
    ])
}
