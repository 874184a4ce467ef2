//! The JSON of codecov.io: of each line a count, or `ran/all` where it has branches.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::files::FileReport;
use crate::format::{About, Format, Pieces, Whole};
use crate::lines::sides;

#[derive(Debug)]
pub struct Codecov;

impl Format for Codecov {
    fn about(&self) -> About {
        About {
            name: "codecov",
            help: "Write the JSON of codecov.io",
            head: "{\"coverage\":{\n",
            between: ",\n",
            ..About::default()
        }
    }

    fn of_file(&self, file: &FileReport, _: &Pieces<'_>) -> Result<String> {
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

    fn end(&self, _: &Whole<'_>, _: &[String]) -> Result<String> {
        Ok("\n}}\n".to_owned())
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Line {
    Count(u64),
    Branches(String),
}
