//! The features of `profdata`: it builds without warnings with none of them, with each alone, and with all.

use std::fs;

use anyhow::{Context, Result};

use testkit::dist::compile;
use testkit::{paths, run};

/// Checks each of these builds. What was done, in a line.
pub fn alone() -> Result<String> {
    let manifest = fs::read_to_string(paths::root().join("profdata/Cargo.toml"))?;
    let (_, section) = manifest.split_once("[features]\n").context("profdata/Cargo.toml has no features")?;
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let names: Vec<&str> = lines.filter_map(|line| Some(line.split_once(" = [")?.0)).collect();
    for features in ["", &names.join(",")].into_iter().chain(names.iter().copied()) {
        let mut cargo = compile::cargo();
        cargo.args([
            "check",
            "--quiet",
            "--package=profdata",
            "--lib",
            "--no-default-features",
            "--features",
            features,
        ]);
        cargo.env("RUSTFLAGS", "-Dwarnings").env("CARGO_TARGET_DIR", paths::target().join("features"));
        run::quiet(&mut cargo)
            .with_context(|| format!("profdata does not build with only the features `{features}`"))?;
    }
    Ok(format!("none, all, and each alone of: {}", names.join(", ")))
}
