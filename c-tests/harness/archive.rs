//! Which archive is "ours", and the resource directories through which the driver finds either archive.

use anyhow::{Context, Result, ensure};
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use profrt_overlay::compiler;
use profrt_overlay::overlay::{Entries, overlay};
use tempfile::TempDir;
use testkit::{dist, paths};

use super::build::once;
use super::oracle;
use super::program::Who;
use super::tools::Compiler;

/// Names another archive than the one of this tree: a directory laid out like `target/dist`, or the word `official`, with
/// which the harness checks itself.
const OVERRIDE: &str = "PROFRT_ARCHIVE_DIR";

/// Makes each resource directory when the first test wants it.
pub struct Archives {
    root: PathBuf,
    links: TempDir,
}

impl Archives {
    pub fn new() -> Result<Self> {
        let root = scratch().join("overlay").join(std::process::id().to_string());
        let links = tempfile::Builder::new().prefix("profrt-links-").tempdir()?;
        Ok(Self { root, links })
    }

    /// The `-resource-dir` with which this compiler links the archive of `side`; `raw` as in [`Variant::raw`].
    ///
    /// [`Variant::raw`]: super::program::Variant::raw
    pub fn resource_dir(&self, compiler: &Compiler, side: Who, raw: Option<u8>) -> Result<PathBuf> {
        let official = side == Who::Official || is_official();
        if official && raw.is_none() {
            return Ok(compiler.resource_dir.clone());
        }
        let name = if official { "official" } else { "ours" };
        once(&self.root.join(format!("{}-{name}-{raw:?}", compiler.name())), |dir| {
            let archive = match raw {
                Some(_) if official => oracle::archive(compiler)?,
                _ => self.ours(raw.unwrap_or(compiler.raw))?,
            };
            overlay(&compiler::Compiler::ask(&compiler.clang)?, &archive, dir, Entries::Link)?;
            Ok(())
        })
    }

    /// Where programs are kept that several variants run, on the file system of the directories where they do.
    pub fn links(&self) -> &Path {
        self.links.path()
    }

    /// Our archive for this raw version.
    pub fn ours(&self, raw: u8) -> Result<PathBuf> {
        let link = once(&self.root.join(format!("raw-{raw}")), |link| {
            let archive = match replaced() {
                Some(dir) => find(Path::new(&dir), raw)?,
                None => dist::build(raw)?.archive,
            };
            Ok(symlink(archive, link)?)
        })?;
        Ok(link.canonicalize()?)
    }
}

impl Drop for Archives {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn replaced() -> Option<OsString> {
    std::env::var_os(OVERRIDE).filter(|value| !value.is_empty())
}

/// Whether the harness checks itself, with the official archive on both sides.
pub fn is_official() -> bool {
    replaced().is_some_and(|value| value == "official")
}

fn find(dir: &Path, raw: u8) -> Result<PathBuf> {
    let archive = dir.join(format!("raw-{raw}/lib/linux/libclang_rt.profile-x86_64.a"));
    ensure!(archive.is_file(), "{OVERRIDE}: {} is missing", archive.display());
    archive.canonicalize().context("a path")
}

/// What is kept between runs: beside the other things that cargo makes.
pub fn scratch() -> PathBuf {
    paths::target().join("c-tests")
}
