//! The exit of a program with `--coverage` and many object files: without their `.gcda` files, and with those of an earlier run, into which it
//! merges.

use std::process::Command;

use anyhow::Result;

use super::measure;
use super::programs::Programs;
use super::report::{Limit, Row};
use testkit::run;

const NAME: &str = "gcov";

/// Makes the program leave by `_exit`, which writes nothing.
const LEAVES: Option<&str> = Some("x");

/// A row: whether there are files, what is counted, the limit.
type Case = (bool, &'static str, fn(&Command) -> Result<f64>, f64);

const CASES: [Case; 3] = [
    (false, "instructions", instructions, 0.1),
    (true, "instructions", instructions, 1.5),
    (true, "system calls", measure::system_calls, 1.5),
];

fn instructions(command: &Command) -> Result<f64> {
    measure::instructions(command, None)
}

pub fn rows(programs: &Programs) -> Result<Vec<Row>> {
    let object = programs.compile("gcov.c", &[])?;
    programs.link(NAME, &[&object], &["--coverage"])?;
    let row = |(old, what, count, limit): Case| {
        let files = if old { "a merge" } else { "no files" };
        let what = format!("--coverage, exit with 1000 object files, {files}: {what}");
        Row::counted(what, Limit::Ratio(limit), |side| {
            let directory = programs.fresh()?;
            let command = |argument: Option<&str>| {
                let mut command = programs.command(side, NAME, &directory, None);
                command.args(argument);
                command
            };
            if old {
                run::quiet(&mut command(None))?;
            }
            let leaves = count(&command(LEAVES))?;
            Ok(count(&command(None))? - leaves)
        })
    };
    CASES.into_iter().map(row).collect()
}
