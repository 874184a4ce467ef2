//! A table for a pull request.

use std::fmt::Write as _;

use anyhow::Result;

use crate::comparison::Comparison;
use crate::files::Report;
use crate::format::{About, Format, Whole};
use crate::text::{exact, percent};
use crate::totals::{ALL, Totals, What};

#[derive(Debug)]
pub struct Markdown;

impl Format for Markdown {
    fn about(&self) -> About {
        About { name: "markdown", help: "Write a table for a pull request", ..About::default() }
    }

    fn end(&self, whole: &Whole<'_>, _: &[String]) -> Result<String> {
        Ok(text(whole.report, whole.comparison))
    }
}

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
