//! What an increment costs when counters are pages of the profile, for which no flag of the compiler is needed.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::measure;
use super::programs::{PAGED, Programs, Side};
use super::report::{Limit, Row};

/// Enough that what happens once does not show.
const TIMES: u32 = 100_000;

/// An increment in continuous mode beside the same one in the same program without it.
pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let file = programs.scratch("increment.profraw");
    let pattern = format!("{}%c", file.display());
    let count = |name: &str, pattern: Option<&str>| -> Result<f64> {
        let times = TIMES.to_string();
        let arguments: Vec<&str> = [times.as_str()].into_iter().chain(pattern).collect();
        let total = measure::instructions(programs, Side::Ours, name, &arguments, Some("work"))?;
        Ok(total as f64 / f64::from(TIMES))
    };
    let plain = count("loop", None)?;
    let mapped = count(PAGED, Some(&pattern))?;
    // Nothing else writes it: the program leaves by `_exit`.
    let len = fs::metadata(&file).context("the counters were not mapped")?.len();
    ensure!(len > 0, "the counters were not mapped");
    let mut row = Row::new("an increment in continuous mode: instructions".into(), plain, mapped, Limit::Count(1.0));
    row.note = "official: one without it, for LLVM's has no such mode without a flag".into();
    Ok(vec![row])
}
