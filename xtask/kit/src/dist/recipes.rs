//! The files by which build systems find the archive. All are relocatable: no path in them but those relative to themselves.

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::{Dist, releases};

const PKGCONFIG: &str = include_str!("../../dist/profrt.pc.in");
const CMAKE: &str = include_str!("../../dist/profrtConfig.cmake.in");
const CMAKE_VERSION: &str = include_str!("../../dist/profrtConfigVersion.cmake.in");
const CONFIG: &str = include_str!("../../dist/profrt.cfg.in");
const CONFIG_21: &str = include_str!("../../dist/profrt-21.cfg.in");

const CONFIG_CONTINUOUS: &str = include_str!("../../dist/profrt-continuous.cfg.in");
const PAGES_SCRIPT: &str = include_str!("../../../../linker-scripts/continuous.x");
const HEADER: &str = include_str!("../../../../runtime/include/profrt.h");

/// Everything above, for whoever asks whether the files are fresh.
pub const TEMPLATES: [&str; 8] =
    [PKGCONFIG, CMAKE, CMAKE_VERSION, CONFIG, CONFIG_21, CONFIG_CONTINUOUS, PAGES_SCRIPT, HEADER];

/// A file to lay beside the archive.
pub struct Recipe {
    pub path: PathBuf,
    pub text: String,
}

/// What belongs to a prefix. `$-options` in configuration files came with clang 21: no file with them for what only older ones read.
pub fn files(dist: &Dist) -> Result<Vec<Recipe>> {
    let share = dist.config.parent().context("the configuration file is in a directory")?;
    let mut files = vec![
        (dist.pkgconfig.join("profrt.pc"), PKGCONFIG),
        (dist.cmake.join("profrtConfig.cmake"), CMAKE),
        (dist.cmake.join("profrtConfigVersion.cmake"), CMAKE_VERSION),
        (dist.config.clone(), CONFIG),
        (share.join("continuous.x"), PAGES_SCRIPT),
        (dist.include.join("profrt.h"), HEADER),
    ];
    if dist.raw >= 10 {
        files.push((share.join("profrt-21.cfg"), CONFIG_21));
        files.push((share.join("profrt-continuous.cfg"), CONFIG_CONTINUOUS));
    }
    let filled = files.into_iter().map(|(path, template)| Recipe { path, text: fill(template, dist.raw) });
    Ok(filled.collect())
}

fn fill(template: &str, raw: u8) -> String {
    template
        .replace("@VERSION@", env!("CARGO_PKG_VERSION"))
        .replace("@RAW@", &raw.to_string())
        .replace("@RELEASES@", releases(raw))
}
