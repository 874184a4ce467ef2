//! What `llvm-cov` says of the same program, cut down to a few lines, and the pages of `profrt cov` and `profrt report`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::Demo;
use crate::package;
use testkit::run;

/// Percentages of one file, or of all.
pub struct Covered {
    pub name: String,
    pub count: u64,
    pub lines: f64,
    pub functions: f64,
    pub regions: f64,
    pub branches: f64,
}

/// The total, then the files with the most lines.
pub fn report(demo: &Demo, binary: &Path, profile: &Path) -> Result<Vec<Covered>> {
    let mut cov = Command::new(&demo.clang.cov);
    cov.args(["export", "-summary-only", "-instr-profile"]).arg(profile).arg(binary);
    let exported: Value = serde_json::from_str(&run::stdout(&mut cov)?).context("llvm-cov export printed no JSON")?;
    let data = &exported["data"][0];
    let files = data["files"].as_array().context("llvm-cov export lists no files")?;
    let mut rows: Vec<Covered> =
        files.iter().map(|file| row(file["filename"].as_str().unwrap_or_default(), &file["summary"])).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.count));
    rows.retain(|row| row.lines > 0.0);
    rows.truncate(5);
    let total = row("all files", &data["totals"]);
    if total.lines == 0.0 {
        bail!("llvm-cov finds no line covered, though the program was run");
    }
    rows.push(total);
    Ok(rows)
}

/// Writes the page of the program's own sources, and returns where it is.
pub fn page(demo: &Demo, binary: &Path, profile: &Path) -> Result<PathBuf> {
    let page = demo.directory.join("coverage.html");
    let sources =
        demo.program.sources.first().and_then(|source| source.parent()).context("the program has no sources")?;
    let mut cov = Command::new(package::everyday()?);
    cov.arg("cov").arg(profile).arg("--elf").arg(binary).arg("--html").arg(&page);
    run::quiet(cov.arg("--only").arg(format!("{}/*", sources.display())))?;
    Ok(page)
}

/// Writes the page of the profile, and returns where it is.
pub fn profile_page(demo: &Demo, binary: &Path, profile: &Path) -> Result<PathBuf> {
    let page = demo.directory.join("profile.html");
    let mut report = Command::new(package::everyday()?);
    report.arg("report").arg(profile).arg("--elf").arg(binary).arg("--html").arg(&page);
    run::quiet(&mut report)?;
    Ok(page)
}

fn row(name: &str, summary: &Value) -> Covered {
    let percent = |kind: &str| summary[kind]["percent"].as_f64().unwrap_or_default();
    Covered {
        name: name.rsplit('/').next().unwrap_or(name).to_owned(),
        count: summary["lines"]["count"].as_u64().unwrap_or_default(),
        lines: percent("lines"),
        functions: percent("functions"),
        regions: percent("regions"),
        branches: percent("branches"),
    }
}
