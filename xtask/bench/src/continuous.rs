//! What an increment costs when counters are pages of the profile, for which no flag of the compiler is needed.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::measure;
use super::programs::{Programs, Side};
use super::report::{Limit, Row};

/// Enough that what happens once does not show.
const TIMES: u32 = 100_000;

/// An increment in continuous mode beside the same one in the same program without it.
pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let object = programs.compile("loop.c", &["-fprofile-instr-generate"])?;
    // Behind the program's objects.
    let pages = programs.resources().join("lib/linux/profrt-continuous.o");
    programs.link_for(Side::Ours, "plain", &[&object], &[])?;
    programs.link_for(Side::Ours, "paged", &[&object, &pages], &[])?;
    let directory = programs.fresh()?;
    let count = |name, profile| -> Result<f64> {
        let mut command = programs.command(Side::Ours, name, &directory, Some(profile));
        Ok(measure::instructions(command.arg(TIMES.to_string()), Some("work"))? / f64::from(TIMES))
    };
    let (plain, mapped) = (count("plain", "plain.profraw")?, count("paged", "p%c.profraw")?);
    // Nothing else writes it: the program leaves by `_exit`.
    let len = fs::metadata(directory.join("p.profraw")).context("the counters were not mapped")?.len();
    ensure!(len > 0, "the counters were not mapped");
    let what = "an increment, %c beside a plain file: instructions";
    Ok(vec![Row::new(what, Limit::Ratio(1.0), Some(plain), mapped)])
}
