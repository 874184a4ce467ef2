//! Everything, for machines. docs/tool/cov.md has the schema.

use anyhow::Result;
use profdata::coverage::{Mapping, Place, Range};
use serde::Serialize;

use super::SCHEMA;
use super::account::{Account, Row};
use super::baseline::Comparison;
use super::exclude::Excluded;
use super::files::{FileReport, Report};
use super::lines::symbol;
use super::totals::Totals;
use crate::report::{self, names};

#[derive(Serialize)]
struct All<'r> {
    totals: &'r Totals,
    excluded: &'r Excluded,
    /// Where each function of the programs and each record of the profiles ended.
    account: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'r Comparison>,
    files: Vec<File<'r>>,
}

#[derive(Serialize)]
struct File<'r> {
    path: &'r str,
    totals: &'r Totals,
    excluded: &'r Excluded,
    /// Line, count.
    lines: &'r [(u32, u64)],
    /// First line and column, last line and column, count.
    regions: Vec<(u32, u32, u32, u32, u64)>,
    branches: Vec<Branch>,
    mcdc: Vec<Decision<'r>>,
    functions: Vec<Function>,
}

#[derive(Serialize)]
struct Branch {
    /// First line and column, last line and column.
    range: [u32; 4],
    /// In the macro that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    in_macro: Option<[u32; 4]>,
    /// How often the condition was true, and false; null: it never can be.
    counts: [Option<u64>; 2],
}

#[derive(Serialize)]
struct Decision<'r> {
    range: [u32; 4],
    /// For each condition whether it was shown to decide alone.
    conditions: &'r [bool],
}

#[derive(Serialize)]
struct Function {
    name: String,
    symbol: String,
    line: u32,
    last_line: u32,
    count: u64,
    instantiations: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    each: Vec<Instantiation>,
}

#[derive(Serialize)]
struct Instantiation {
    symbol: String,
    count: u64,
}

/// Returns the JSON. Errors: none that the contents can cause.
pub(super) fn text<'r>(
    report: &'r Report,
    account: &Account,
    comparison: Option<&'r Comparison>,
    status: u8,
    instantiations: bool,
    mapping: &Mapping<'_>,
) -> Result<String> {
    let all = All {
        totals: &report.totals,
        excluded: &report.excluded,
        account: account.rows(),
        baseline: comparison,
        files: report.files.iter().map(|file| of_file(file, instantiations, mapping)).collect(),
    };
    report::json(SCHEMA, status, &all)
}

fn of_file<'r>(file: &'r FileReport, instantiations: bool, mapping: &Mapping<'_>) -> File<'r> {
    let region = |((start, end), count): &(Range, u64)| (start.line, start.column, end.line, end.column, *count);
    let branch = |(place, counts): &(Place, [Option<u64>; 2])| Branch {
        range: numbers(place.range),
        in_macro: place.in_macro.map(|(_, range)| numbers(range)),
        counts: *counts,
    };
    let functions = file.functions.iter().map(|(start, function)| {
        let first = function.instantiations.first().map(|(name, _)| *name).unwrap_or_default();
        let each = function.instantiations.iter().filter(|_| instantiations && function.instantiations.len() > 1);
        Function {
            name: names::demangle(mapping.name(first).unwrap_or(symbol(mapping, first).as_bytes())),
            symbol: symbol(mapping, first),
            line: start.line,
            last_line: function.end.line,
            count: function.count,
            instantiations: function.instantiations.len() as u64,
            each: each.map(|(name, count)| Instantiation { symbol: symbol(mapping, *name), count: *count }).collect(),
        }
    });
    File {
        path: &file.path,
        totals: &file.totals,
        excluded: &file.excluded,
        lines: &file.lines,
        regions: file.regions.iter().map(region).collect(),
        branches: file.branches.iter().map(branch).collect(),
        mcdc: file
            .decisions
            .iter()
            .map(|(place, conditions)| Decision { range: numbers(place.range), conditions })
            .collect(),
        functions: functions.collect(),
    }
}

fn numbers((start, end): Range) -> [u32; 4] {
    [start.line, start.column, end.line, end.column]
}
