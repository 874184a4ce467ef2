//! The hooks: instructions of a call, and CPU time of a call with two threads on one site.

use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::measure;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};
use super::sides::Sides;
use crate::demo::progress;
use crate::run;

const TARGET: &str = "__llvm_profile_instrument_target";
const MEMOP: &str = "__llvm_profile_instrument_memop";

/// What `calls.c` is told, what it is called in the table, and how many of the official instructions we may take.
const CASES: [(&str, &str, f64); 5] = [
    ("target-1", "1 target", 0.62),
    ("target-4", "4 targets", 0.6),
    ("target-16", "16 targets", 0.41),
    ("target-64", "64 targets", 0.6),
    ("size-8", "memory sizes 1 to 8", 0.6),
];

/// The cases that are timed with [`THREADS`] threads: on one thread, the instructions tell.
const TIMED: [(&str, &str); 4] = [
    ("target-1", "1 target"),
    ("target-64", "64 targets"),
    ("zipf-64", "64 targets, zipf"),
    ("size-8", "memory sizes 1 to 8"),
];
const THREADS: u32 = 2;

/// Enough that what happens once does not show.
const COUNTED_CALLS: u32 = 102_400;

pub fn instructions(programs: &Programs) -> Result<Vec<Row>> {
    let bar = progress("counting the instructions of a call", CASES.len() * programs.sides().len());
    let mut rows = Vec::new();
    for (case, title, required) in CASES {
        let hook = if case.starts_with("size") { MEMOP } else { TARGET };
        let count = |side| -> Result<f64> {
            bar.set_message(title);
            let arguments = [case, &COUNTED_CALLS.to_string(), "1"];
            let total = measure::instructions(programs, side, "calls", &arguments, Some(hook))?;
            bar.inc(1);
            Ok(total as f64 / f64::from(COUNTED_CALLS))
        };
        rows.push(Row::counted(programs, format!("{title}: instructions"), Limit::Count(required), count)?);
    }
    bar.finish_and_clear();
    Ok(rows)
}

pub fn times(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let (rounds, calls) = if quick { (2, 1_000_000) } else { (7, 4_000_000) };
    let bar = progress("timing the calls", TIMED.len() * rounds);
    let mut rows = Vec::new();
    for (case, title) in TIMED {
        let once = |side, case: &str| -> Result<f64> {
            let [time, calls] =
                measure::printed(programs, side, "calls", &[case, &calls.to_string(), &THREADS.to_string()])?;
            Ok(time / calls)
        };
        bar.set_message(title);
        let mut sides = Sides::default();
        for _ in 0..rounds {
            let empty = once(Side::Empty, baseline(case))?;
            sides.round(programs, |side| Ok(((once(side, case)? - empty).max(0.1), empty)))?;
            bar.inc(1);
        }
        let mut row = sides.row(&format!("{title}, {THREADS} threads: ns"), 1.3, 1.0, "");
        if !matches!(case, "target-64" | "zipf-64") {
            row.note = lost(programs, case, calls)?;
        }
        rows.push(row);
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// The case whose loop, with empty hooks, stands for what a case costs without hooks. With several targets and nothing between
/// the calls, some processors predict none of them, and the loop takes longer than with a hook.
fn baseline(case: &str) -> &str {
    if case.starts_with("size") { case } else { "target-1" }
}

/// How many of the counts the official archive loses. That ours loses none is checked here.
fn lost(programs: &Programs, case: &str, calls: u32) -> Result<String> {
    let expected = u64::from(calls) * u64::from(THREADS);
    let arguments = [case.to_owned(), calls.to_string(), THREADS.to_string()];
    let kind = if case.starts_with("size") { "--memop-sizes" } else { "--ic-targets" };
    let counted = |side| counted(programs, side, "calls", &arguments, kind);
    let (official, ours) = (counted(Side::Official)?, counted(Side::Ours)?);
    ensure!(ours == expected, "{case} with {THREADS} threads: {ours} of {expected} calls are in our profile");
    Ok(loss(official, expected))
}

/// What of the expected counts is not in a profile.
pub fn loss(official: u64, expected: u64) -> String {
    format!("official loses {:.0} %", 100.0 * (1.0 - official as f64 / expected as f64))
}

/// The sum of the counts of all values in the profile of one run. `kind`: how `llvm-profdata show` calls these values.
pub fn counted(programs: &Programs, side: Side, name: &str, arguments: &[String], kind: &str) -> Result<u64> {
    let raw = programs.scratch("counted.profraw");
    let _ = std::fs::remove_file(&raw);
    let mut command = programs.command(side, name);
    command.env("LLVM_PROFILE_FILE", &raw).args(arguments);
    run::quiet(&mut command)?;
    values_in(programs, &raw, kind)
}

/// The sum of the counts of all values in a raw profile.
pub fn values_in(programs: &Programs, raw: &Path, kind: &str) -> Result<u64> {
    let mut profdata = std::process::Command::new(&programs.clang.profdata);
    let shown = run::stdout(profdata.args(["show", "--all-functions", kind]).arg(raw))?;
    let mut sum = 0;
    // [ SITE, VALUE, COUNT ] (SHARE)
    for line in shown.lines().filter(|line| line.trim_start().starts_with('[')) {
        let count = line.split(']').next().and_then(|inside| inside.rsplit(',').next());
        let count: Option<u64> = count.and_then(|count| count.trim().parse().ok());
        sum += count.with_context(|| format!("llvm-profdata shows `{line}`"))?;
    }
    Ok(sum)
}
