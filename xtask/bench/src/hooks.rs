//! The hooks: instructions of a call.

use anyhow::Result;

use super::measure;
use super::programs::Programs;
use super::report::{Limit, Row};

const TARGET: &str = "__llvm_profile_instrument_target";
const MEMOP: &str = "__llvm_profile_instrument_memop";

/// What `calls.c` is told, what it is called in the table, the hook, and the limit.
const CASES: [(&str, &str, &str, f64); 4] = [
    ("target-1", "an indirect call, 1 target: instructions", TARGET, 0.62),
    ("target-16", "an indirect call, 16 targets: instructions", TARGET, 0.41),
    ("target-64", "an indirect call, 64 targets: instructions", TARGET, 0.6),
    ("size-8", "a memory operation, sizes 1 to 8: instructions", MEMOP, 0.6),
];

/// Enough that what happens once does not show.
const CALLS: u32 = 102_400;

pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let calls = programs.compile("calls.c", &["-fprofile-generate"])?;
    programs.link("calls", &[&calls], &["-Wl,--section-start=called=0x2000000"])?;
    let directory = programs.fresh()?;
    let row = |(case, what, hook, limit): (&str, &str, &str, f64)| {
        Row::counted(what, Limit::Ratio(limit), |side| {
            let mut calls = programs.command(side, "calls", &directory, None);
            Ok(measure::instructions(calls.args([case, &CALLS.to_string()]), Some(hook))? / f64::from(CALLS))
        })
    };
    CASES.into_iter().map(row).collect()
}
