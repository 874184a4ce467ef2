//! The compilers and tools of this machine.
//!
//! Nothing here is guessed from version numbers: each clang is asked for its version, target and resource directory, and the raw
//! version of the profiles it works with is read from the header that it installs for programs like ours.

pub mod browser;
mod packages;
pub mod rust;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

pub use needs::{TESTED, is_all, releases};
pub use packages::Packages;
use profrt_overlay::compiler::Compiler;

use crate::paths;

/// A clang with everything that a test of a profile needs beside it.
#[derive(Clone, Debug)]
pub struct Clang {
    /// The major version.
    pub version: u32,
    pub clang: PathBuf,
    pub clangxx: PathBuf,
    pub profdata: PathBuf,
    pub cov: PathBuf,
    /// `ld.lld` of the same release.
    pub lld: Option<PathBuf>,
    pub resource_dir: PathBuf,
    /// The official `libclang_rt.profile` for this machine.
    pub official: PathBuf,
    /// The raw version of the profiles that this release emits.
    pub raw: u8,
}

/// The complete clangs of this machine, the oldest first, one of each major version.
///
/// One whose tools or official archive are missing is left out: the tests compare with these.
pub fn clangs() -> Vec<Clang> {
    let mut found: Vec<Clang> = Vec::new();
    let names = needs::CLANGS.iter().map(|version| format!("clang-{version}")).chain(["clang".to_owned()]);
    for program in names.filter_map(|name| paths::find_program(&name)) {
        let Ok(compiler) = Compiler::ask(&program) else {
            continue;
        };
        if found.iter().all(|known| known.version != compiler.version) {
            found.extend(complete(compiler));
        }
    }
    found.sort_by_key(|clang| clang.version);
    found
}

/// The newest complete clang whose raw version we make an archive for.
pub fn newest() -> Result<Clang> {
    let usable = clangs().into_iter().filter(|clang| crate::dist::RAW_VERSIONS.contains(&clang.raw));
    match usable.max_by_key(|clang| clang.version) {
        Some(clang) => Ok(clang),
        None => bail!(
            "no clang with llvm-profdata, llvm-cov and its profile archive was found; `cargo xtask demo` says how to install one"
        ),
    }
}

fn complete(compiler: Compiler) -> Option<Clang> {
    let version = compiler.version;
    let tool = |stem: &str| beside(&compiler.clang, stem, version);
    Some(Clang {
        version,
        clangxx: tool("clang++")?,
        profdata: tool("llvm-profdata")?,
        cov: tool("llvm-cov")?,
        lld: tool("ld.lld"),
        official: compiler.profile_archives().into_iter().find(|file| file.is_file())?,
        raw: compiler.raw().ok()?,
        resource_dir: compiler.resource_dir,
        clang: compiler.clang,
    })
}

/// The tool of the same release: by its versioned name on `PATH`, else in the directory where clang really is.
fn beside(clang: &Path, stem: &str, version: u32) -> Option<PathBuf> {
    paths::find_program(&format!("{stem}-{version}")).or_else(|| {
        let file = clang.canonicalize().ok()?.with_file_name(stem);
        file.is_file().then_some(file)
    })
}
