//! The table, on the terminal and in docs/PERFORMANCE.md.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::thread;

use anyhow::{Context, Result};

use super::programs::{Programs, Side};
use crate::embedded::sizes;
use crate::toolchain::Packages;
use crate::{paths, run};

/// What a ratio has to keep below.
#[derive(Clone, Copy, Debug)]
pub enum Limit {
    /// Part of the official archive's count, which is the same in every run: missing it fails the command.
    Count(f64),
    /// The same, and what it is now: it does not hold, docs/PERFORMANCE.md says why, and must not get worse.
    Missed(f64, f64),
    /// A count of ours, whatever the official archive's is, and what it is now, as for [`Limit::Missed`].
    AtMostMissed(f64, f64),
    /// Depends on what else the machine does: shown.
    Time(f64),
}

/// One line of the table.
#[derive(Clone, Debug)]
pub struct Row {
    pub what: String,
    pub official: f64,
    /// An older release's.
    pub older: Option<f64>,
    pub ours: f64,
    pub ratio: f64,
    pub limit: Limit,
    pub note: String,
}

impl Row {
    pub fn new(what: String, official: f64, ours: f64, limit: Limit) -> Row {
        Row { what, official, older: None, ours, ratio: ours / official, limit, note: String::new() }
    }

    /// The line of something that is the same in every run, `count` of each side.
    pub fn counted(
        programs: &Programs,
        what: String,
        limit: Limit,
        count: impl Fn(Side) -> Result<f64>,
    ) -> Result<Row> {
        let older = programs.older.as_ref().map(|_| count(Side::Older)).transpose()?;
        Ok(Row { older, ..Row::new(what, count(Side::Official)?, count(Side::Ours)?, limit) })
    }

    fn required(&self) -> String {
        match self.limit {
            Limit::Count(most) | Limit::Time(most) => format!("{most}x"),
            Limit::Missed(most, now) => format!("{most}x, now {now}x"),
            Limit::AtMostMissed(most, now) => format!("{most}, now {now}"),
        }
    }

    /// Whether the command has to fail. Not a number is no success.
    pub fn missed(&self) -> bool {
        match self.limit {
            Limit::Count(_) => !self.holds(),
            // Not a number is no success here either.
            Limit::Missed(_, now) => self.ratio.is_nan() || self.ratio > now,
            Limit::AtMostMissed(_, now) => self.ours.is_nan() || self.ours > now,
            Limit::Time(_) => false,
        }
    }

    fn holds(&self) -> bool {
        match self.limit {
            Limit::Count(most) | Limit::Missed(most, _) | Limit::Time(most) => self.ratio <= most,
            Limit::AtMostMissed(most, _) => self.ours <= most,
        }
    }

    pub fn complaint(&self) -> String {
        let Row { what, ours, ratio, .. } = self;
        format!("{what}: {}, {ratio:.2} of the official; at most {} wanted", number(*ours), self.required())
    }
}

/// `official`, `older`: what the columns of the other side and of its older release are called.
pub fn table(rows: &[Row], official: &str, older: &str) -> String {
    let width = rows.iter().map(|row| row.what.len()).max().unwrap_or(0);
    let mut text = format!("| {:width$} | {official:>8} | {older:>8} |    ours | ratio | at most | |\n", "");
    let _ = writeln!(text, "| {:-<width$} | -------: | -------: | ------: | ----: | ------: | --- |", "");
    for row in rows {
        let mut note = row.note.clone();
        if !row.holds() {
            note = if note.is_empty() { "missed".to_owned() } else { format!("missed; {note}") };
        }
        let _ = writeln!(
            text,
            "| {:width$} | {:>8} | {:>8} | {:>7} | {:>5.2} | {:>7} | {note} |",
            row.what,
            number(row.official),
            row.older.map_or_else(String::new, number),
            number(row.ours),
            row.ratio,
            row.required()
        );
    }
    text
}

fn number(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// The tables of docs/PERFORMANCE.md that are measured here.
pub struct Tables {
    /// What the runtime costs.
    pub rows: String,
    /// How that grows.
    pub growth: String,
    /// Where its instructions go.
    pub hot: String,
    /// What its code is for.
    pub jobs: String,
    /// What merging profiles costs.
    pub merging: String,
    /// How that grows.
    pub merging_growth: String,
}

impl Tables {
    /// The tables after the first, which is on the terminal before they are measured.
    pub fn rest(&self) -> String {
        let Tables { growth, hot, jobs, merging, merging_growth, .. } = self;
        [growth, hot, jobs, merging, merging_growth].map(String::as_str).join("\n")
    }
}

/// Writes docs/PERFORMANCE.md.
pub fn write(programs: &Programs, tables: &Tables, packages: Packages) -> Result<PathBuf> {
    let path = paths::root().join("docs/PERFORMANCE.md");
    let text = include_str!("../../bench/PERFORMANCE.md.in")
        .replace("{machine}", &machine())
        .replace("{date}", &run::stdout(Command::new("date").args(["-u", "+%F"]))?)
        .replace("{clang}", &programs.clang.version.to_string())
        .replace("{table}", tables.rows.trim_end())
        .replace("{growth}", tables.growth.trim_end())
        .replace("{hot}", tables.hot.trim_end())
        .replace("{jobs}", tables.jobs.trim_end())
        .replace("{merging}", tables.merging.trim_end())
        .replace("{merging-growth}", tables.merging_growth.trim_end())
        .replace("{devices}", sizes::table(packages)?.trim_end());
    fs::create_dir_all(path.with_file_name(""))
        .and_then(|()| fs::write(&path, text))
        .context("cannot write docs/PERFORMANCE.md")?;
    Ok(path)
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
    fn counts_are_judged_and_times_are_not() {
        let row = |limit| Row::new("x".into(), 100.0, 61.0, limit);
        assert!(row(Limit::Count(0.6)).missed());
        assert!(!row(Limit::Count(0.61)).missed());
        assert!(!row(Limit::Time(0.6)).missed());
        assert!(table(&[row(Limit::Time(0.6))], "official", "").contains("missed"));
        assert!(Row::new("x".into(), 0.0, 0.0, Limit::Count(1.0)).missed());
        assert!(row(Limit::Missed(0.5, 0.6)).missed());
        assert!(!row(Limit::Missed(0.5, 0.61)).missed());
        assert!(table(&[row(Limit::Missed(0.5, 0.61))], "official", "").contains("missed"));
        assert!(row(Limit::AtMostMissed(3.0, 60.0)).missed());
        assert!(!row(Limit::AtMostMissed(3.0, 61.0)).missed());
        assert!(table(&[row(Limit::AtMostMissed(3.0, 61.0))], "official", "").contains("missed"));
    }
}
