//! The table of `llvm-cov report`.

use std::path::Path;

use anyhow::Result;
use profdata::coverage::{Covered, Summary};

use super::Files;

/// The headings of the columns after the name, and their widths.
const COLUMNS: [[(&str, usize); 3]; 5] = [
    [("Regions", 12), ("Missed Regions", 18), ("Cover", 10)],
    [("Functions", 12), ("Missed Functions", 18), ("Executed", 10)],
    [("Lines", 12), ("Missed Lines", 18), ("Cover", 10)],
    [("Branches", 12), ("Missed Branches", 18), ("Cover", 10)],
    [("MC/DC Conditions", 20), ("Missed Conditions", 21), ("Cover", 10)],
];

/// The least width of the column of names.
const NAME: usize = 25;

/// Returns the table: with `-show-mcdc-summary` where there are conditions of MC/DC, because nobody compiles for them without a wish to see them.
pub(super) fn text(files: &Files<'_>) -> Result<String> {
    let (mut rows, mut totals) = (Vec::new(), Summary::default());
    let prefix = common_directory(files.files.iter().map(|(name, _)| name.as_str()));
    files.for_each(|name, file| {
        totals.add(&file.summary);
        rows.push((name.get(prefix..).unwrap_or(name).to_owned(), file.summary));
        Ok(())
    })?;
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(NAME);
    let parts = if files.release.has_decisions() && totals.mcdc.count > 0 { COLUMNS.len() } else { COLUMNS.len() - 1 };
    let headings: String =
        COLUMNS.iter().take(parts).flatten().map(|(text, width)| format!("{text:>width$}")).collect();
    let mut text = named("Filename", width, &headings);
    let rule = format!("{}\n", "-".repeat(width + headings.len() + files.release.rule_excess()));
    text += &rule;
    let (empty, full): (Vec<_>, Vec<_>) = rows.iter().partition(|(_, sum)| sum.functions.count == 0);
    full.iter().for_each(|(name, sum)| text += &named(name, width, &cells(sum, parts)));
    if !empty.is_empty() {
        text += "\nFiles which contain no functions:\n";
        empty.iter().for_each(|(name, sum)| text += &named(name, width, &cells(sum, parts)));
    }
    text += &rule;
    text += &named("TOTAL", width, &cells(&totals, parts));
    Ok(text)
}

/// Returns a percentage; `None` of nothing.
pub(super) fn percent(part: Covered) -> Option<f64> {
    (part.count > 0).then(|| part.covered as f64 / part.count as f64 * 100.0)
}

/// Returns a row. Names are as wide as they have bytes.
fn named(name: &str, width: usize, cells: &str) -> String {
    format!("{name}{}{cells}\n", " ".repeat(width.saturating_sub(name.len())))
}

fn cells(sum: &Summary, parts: usize) -> String {
    let all = [sum.regions, sum.functions, sum.lines, sum.branches, sum.mcdc];
    let cells = all.into_iter().zip(COLUMNS).take(parts).map(|(part, [(_, all), (_, missed), (_, share)])| {
        let percent = percent(part).map_or_else(|| "-".to_owned(), |percent| format!("{percent:.2}%"));
        format!("{:>all$}{:>missed$}{percent:>share$}", part.count, part.count.saturating_sub(part.covered))
    });
    cells.collect()
}

/// Returns the length of the directory that all files are in, with its slash; 0 of one file.
fn common_directory<'n>(mut names: impl Iterator<Item = &'n str>) -> usize {
    let (Some(first), Some(second)) = (names.next(), names.next()) else { return 0 };
    let mut common = Path::new(first).parent();
    for name in std::iter::once(second).chain(names) {
        while common.is_some_and(|directory| !Path::new(name).starts_with(directory)) {
            common = common.and_then(Path::parent);
        }
    }
    let length = common.map_or(0, |directory| directory.as_os_str().len());
    if length > 1 { length + 1 } else { length }
}
