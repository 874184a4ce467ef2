//! The JSON of codecov.io: of each line a count, or `ran/all` where it has branches.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Serialize;

use super::files::Report;
use super::lines::sides;

#[derive(Serialize)]
struct All<'r> {
    coverage: BTreeMap<&'r str, BTreeMap<u32, Line>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Line {
    Count(u64),
    Branches(String),
}

/// Returns the JSON. Errors: none that the contents can cause.
pub(super) fn text(report: &Report) -> Result<String> {
    let files = report.files.iter().map(|file| {
        let sides = sides(&file.branches);
        let line = |(line, count): &(u32, u64)| match sides.get(line) {
            // `0/2` would be a line that did not run.
            Some([all, ran]) if *count > 0 && *ran > 0 => (*line, Line::Branches(format!("{ran}/{all}"))),
            _ => (*line, Line::Count(*count)),
        };
        (file.path.as_str(), file.lines.iter().map(line).collect())
    });
    let all = All { coverage: files.collect() };
    Ok(serde_json::to_string(&all).context("the report cannot be made")? + "\n")
}
