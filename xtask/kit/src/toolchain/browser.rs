//! Node and Chromium: the scripts of `tests/pages`, with the packages that their lock file names.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Packages, newest};
use crate::dist::{self, compile};
use crate::{paths, programs, run};

/// Returns the command that runs a script of `tests/pages`. Its packages are installed in the target directory.
pub fn node(packages: Packages, arguments: &[&str]) -> Result<Command> {
    packages.require(&["chromium", "node", "npm"])?;
    let (scripts, directory) = (paths::root().join("tests/pages"), paths::target().join("pages"));
    let lists = ["package.json", ".npmrc", "package-lock.json"];
    let installed = directory.join("node_modules");
    let is_same = |name: &&str| fs::read(scripts.join(name)).ok() == fs::read(directory.join(name)).ok();
    if !installed.is_dir() || !lists.iter().all(is_same) {
        fs::create_dir_all(&directory)?;
        for name in lists {
            fs::copy(scripts.join(name), directory.join(name))?;
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&directory);
        run::quiet(&mut npm).context("the packages of tests/pages cannot be installed")?;
    }
    let mut node = Command::new("node");
    node.args(arguments).current_dir(scripts).env("NODE_PATH", installed);
    Ok(node)
}

/// The same with the tool, the newest clang and its archive.
pub fn script(packages: Packages, arguments: &[&str]) -> Result<Command> {
    let clang = newest()?;
    let mut node = node(packages, arguments)?;
    compile::without_outer_cargo(&mut node);
    node.env("PAGES", paths::target().join("pages/made")).env("PROFRT", programs::profrt()?);
    node.env("CLANG", &clang.clang).env("ARCHIVE", dist::build(clang.raw)?.library);
    Ok(node)
}
