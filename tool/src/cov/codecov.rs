//! The JSON of codecov.io: of each line a count, or `ran/all` where it has branches.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Serialize;

use super::files::FileReport;
use super::lines::sides;

/// What is before and behind the files.
pub(super) const HEAD: &str = "{\"coverage\":{\n";
pub(super) const TAIL: &str = "\n}}\n";

#[derive(Serialize)]
#[serde(untagged)]
enum Line {
    Count(u64),
    Branches(String),
}

/// Returns a member of the JSON. Errors: none that the contents can cause.
pub(super) fn of_file(file: &FileReport) -> Result<String> {
    let sides = sides(&file.branches);
    let line = |(line, count): &(u32, u64)| match sides.get(line) {
        // `0/2` would be a line that did not run.
        Some([all, ran]) if *count > 0 && *ran > 0 => (*line, Line::Branches(format!("{ran}/{all}"))),
        _ => (*line, Line::Count(*count)),
    };
    let lines: BTreeMap<u32, Line> = file.lines.iter().map(line).collect();
    let json = |thing: serde_json::Result<String>| thing.context("the report cannot be made");
    Ok(format!("{}:{}", json(serde_json::to_string(&file.path))?, json(serde_json::to_string(&lines))?))
}
