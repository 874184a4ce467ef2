//! The pages of `profrt cov --html`, `profrt report` and `profrt live` in Chromium: the scripts of `tests/pages`.

use std::process::Command;

use anyhow::Result;

use testkit::dist::{self, compile};
use testkit::run::Ran;
use testkit::toolchain::{self, Packages, browser};
use testkit::{paths, programs, run};

/// Makes the pages, and tests them.
pub fn tests(packages: Packages) -> Result<Ran> {
    run::run(&mut script(packages, &["make.js"])?)?;
    run::tests(&mut script(packages, &["--test", "--test-reporter=tap"])?)
}

/// Returns the command that runs a script with the tool, the newest clang and its archive.
pub fn script(packages: Packages, arguments: &[&str]) -> Result<Command> {
    let clang = toolchain::newest()?;
    let mut node = browser::node(packages, arguments)?;
    compile::without_outer_cargo(&mut node);
    node.env("PAGES", paths::target().join("pages/made")).env("PROFRT", programs::profrt()?);
    node.env("CLANG", &clang.clang).env("ARCHIVE", dist::build(clang.raw)?.library);
    Ok(node)
}
