//! The programs: where their sources are, how they are compiled, what they are run on.
//!
//! The sources come from crates.io, in packages that carry them for their own build. `cargo metadata` downloads them and says
//! where they are.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::dist::compile::cargo;
use crate::{paths, run};

pub struct Program {
    pub name: &'static str,
    /// As shown: name and version.
    pub title: String,
    pub sources: Vec<PathBuf>,
    /// Beside `-O2`.
    pub options: Vec<String>,
    /// How the coverage build is optimised: what is counted does not change, and compiling or running takes most of the time.
    pub coverage: &'static str,
    pub runs: Vec<Run>,
}

/// A workload.
pub struct Run {
    pub title: &'static str,
    pub words: Vec<String>,
}

/// Lua 5.4 with a small standalone interpreter, running five scripts.
pub fn lua() -> Result<Program> {
    let sources = newest(&package(SOURCES, "lua-src")?, "lua-5.4.")?;
    let version = sources.file_name().unwrap_or_default().to_string_lossy().replace("lua-", "Lua ");
    let ours = paths::root().join("xtask/demo/lua");
    let script = |title: &'static str| {
        let path = ours.join(format!("{title}.lua"));
        Run { title, words: vec![path.to_string_lossy().into_owned()] }
    };
    Ok(Program {
        name: "lua",
        coverage: "-O1",
        title: version,
        sources: c_files(&sources)?.into_iter().chain([ours.join("main.c")]).collect(),
        options: vec![format!("-I{}", sources.display()), "-DLUA_USE_POSIX".to_owned()],
        runs: ["nbody", "json", "text", "sort", "closures"].map(script).into(),
    })
}

/// SQLite with a driver that works on a database in memory, in three ways.
pub fn sqlite() -> Result<Program> {
    let sources = package(SOURCES, "libsqlite3-sys")?.join("sqlite3");
    let header = fs::read_to_string(sources.join("sqlite3.h")).context("libsqlite3-sys carries no sqlite3.h")?;
    let version =
        header.lines().find_map(|line| line.strip_prefix("#define SQLITE_VERSION ")?.trim().strip_prefix('"'));
    let main = paths::root().join("xtask/demo/sqlite/main.c");
    Ok(Program {
        name: "sqlite",
        coverage: "-O0",
        title: format!("SQLite {}", version.unwrap_or_default().trim_end_matches('"')),
        sources: vec![sources.join("sqlite3.c"), main],
        options: vec![
            format!("-I{}", sources.display()),
            "-DSQLITE_THREADSAFE=0".to_owned(),
            "-DSQLITE_OMIT_LOAD_EXTENSION".to_owned(),
        ],
        runs: ["reports", "searches", "changes"].map(|title| Run { title, words: vec![title.to_owned()] }).into(),
    })
}

const SOURCES: &str = "xtask/demo/sources/Cargo.toml";

/// Returns where cargo unpacked a package that this manifest names.
pub fn package(manifest: &str, name: &str) -> Result<PathBuf> {
    let manifest = paths::root().join(manifest);
    let mut ask = cargo();
    ask.args(["metadata", "--quiet", "--locked", "--format-version", "1", "--manifest-path"]).arg(&manifest);
    let answer: Value = serde_json::from_str(&run::stdout(&mut ask)?).context("cargo metadata printed no JSON")?;
    let packages = answer["packages"].as_array().context("cargo metadata lists no packages")?;
    let found = packages.iter().find(|package| package["name"] == name);
    let manifest = found.and_then(|package| package["manifest_path"].as_str());
    let directory = manifest.and_then(|manifest| Path::new(manifest).parent());
    directory.map(Path::to_path_buf).with_context(|| format!("cargo does not know where the package {name} is"))
}

fn newest(directory: &Path, prefix: &str) -> Result<PathBuf> {
    let named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix));
    let found = entries(directory)?.into_iter().filter(named).max();
    found.with_context(|| format!("{} has no directory {prefix}…", directory.display()))
}

/// The C files of a library, without the programs that some versions carry.
fn c_files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = entries(directory)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    files.retain(|path| !path.ends_with("lua.c") && !path.ends_with("luac.c"));
    if files.is_empty() {
        bail!("{} has no C files", directory.display());
    }
    files.sort();
    Ok(files)
}

fn entries(directory: &Path) -> Result<Vec<PathBuf>> {
    let read = fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    read.map(|entry| Ok(entry?.path())).collect()
}
