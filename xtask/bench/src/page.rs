//! The page of `profrt cov --html` of a large program, in Chromium: until it is seen, until a file is open, memory, size.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde_json::Value;

use super::measure::printed;
use super::merge::tool;
use super::programs::Programs;
use super::report::{Limit, Row};
use testkit::run;
use testkit::toolchain::browser::Scripts;

/// Sources of 200 lines.
const FILES: usize = 5000;

const FLAGS: [&str; 4] = ["-O0", "-w", "-fprofile-instr-generate", "-fcoverage-mapping"];

pub fn rows(programs: &Programs, quick: bool) -> Result<Vec<Row>> {
    let scripts = Scripts::prepare(programs.packages)?;
    let files = if quick { FILES / 2 } else { FILES };
    let directory = programs.scratch("page");
    run::quiet(scripts.node(&["large.js", "write"]).arg(&directory).arg(files.to_string()))?;
    build(programs, &directory)?;
    let mut tool = Command::new(tool()?);
    tool.current_dir(&directory).args(["cov", "default.profraw", "--elf", "app"]);
    run::quiet(tool.args(["--json", "report.json", "--html", "page.html"]))?;
    run::quiet(
        Command::new(tool.get_program())
            .current_dir(&directory)
            .args(["cov", "default.profraw"])
            .args(["--elf", "app", "--html", "page"]),
    )?;

    let mut rows = Vec::new();
    for (name, form) in [("page.html", "one file"), ("page", "directory")] {
        let [paint, open, memory] = printed(scripts.node(&["large.js", "measure"]).arg(directory.join(name)))?;
        let row = |what: &str, most: f64, number: f64| {
            Row::measured(format!("coverage page of {files} files, {form}: {what}"), Limit::Most(most), number)
        };
        rows.push(row("ms to first paint", 1000.0, paint));
        rows.push(row("ms to open any file", 300.0, open));
        rows.push(row("MB more than an empty page", 300.0, memory));
    }
    let size = fs::metadata(directory.join("page.html"))?.len() as f64;
    let what = format!("coverage page of {files} files, one file: size over that of the deflated sources");
    rows.push(Row::new(what, Limit::Most(1.3), None, size / deflated(&directory)?));
    Ok(rows)
}

/// Compiles, links and runs the program.
fn build(programs: &Programs, directory: &Path) -> Result<()> {
    let entries = fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let units: Vec<_> = entries.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "c")).collect();
    run::each(&units, |unit| {
        let mut clang = Command::new(&programs.clang.clang);
        clang.current_dir(directory).args(FLAGS).arg("-c").arg(unit).arg("-o").arg(unit.with_extension("o"));
        run::quiet(&mut clang)
    })?;
    let mut link = Command::new(&programs.clang.clang);
    link.current_dir(directory).args(FLAGS).args(units.iter().map(|unit| unit.with_extension("o")));
    run::quiet(link.args(["-o", "app"]))?;
    run::quiet(Command::new(directory.join("app")).current_dir(directory))
}

/// Returns the sum of the sizes of all sources, each deflated alone.
fn deflated(directory: &Path) -> Result<f64> {
    let report: Value = serde_json::from_slice(&fs::read(directory.join("report.json"))?)?;
    let files = report["files"].as_array().context("the report lists no files")?;
    ensure!(!files.is_empty(), "the report is empty");
    let sizes = run::each(files, |file| {
        let mut deflate = DeflateEncoder::new(Vec::new(), Compression::best());
        deflate.write_all(&fs::read(file["path"].as_str().unwrap_or_default())?)?;
        Ok(deflate.finish()?.len())
    })?;
    Ok(sizes.iter().sum::<usize>() as f64)
}
