//! How costs grow: with functions, with values, with processes.

use std::fmt::Write as _;

use anyhow::Result;

use super::big;
use super::crowd;
use super::generated::{GROWTH, Many, VALUES, WIDE};
use super::measure;
use super::programs::{Programs, Side};
use crate::demo::progress;

const PROCESSES: [usize; 7] = [1, 2, 4, 8, 16, 32, 64];
const VALUE_COUNTS: [&str; 7] = ["1", "10", "100", "1000", "10000", "100000", "1000000"];

/// Tables for docs/PERFORMANCE.md.
pub fn tables(programs: &Programs) -> Result<String> {
    let functions: [Many; 4] = [GROWTH[0], GROWTH[1], WIDE, GROWTH[2]];
    let bar = progress("how costs grow", functions.len() + VALUE_COUNTS.len() + PROCESSES.len());
    let mut text = String::from(
        "| functions, 4 counters each | dump, official | ours | ratio | merge, official | ours | ratio | merge: us, official | ours |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for many in functions {
        let cost = |merges, detail| -> Result<String> {
            let [official, ours] = [Side::Official, Side::Ours]
                .map(|side| big::instructions(programs, side, many, merges, (detail, "full")));
            Ok(compared(official?, ours?))
        };
        let time = |side| -> Result<f64> {
            big::clear(programs)?;
            let pool = big::pool(programs);
            let run = || measure::printed::<3>(programs, side, many.name, &["merge", &pool, "0", "full"]);
            run()?;
            Ok((run()?[0].min(run()?[0])) / 1000.0)
        };
        let times = format!("{:.0} | {:.0}", time(Side::Official)?, time(Side::Ours)?);
        let _ = writeln!(text, "| {} | {} | {} | {times} |", many.functions, cost(false, "now")?, cost(true, "merge")?);
        bar.inc(1);
    }
    text.push_str(
        "\n| values | dump, official | ours | ratio | merge, official | ours | ratio |\n\
         | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    for values in VALUE_COUNTS {
        let cost = |merges, detail| -> Result<String> {
            let [official, ours] = [Side::Official, Side::Ours].map(|side| {
                let with = big::instructions(programs, side, VALUES, merges, (detail, values))?;
                Ok::<f64, anyhow::Error>(with - big::instructions(programs, side, VALUES, merges, (detail, "0"))?)
            });
            Ok(compared(official?, ours?))
        };
        let _ = writeln!(text, "| {values} | {} | {} |", cost(false, "values-now")?, cost(true, "values")?);
        bar.inc(1);
    }
    text.push_str("\n| processes into one `%m` | official: ms | ours: ms | without a runtime: ms |\n| ---: | ---: | ---: | ---: |\n");
    for processes in PROCESSES {
        let mut best = [f64::INFINITY; 3];
        for _ in 0..5 {
            for (side, best) in [Side::Official, Side::Ours, Side::Empty].into_iter().zip(&mut best) {
                *best = best.min(crowd::tiny(programs, side, processes)?);
            }
        }
        let [official, ours, none] = best;
        let _ = writeln!(text, "| {processes} | {official:.1} | {ours:.1} | {none:.1} |");
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(text)
}

/// Of a difference that is lost in what two runs differ by there is no ratio.
fn compared(official: f64, ours: f64) -> String {
    let ratio = if official < 50.0 { "-".into() } else { format!("{:.2}", ours / official) };
    format!("{} | {} | {ratio}", short(official), short(ours))
}

/// A number of instructions with three digits.
fn short(count: f64) -> String {
    match count {
        count if count >= 1e9 => format!("{:.2} G", count / 1e9),
        count if count >= 1e6 => format!("{:.2} M", count / 1e6),
        count if count >= 1e3 => format!("{:.1} k", count / 1e3),
        count => format!("{count:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn numbers_are_short() {
        assert_eq!([7.0, 1234.0, 5.6e6, 1.2e9].map(short), ["7", "1.2 k", "5.60 M", "1.20 G"]);
    }
}
