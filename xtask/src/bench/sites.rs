//! The hooks at the sites of many functions, and beside threads that sleep or that call them, too.

use anyhow::{Result, ensure};

use super::calls;
use super::generated::SITES;
use super::measure;
use super::programs::{Programs, Side};
use super::report::Row;
use super::sides::Sides;
use crate::demo::progress;

/// What `sites.c` is told, and what its line in the table is called.
struct Case {
    title: &'static str,
    case: &'static str,
    threads: u32,
    hot: u32,
    /// How much of the official archive's time we may take.
    required: f64,
    /// Whether threads count at the same sites, so that the official archive loses counts.
    loses: bool,
}

impl Case {
    /// One hot thread next to one that sleeps.
    const fn beside_one(title: &'static str, case: &'static str, required: f64) -> Case {
        Case { title, case, threads: 2, hot: 1, required, loses: false }
    }

    fn arguments(&self, calls: u32) -> [String; 4] {
        [self.case.to_owned(), calls.to_string(), self.threads.to_string(), self.hot.to_string()]
    }
}

const CASES: [Case; 7] = [
    Case::beside_one("1 site, another thread sleeps: ns", "turn-1", 0.9),
    Case::beside_one("512 sites in turn, another thread sleeps: ns", "turn-512", 0.9),
    Case::beside_one("4,096 sites in turn, another thread sleeps: ns", "turn-4096", 1.0),
    // An atomic addition.
    Case::beside_one("512 sites in turn, which a thread that sleeps counted first: ns", "after-512", 8.0),
    Case::beside_one("4,096 sites, zipf, another thread sleeps: ns", "zipf-4096", 1.0),
    Case {
        title: "2 hot threads, 512 sites of their own: ns",
        case: "own-512",
        threads: 2,
        hot: 2,
        required: 1.0,
        loses: false,
    },
    Case {
        title: "2 hot threads, the same 512 sites: ns",
        case: "turn-512",
        threads: 2,
        hot: 2,
        required: 8.0,
        loses: true,
    },
];

/// The calls of one pass of `sites.c`: one is before the clock of a hot thread runs, and none is cut short.
const PASS: u64 = 16_384;

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let (rounds, calls) = if quick { (3, 1_000_000) } else { (9, 3_000_000) };
    let bar = progress("timing calls at many sites and beside threads", CASES.len() * rounds);
    let mut rows = Vec::new();
    for case in &CASES {
        bar.set_message(case.title);
        let arguments = case.arguments(calls);
        let arguments = arguments.each_ref().map(String::as_str);
        let once = |side| -> Result<f64> { Ok(measure::printed::<1>(programs, side, "sites", &arguments)?[0]) };
        let mut sides = Sides::default();
        for _ in 0..rounds {
            let empty = once(Side::Empty)?;
            sides.round(programs, |side| Ok(((once(side)? - empty).max(0.1), empty)))?;
            bar.inc(1);
        }
        let mut row = sides.row(case.title, case.required, 1.0, "");
        if case.loses {
            row.note = lost(programs, case, calls)?;
        }
        rows.push(row);
    }
    bar.finish_and_clear();
    Ok(rows)
}

/// How many of the counts the official archive loses. That ours loses none is checked here.
fn lost(programs: &Programs, case: &Case, calls: u32) -> Result<String> {
    let arguments = case.arguments(calls);
    let expected = (u64::from(calls) / PASS + 2) * PASS * u64::from(case.hot) + SITES as u64;
    let counted = |side| calls::counted(programs, side, "sites", &arguments, "--ic-targets");
    let (official, ours) = (counted(Side::Official)?, counted(Side::Ours)?);
    ensure!(ours == expected, "{}: {ours} of {expected} calls are in our profile", case.title);
    Ok(calls::loss(official, expected))
}
