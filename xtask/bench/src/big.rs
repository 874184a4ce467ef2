//! Programs with many counters and values: the write at exit, and the second and later dumps of a process.

use anyhow::Result;

use super::generated::{BIG, Many, SMALL, VALUES};
use super::measure;
use super::programs::Programs;
use super::report::{Limit, Row};

const POOL: &str = "p-%m.profraw";

struct Case {
    title: &'static str,
    program: Many,
    /// What `many.c` is told.
    what: &'static str,
    profile: &'static str,
    fill: &'static str,
    /// Whether an earlier run has left its profile.
    old: bool,
    limit: f64,
}

impl Case {
    /// The write at exit of 20 MB.
    const fn exit(title: &'static str, profile: &'static str, fill: &'static str, limit: f64) -> Case {
        Case { title, program: BIG, what: "exit", profile, fill, old: true, limit }
    }

    /// A dump into a plain file while the program runs.
    const fn first(title: &'static str, program: Many, fill: &'static str, limit: f64) -> Case {
        Case { title, program, what: "first", profile: "p.profraw", fill, old: false, limit }
    }

    /// A dump into a pool file of a process that has dumped there before and has counted a little more since.
    const fn again(title: &'static str, program: Many, fill: &'static str, limit: f64) -> Case {
        Case { title, program, what: "again", profile: POOL, fill, old: false, limit }
    }
}

const CASES: [Case; 9] = [
    Case { old: false, ..Case::exit("exit, 20 MB, 3.8 % not zero, no file: ms", "p.profraw", "cold", 1.0) },
    Case::exit("exit, 20 MB, 3.8 % not zero, %m, a merge: ms", POOL, "cold", 1.0),
    Case::exit("exit, 20 MB, none zero, %m, a merge: ms", POOL, "full", 2.2),
    Case { program: VALUES, ..Case::exit("exit, 100,000 values, %m, a merge: ms", POOL, "100000", 1.3) },
    Case::first("first dump, 1 MB, none zero, no file: ms", SMALL, "full", 1.5),
    Case::first("first dump, 20 MB, none zero, no file: ms", BIG, "full", 1.2),
    Case::first("first dump, 100,000 values, no file: ms", VALUES, "100000", 1.3),
    Case::again("second dump into %m, 1 MB, none zero: ms", SMALL, "full", 4.0),
    Case::again("second dump into %m, 20 MB, 3.8 % not zero: ms", BIG, "cold", 1.7),
];

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    programs.build_many(&[SMALL, BIG, VALUES])?;
    let rounds = if quick { 3 } else { 15 };
    let row = |case: &Case| {
        Row::timed(case.title, Limit::Ratio(case.limit), rounds, |side| {
            let directory = programs.fresh()?;
            let run = || -> Result<f64> {
                let mut many = programs.command(side, case.program.name, &directory, Some(case.profile));
                Ok(measure::printed::<1>(many.args([case.what, case.fill]))?[0] / 1e6)
            };
            if case.old {
                run()?;
            }
            run()
        })
    };
    CASES.iter().map(row).collect()
}
