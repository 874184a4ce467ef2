//! The second and later dumps of a process, between which it counts a little more, as a server's are.

use anyhow::Result;

use super::big;
use super::generated::{BIG, Many, SMALL, VALUES};
use super::measure;
use super::programs::Programs;
use super::report::{Limit, Row};
use super::sides::Sides;
use crate::demo::progress;

/// What a program of generated records dumps again.
struct Case {
    title: &'static str,
    many: Many,
    /// What `many.c` is told.
    what: &'static str,
    detail: &'static str,
    /// How much of the official archive's time and instructions we may take in a pool file.
    required: f64,
    /// The instructions that we take now.
    now: f64,
    /// The same for a plain file, where it is a line.
    plain: Option<(f64, f64)>,
}

const CASES: [Case; 3] = [
    Case {
        title: "1 MB, none zero",
        many: SMALL,
        what: "again",
        detail: "full",
        required: 1.3,
        now: 1.75,
        plain: Some((1.2, 2.6)),
    },
    Case {
        title: "20 MB, 3.8 % not zero",
        many: BIG,
        what: "again",
        detail: "cold",
        required: 1.0,
        now: 1.0,
        plain: Some((1.2, 8.6)),
    },
    Case {
        title: "100,000 values",
        many: VALUES,
        what: "values-again",
        detail: "100000",
        required: 1.3,
        now: 1.35,
        plain: None,
    },
];

/// The name under which `many.c` makes every dump but the first.
const AGAIN: &str = "dump_again";

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let (processes, rounds) = if quick { (2, "5") } else { (7, "9") };
    let bar = progress("dumping again", CASES.len() * (processes + 2));
    let mut rows = Vec::new();
    let plain = programs.scratch("pool/plain.profraw").to_string_lossy().into_owned();
    for case in &CASES {
        bar.set_message(case.title);
        let mut sides = Sides::default();
        for _ in 0..processes {
            sides.round(programs, |side| {
                big::clear(programs)?;
                let arguments = [case.what, &big::pool(programs), rounds, case.detail];
                let [first, again] = measure::printed(programs, side, case.many.name, &arguments)?;
                Ok((again, first))
            })?;
            bar.inc(1);
        }
        rows.push(sides.row(&format!("second dump into %m, {}: us", case.title), case.required, 1e3, ""));
        let count = |file: &str, side| -> Result<f64> {
            big::clear(programs)?;
            let arguments = [case.what, file, "1", case.detail];
            Ok(measure::instructions(programs, side, case.many.name, &arguments, Some(AGAIN))? as f64 / 1e3)
        };
        let pool = big::pool(programs);
        let what = format!("second dump into %m, {}: thousands of instructions", case.title);
        let limit = Limit::Missed(case.required, case.now);
        rows.push(Row::counted(programs, what, limit, |side| count(&pool, side))?);
        bar.inc(1);
        if let Some((required, now)) = case.plain {
            let what = format!("second dump into a plain file, {}: thousands of instructions", case.title);
            rows.push(Row::counted(programs, what, Limit::Missed(required, now), |side| count(&plain, side))?);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(rows)
}
