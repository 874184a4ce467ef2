//! A table for a pull request.

use std::fmt::Write as _;

use super::Format;
use crate::cov::comparison::Comparison;
use crate::cov::files::Report;
use crate::cov::totals::{ALL, Totals, What};
use crate::report::percent;
use crate::text::exact;

pub(super) const FORMAT: Format = Format {
    name: "markdown",
    help: "Write a table for a pull request",
    end: |whole, _| Ok(text(whole.report, whole.comparison)),
    ..Format::NONE
};

/// Returns the table.
fn text(report: &Report, comparison: Option<&Comparison>) -> String {
    let columns: Vec<What> = ALL.into_iter().filter(|what| report.totals.part(*what).count > 0).collect();
    let mut text = String::from("| file |");
    let name = |what: &What| format!(" {} |", what.name());
    text.extend(columns.iter().map(name));
    text += "\n| --- |";
    text.extend(columns.iter().map(|_| " ---: |"));
    text.push('\n');
    for file in &report.files {
        row(&mut text, &format!("`{}`", file.path.replace(['|', '`'], "_")), &columns, &file.totals);
    }
    row(&mut text, "**all files**", &columns, &report.totals);
    for line in comparison.into_iter().flat_map(Comparison::lost_lines) {
        let _ = writeln!(text, "\n{line}");
    }
    text
}

fn row(text: &mut String, name: &str, columns: &[What], totals: &Totals) {
    // A string takes everything.
    let _ = write!(text, "| {name} |");
    for what in columns {
        let part = totals.part(*what);
        let _ = match part.count {
            0 => write!(text, " |"),
            count => write!(text, " {} ({}/{}) |", percent(part.covered, count), exact(part.covered), exact(count)),
        };
    }
    text.push('\n');
}
