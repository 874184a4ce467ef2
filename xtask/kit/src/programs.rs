//! Programs that are profiled: where their sources are, how they are compiled, what they are run on. And our tool.
//!
//! The sources come in crates that carry them for their own build; `cargo metadata` downloads these and says where they
//! are. Their versions are fixed in `xtask/demo/sources/Cargo.toml`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::dist::compile::cargo;
use crate::{paths, run};

pub struct Program {
    pub name: &'static str,
    /// As shown: name and version.
    pub title: &'static str,
    /// The library's own; the last one is ours, with `main`.
    pub sources: Vec<PathBuf>,
    /// Beside `-O2`.
    pub options: Vec<String>,
    /// How the coverage build is optimized: what is counted does not change, and compiling or running takes most of the time.
    pub coverage: &'static str,
    pub runs: Vec<Run>,
}

/// A workload.
pub struct Run {
    pub title: &'static str,
    pub words: Vec<String>,
}

/// Lua with a small standalone interpreter, running five scripts.
pub fn lua() -> Result<Program> {
    let sources = package(SOURCES, "lua-src")?.join("lua-5.4.9");
    let ours = paths::root().join("xtask/demo/lua");
    let script = |title| Run { title, words: vec![ours.join(title).with_extension("lua").display().to_string()] };
    let listed = fs::read_dir(&sources).with_context(|| format!("cannot read {}", sources.display()))?;
    let mut files: Vec<PathBuf> = listed.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    files.push(ours.join("main.c"));
    Ok(Program {
        name: "lua",
        title: "Lua 5.4.9",
        sources: files,
        options: vec![format!("-I{}", sources.display()), "-DLUA_USE_POSIX".to_owned()],
        coverage: "-O1",
        runs: ["nbody", "json", "text", "sort", "closures"].map(script).into(),
    })
}

/// SQLite with a driver that works on a database in memory, in three ways.
pub fn sqlite() -> Result<Program> {
    let sources = package(SOURCES, "libsqlite3-sys")?.join("sqlite3");
    let options = [&format!("-I{}", sources.display()), "-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"];
    Ok(Program {
        name: "sqlite",
        title: "SQLite 3.54.1",
        options: options.map(str::to_owned).into(),
        sources: vec![sources.join("sqlite3.c"), paths::root().join("xtask/demo/sqlite/main.c")],
        coverage: "-O0",
        runs: ["reports", "searches", "changes"].map(|title| Run { title, words: vec![title.to_owned()] }).into(),
    })
}

const SOURCES: &str = "xtask/demo/sources/Cargo.toml";

/// Returns where cargo unpacked a package that this manifest names.
pub fn package(manifest: &str, name: &str) -> Result<PathBuf> {
    let mut ask = cargo();
    ask.args(["metadata", "--quiet", "--locked", "--format-version", "1", "--manifest-path"]);
    let answer = run::stdout(ask.arg(paths::root().join(manifest)))?;
    let answer: Value = serde_json::from_str(&answer).context("cargo metadata printed no JSON")?;
    let found = answer["packages"].as_array().into_iter().flatten().find(|package| package["name"] == name);
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let directory = manifest.and_then(|manifest| Path::new(manifest).parent());
    directory.map(Path::to_path_buf).with_context(|| format!("cargo does not know where the package {name} is"))
}

/// Builds `profrt` as the tests do, and returns where it is. Cargo shows how far it is.
pub fn profrt() -> Result<PathBuf> {
    run::run(cargo().args(["build", "--package=profrt-tool", "--package=unified", "--bin=profrt"]))?;
    Ok(paths::target().join("debug/profrt"))
}
