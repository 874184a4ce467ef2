//! The table, on the terminal and in docs/PERFORMANCE.md.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::{Context, Result};

use super::measure::median;
use super::programs::{Side, Turns, Used};
use testkit::toolchain::Clang;
use testkit::{paths, run};

/// What a row has to keep below.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// Ours, as a multiple of LLVM's.
    Ratio(f64),
    /// Ours, whatever LLVM's is.
    Most(f64),
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    pub what: String,
    /// None where LLVM has nothing like it.
    official: Option<f64>,
    ours: f64,
    ratio: f64,
    limit: Limit,
    /// Depends on what else the machine does.
    time: bool,
}

impl Row {
    pub fn new(what: impl Into<String>, limit: Limit, official: Option<f64>, ours: f64) -> Row {
        let ratio = official.map_or(f64::NAN, |official| ours / official);
        Row { what: what.into(), official, ours, ratio, limit, time: false }
    }

    /// The row of something that LLVM has not, and that depends on what else the machine does.
    pub fn measured(what: impl Into<String>, limit: Limit, ours: f64) -> Row {
        Row { time: true, ..Row::new(what, limit, None, ours) }
    }

    /// The row of something that is the same in every run, `count` of each side.
    pub fn counted(what: impl Into<String>, limit: Limit, mut count: impl FnMut(Side) -> Result<f64>) -> Result<Row> {
        Ok(Row::new(what, limit, Some(count(Side::Official)?), count(Side::Ours)?))
    }

    /// The row of a time: medians, also of the ratios. Sides take turns, so that what else the machine does hits both.
    pub fn timed(
        what: impl Into<String>,
        limit: Limit,
        rounds: usize,
        mut sample: impl FnMut(Side) -> Result<f64>,
    ) -> Result<Row> {
        let mut turns = Vec::new();
        for round in 0..rounds {
            let mut order = [Side::Official, Side::Ours];
            order.rotate_left(round % 2);
            let [first, second] = [sample(order[0])?, sample(order[1])?];
            turns.push(if order[0] == Side::Official { [first, second] } else { [second, first] });
        }
        Ok(Row::of_turns(what, limit, &turns))
    }

    /// The same of a part of what two commands have used.
    pub fn used(what: impl Into<String>, most: f64, turns: &Turns, part: fn(&Used) -> f64) -> Row {
        let turns: Vec<[f64; 2]> = turns.iter().map(|turn| turn.each_ref().map(part)).collect();
        Row::of_turns(what, Limit::Ratio(most), &turns)
    }

    fn of_turns(what: impl Into<String>, limit: Limit, turns: &[[f64; 2]]) -> Row {
        let [official, ours] = [0, 1].map(|side| median(turns.iter().map(|turn| turn[side])));
        let ratio = median(turns.iter().map(|[official, ours]| ours / official));
        Row { ratio, time: true, ..Row::new(what, limit, Some(official), ours) }
    }

    /// Not a number is no success.
    fn holds(&self) -> bool {
        match self.limit {
            Limit::Ratio(most) => self.ratio <= most,
            Limit::Most(most) => self.ours <= most,
        }
    }

    /// Whether the command has to fail.
    pub fn fails(&self, quick: bool) -> bool {
        !(self.holds() || quick && self.time)
    }
}

/// All rows in Markdown.
pub fn table(rows: &[Row], clang: &Clang) -> String {
    let width = rows.iter().map(|row| row.what.len()).max().unwrap_or(0);
    let mut text = format!("| {:width$} |   LLVM {} |   profrt | ratio | at most |\n", "", clang.version);
    let _ = writeln!(text, "| {:-<width$} | --------: | -------: | ----: | ------: |", "");
    for row in rows {
        let official = row.official.map_or_else(String::new, number);
        let ratio = if row.ratio.is_nan() { String::new() } else { format!("{:.2}", row.ratio) };
        let limit = match row.limit {
            Limit::Ratio(most) => format!("{most}x"),
            Limit::Most(most) => format!("{most}"),
        };
        let (what, ours) = (&row.what, number(row.ours));
        let _ = writeln!(text, "| {what:width$} | {official:>9} | {ours:>8} | {ratio:>5} | {limit:>7} |");
    }
    text
}

fn number(value: f64) -> String {
    if value < 100.0 && value.fract() != 0.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// What stands before and after the table in the document.
const MARKS: [&str; 2] = ["<!-- cargo xtask bench -->\n", "<!-- end -->\n"];

/// Puts the table into docs/PERFORMANCE.md.
pub fn write(table: &str) -> Result<PathBuf> {
    let path = paths::root().join("docs/PERFORMANCE.md");
    let text = fs::read_to_string(&path).context("cannot read docs/PERFORMANCE.md")?;
    let date = run::stdout(Command::new("date").args(["-u", "+%F"]))?;
    let text =
        replaced(&text, &format!("{table}\n{}, {date}.\n", machine())).context("docs/PERFORMANCE.md has no marks")?;
    fs::write(&path, text).context("cannot write docs/PERFORMANCE.md")?;
    Ok(path)
}

/// The text with something else between the marks.
fn replaced(text: &str, between: &str) -> Option<String> {
    let (before, rest) = text.split_once(MARKS[0])?;
    let (_, after) = rest.split_once(MARKS[1])?;
    Some([before, MARKS[0], between, MARKS[1], after].concat())
}

fn machine() -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    format!("{cores} cores, {}", model.map_or("unknown CPU", |(_, model)| model.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_held_or_fail() {
        let row = |limit| Row::new("x", limit, Some(100.0), 61.0);
        assert!(row(Limit::Ratio(0.6)).fails(true) && !row(Limit::Ratio(0.61)).fails(false));
        assert!(row(Limit::Most(60.0)).fails(true) && !row(Limit::Most(61.0)).fails(false));
        // Not a number is no success.
        assert!(Row::new("x", Limit::Ratio(1.0), Some(0.0), 0.0).fails(true));
        assert!(Row::new("x", Limit::Ratio(1.0), None, 1.0).fails(true));
    }

    #[test]
    fn times_are_medians_and_rough_when_quick() {
        let mut times = [10.0, 9.0, 5.0, 10.0, 10.0, 20.0].into_iter();
        let row = Row::timed("x", Limit::Ratio(0.8), 3, |_| Ok(times.next().unwrap())).unwrap();
        // The second round began with ours: 10 and 9, 10 and 5, 10 and 20.
        assert_eq!((row.official, row.ours, row.ratio), (Some(10.0), 9.0, 0.9));
        assert!(row.fails(false) && !row.fails(true));
    }

    #[test]
    fn the_document_has_its_marks() {
        assert_eq!(
            replaced(&["a", MARKS[0], "b", MARKS[1], "c"].concat(), "d").unwrap(),
            ["a", MARKS[0], "d", MARKS[1], "c"].concat()
        );
        let document = fs::read_to_string(paths::root().join("docs/PERFORMANCE.md")).unwrap();
        assert!(replaced(&document, "").is_some());
    }
}
