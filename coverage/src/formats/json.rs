//! Everything, for machines. docs/tool/cov.md has the schema.

use anyhow::{Context, Result};
use profdata::coverage::{Place, Range};
use serde::Serialize;

use crate::account::Row;
use crate::comparison::Comparison;
use crate::exclude::Excluded;
use crate::files::FileReport;
use crate::format::{About, Format, Pieces, Whole};
use crate::lines::{name_of_all, symbol};
use crate::paths::root;
use crate::totals::Totals;

#[derive(Debug)]
pub struct Json;

impl Format for Json {
    fn about(&self) -> About {
        About {
            name: "json",
            help: "Write everything as JSON",
            head: "{\n  \"schema\": \"profrt-cov-1\",\n  \"files\": [\n",
            between: ",\n",
            ..About::default()
        }
    }

    fn of_file(&self, file: &FileReport, pieces: &Pieces<'_>) -> Result<String> {
        let Pieces { mapping, instantiations, .. } = *pieces;
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
                name: name_of_all(mapping, function),
                symbol: symbol(mapping, first),
                line: start.line,
                last_line: function.end.line,
                count: function.count,
                instantiations: function.instantiations.len() as u64,
                each: each
                    .map(|(name, count)| Instantiation { symbol: symbol(mapping, *name), count: *count })
                    .collect(),
            }
        });
        let file = File {
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
        };
        serde_json::to_string(&file).context("the report cannot be made")
    }

    fn end(&self, whole: &Whole<'_>, _: &[String]) -> Result<String> {
        let Whole { report, account, comparison, status } = *whole;
        let (totals, excluded) = (&report.totals, &report.excluded);
        let root = root().to_string_lossy().into_owned();
        let rest = Rest { root, status, totals, excluded, account: account.rows(), baseline: comparison };
        let rest = serde_json::to_string_pretty(&rest).context("the report cannot be made")?;
        // It goes on in the object that the head has begun.
        Ok(format!("\n],{}\n", rest.trim_start_matches('{')))
    }
}

/// What is behind the files.
#[derive(Serialize)]
struct Rest<'r> {
    /// What paths are relative to.
    root: String,
    /// The exit status.
    status: u8,
    totals: &'r Totals,
    excluded: &'r Excluded,
    /// Where each function of the programs and each record of the profiles ended.
    account: Vec<Row>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'r Comparison>,
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

fn numbers((start, end): Range) -> [u32; 4] {
    [start.line, start.column, end.line, end.column]
}
