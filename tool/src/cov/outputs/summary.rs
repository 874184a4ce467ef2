//! The table for people: each file below its directory, and all of them.

use std::path::Path;

use anyhow::Result;
use profdata::coverage::Mapping;
use profrt_coverage::comparison::Comparison;
use profrt_coverage::files::{Brief, FileReport};
use profrt_coverage::format::{About, Format, Pieces, Whole};
use profrt_coverage::lines::{name as name_of, not_run, ranges};
use profrt_coverage::totals::{ALL, Totals, What};

use crate::report::style::{GOOD, HEADING, Styled, WARNING};
use crate::report::{Page, percent};
use crate::text::{exact, many};

/// Characters of a column.
const COLUMN: usize = 24;

#[derive(Debug)]
pub(super) struct Summary;

impl Format for Summary {
    fn about(&self) -> About {
        About {
            name: "summary",
            help: "Write a table: functions, lines, regions, branches, MC/DC of each file. Without any output it goes to standard output",
            keeps_pieces: true,
            ..About::default()
        }
    }

    /// Returns what is below a file: which lines did not run, if it is about a change, and its instantiations.
    fn of_file(&self, file: &FileReport, pieces: &Pieces<'_>) -> Result<String> {
        let mut page = Page::default();
        if pieces.is_change {
            idle(&mut page, file);
        }
        if pieces.instantiations {
            instances(&mut page, file, pieces.mapping);
        }
        Ok(page.text())
    }

    fn end(&self, whole: &Whole<'_>, below: &[String]) -> Result<String> {
        Ok(text(whole, below))
    }
}

/// Returns the table, with what is below each file. Columns that are empty in all files are left out.
fn text(whole: &Whole<'_>, below: &[String]) -> String {
    let Whole { report, account, comparison, .. } = *whole;
    let columns: Vec<What> = ALL.into_iter().filter(|what| report.totals.part(*what).count > 0).collect();
    let width = report.files.iter().map(|file| file_name(file).chars().count() + 2).max().unwrap_or(0).max(24);
    let mut page = Page::default();
    let heading: String = columns.iter().map(|what| format!("{:>COLUMN$}", what.name())).collect();
    page.line(Styled(HEADING, format_args!("{:<width$}{heading}", "")));
    for (directory, files) in report.by_directory(below) {
        let mut sum = Totals::default();
        page.line(Styled(HEADING, directory));
        for (file, below) in &files {
            sum += file.totals;
            page.line(row(&format!("  {}", file_name(file)), width, &columns, &file.totals));
            below.lines().for_each(|line| page.line(line));
        }
        if files.len() > 1 {
            page.line(row("  total", width, &columns, &sum));
        }
    }
    page.line("");
    page.line(row(&many(report.files.len() as u64, "file"), width, &columns, &report.totals));
    let excluded = &report.excluded;
    if excluded.lines.count > 0 {
        page.line(format_args!(
            "excluded: {}, of which {} ran",
            many(excluded.lines.count, "line"),
            exact(excluded.lines.covered)
        ));
    }
    comparison.into_iter().for_each(|comparison| compared(&mut page, comparison));
    if let Some(line) = account.line() {
        page.line(Styled(WARNING, line));
    }
    page.text()
}

fn file_name(file: &Brief) -> &str {
    Path::new(&file.path).file_name().and_then(|name| name.to_str()).unwrap_or(&file.path)
}

fn row(name: &str, width: usize, columns: &[What], totals: &Totals) -> String {
    let cell = |what: &What| {
        let part = totals.part(*what);
        if part.count == 0 {
            return format!("{:>COLUMN$}", "-");
        }
        let numbers = format!("{}/{}", exact(part.covered), exact(part.count));
        let style = if part.covered == part.count { GOOD } else { anstyle::Style::new() };
        let text = format!("{numbers:>14}{:>10}", percent(part.covered, part.count));
        Styled(style, text).to_string()
    };
    format!("{name:<width$}{}", columns.iter().map(cell).collect::<String>())
}

/// Names the lines that did not run.
fn idle(page: &mut Page, file: &FileReport) {
    let lines = not_run(&file.lines);
    if !lines.is_empty() {
        page.line(format_args!("    not run: {}", ranges(lines)));
    }
}

/// Writes how many things there are of each category.
fn compared(page: &mut Page, comparison: &Comparison) {
    page.heading("compared with the baseline");
    let parts =
        [("lines", &comparison.lines), ("branches", &comparison.branches), ("functions", &comparison.functions)];
    for (name, numbers) in parts {
        let shown: Vec<String> =
            numbers.iter().map(|(category, number)| format!("{} {}", category.name(), exact(*number))).collect();
        page.line(format_args!("  {name:<12}{}", shown.join(", ")));
    }
    comparison.lost_lines().for_each(|line| page.line(format_args!("  {}", Styled(WARNING, line))));
}

/// Writes the instantiations of functions that have several.
fn instances(page: &mut Page, file: &FileReport, mapping: &Mapping<'_>) {
    for (start, function) in file.functions.iter().filter(|(_, function)| function.instantiations.len() > 1) {
        page.line(format_args!("    line {}:", start.line));
        for (name, count) in &function.instantiations {
            page.line(format_args!("      {:>14}  {}", exact(*count), name_of(mapping, *name)));
        }
    }
}
