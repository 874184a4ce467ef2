//! Node and Chromium, for what is seen in a browser: the scripts of `tests/pages`, with the packages that their lock file names.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use super::Packages;
use crate::{paths, run};

/// Where the scripts run.
pub struct Scripts {
    directory: PathBuf,
}

impl Scripts {
    /// Copies the scripts to the target directory and installs their packages there.
    pub fn prepare(packages: Packages) -> Result<Scripts> {
        packages.require(&["chromium", "node", "npm"])?;
        let (from, directory) = (paths::root().join("tests/pages"), paths::target().join("pages"));
        fs::create_dir_all(&directory)?;
        let is_same = |name: &str| fs::read(from.join(name)).ok() == fs::read(directory.join(name)).ok();
        let is_installed = is_same("package-lock.json") && directory.join("node_modules").is_dir();
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            if entry.path().is_file() {
                fs::copy(entry.path(), directory.join(entry.file_name()))?;
            }
        }
        if !is_installed {
            let mut npm = Command::new("npm");
            npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&directory);
            run::quiet(&mut npm).context("the packages of tests/pages cannot be installed")?;
        }
        Ok(Scripts { directory })
    }

    /// Returns the command that runs a script, to which arguments can be added.
    pub fn node(&self, arguments: &[&str]) -> Command {
        let mut node = Command::new("node");
        node.args(arguments).current_dir(&self.directory);
        node
    }
}
