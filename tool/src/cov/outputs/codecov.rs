//! The JSON of codecov.io: of each line a count, or `ran/all` where it has branches.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Serialize;

use super::{Format, Pieces};
use crate::cov::files::FileReport;
use crate::cov::lines::sides;

pub(super) const FORMAT: Format = Format {
    name: "codecov",
    help: "Write the JSON of codecov.io",
    head: "{\"coverage\":{\n",
    between: ",\n",
    of_file,
    end: |_, _| Ok("\n}}\n".to_owned()),
    ..Format::NONE
};

#[derive(Serialize)]
#[serde(untagged)]
enum Line {
    Count(u64),
    Branches(String),
}

/// Returns a member of the JSON. Errors: none that the contents can cause.
fn of_file(file: &FileReport, _: &Pieces<'_>) -> Result<String> {
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
