//! The page of `profrt cov --html` of a large program, in Chromium: until it is seen, until a file is open, memory, size.

use anyhow::Result;

use super::measure::printed;
use super::merge::tool;
use super::programs::Programs;
use super::report::{Limit, Row};
use testkit::toolchain::browser::node;

/// Sources of 200 lines.
const FILES: usize = 5000;

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let files = if quick { FILES / 2 } else { FILES };
    let directory = programs.scratch("page");
    let mut make = node(programs.packages, &["large.js", "make"])?;
    make.arg(&directory).arg(files.to_string()).env("CLANG", &programs.clang.clang).env("PROFRT", tool()?);
    let [size] = printed(&mut make)?;
    let title = |what: &str| format!("coverage page of {files} files, {what}");
    let mut rows = Vec::new();
    for (name, form) in [("page.html", "one file"), ("page", "directory")] {
        let mut measure = node(programs.packages, &["large.js", "measure"])?;
        let [paint, open, memory] = printed(measure.arg(directory.join(name)))?;
        let whats = ["ms to first paint", "ms to open any file", "MB more than an empty page"];
        for (what, most, number) in [(whats[0], 1000.0, paint), (whats[1], 300.0, open), (whats[2], 300.0, memory)] {
            rows.push(Row::measured(title(&format!("{form}: {what}")), Limit::Most(most), number));
        }
    }
    let what = title("one file: size over that of the deflated sources");
    rows.push(Row::new(what, Limit::Most(1.3), None, size));
    Ok(rows)
}
