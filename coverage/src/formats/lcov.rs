//! The format of lcov, which `genhtml` and most services read.

use std::fmt::Write as _;

use anyhow::Result;
use profdata::coverage::Mapping;

use crate::files::FileReport;
use crate::format::{About, Format, Pieces};
use crate::lines::{branches_by_line, symbol};

/// Which lcov reads it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Lcov {
    Any,
    /// No MC/DC, which others pass over.
    One,
    /// The last lines of functions, too.
    Two,
}

impl Format for Lcov {
    fn about(&self) -> About {
        let (name, help) = match self {
            Lcov::Any => ("lcov", "Write lcov's format"),
            Lcov::One => ("lcov-1", "Write lcov's format without MC/DC records, which some programs refuse"),
            Lcov::Two => ("lcov-2", "Write lcov's format with the last lines of functions, for lcov 2"),
        };
        About { name, help, ..About::default() }
    }

    fn of_file(&self, file: &FileReport, pieces: &Pieces<'_>) -> Result<String> {
        Ok(records(file, pieces.mapping, *self))
    }
}

/// Returns the records of a file. A string takes everything, so that errors of writing cannot be.
fn records(file: &FileReport, mapping: &Mapping<'_>, release: Lcov) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "SF:{}", file.path);
    let functions = file.functions.iter().map(|(start, function)| {
        let name = function.instantiations.first().map(|(name, _)| *name).unwrap_or_default();
        ([start.line.into(), function.end.line.into()], symbol(mapping, name), function.count)
    });
    let functions: Vec<_> = functions.collect();
    for ([first, last], name, _) in &functions {
        match release {
            Lcov::Two => put(&mut text, "FN:", [*first, *last], Some(name)),
            _ => put(&mut text, "FN:", [*first], Some(name)),
        }
    }
    for (_, name, count) in &functions {
        put(&mut text, "FNDA:", [*count], Some(name));
    }
    let totals = &file.totals;
    let _ = writeln!(text, "FNF:{}\nFNH:{}", totals.functions.count, totals.functions.covered);
    for on_line in branches_by_line(&file.branches) {
        for (block, (place, counts)) in on_line.iter().enumerate() {
            let is_reached = counts.iter().flatten().any(|count| *count > 0);
            for (side, count) in counts.iter().enumerate() {
                let Some(count) = count else { continue };
                let [line, block, side] = [place.range.0.line.into(), block as u64, side as u64];
                if is_reached {
                    put(&mut text, "BRDA:", [line, block, side, *count], None);
                } else {
                    put(&mut text, "BRDA:", [line, block, side], Some("-"));
                }
            }
        }
    }
    if totals.branches.count > 0 {
        let _ = writeln!(text, "BRF:{}\nBRH:{}", totals.branches.count, totals.branches.covered);
    }
    let decisions = file.decisions.iter().filter(|_| release != Lcov::One);
    for (place, conditions) in decisions {
        for (number, covered) in conditions.iter().enumerate() {
            for sense in ['t', 'f'] {
                let (line, size, taken) = (place.range.0.line, conditions.len(), u8::from(*covered));
                let _ = writeln!(text, "MCDC:{line},{size},{sense},{taken},{number},condition {number}");
            }
        }
    }
    if totals.mcdc.count > 0 && release != Lcov::One {
        let _ = writeln!(text, "MCF:{}\nMCH:{}", 2 * totals.mcdc.count, 2 * totals.mcdc.covered);
    }
    for (line, count) in &file.lines {
        put(&mut text, "DA:", [(*line).into(), *count], None);
    }
    let _ = writeln!(text, "LF:{}\nLH:{}\nend_of_record", totals.lines.count, totals.lines.covered);
    text
}

/// Appends a line: numbers and a last word, with commas between. A large file has a million of them.
fn put<const N: usize>(text: &mut String, start: &str, numbers: [u64; N], last: Option<&str>) {
    text.push_str(start);
    let mut digits = itoa::Buffer::new();
    for (place, number) in numbers.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        text.push_str(digits.format(number));
    }
    if let Some(last) = last {
        text.push(',');
        text.push_str(last);
    }
    text.push('\n');
}
