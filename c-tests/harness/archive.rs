//! Which archive is "ours", and the resource directories through which the driver finds either archive.

use anyhow::{Context, Result, ensure};
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use profrt_overlay::compiler;
use profrt_overlay::overlay::{Entries, overlay};
use testkit::{dist, paths};

use super::oracle;
use super::program::Who;
use super::tools::Compiler;

/// Names another archive than the one of this tree: a directory laid out like `target/dist`, or the word `official`, with
/// which the harness checks itself.
const OVERRIDE: &str = "PROFRT_ARCHIVE_DIR";

type Once = Arc<OnceLock<Result<PathBuf, String>>>;

/// Release of the compiler, whether the archive is the official one, another raw version.
type Overlay = (u32, bool, Option<u8>);

/// Makes each resource directory when the first test wants it.
pub struct Archives {
    root: PathBuf,
    overlays: Mutex<HashMap<Overlay, Once>>,
    archives: Mutex<HashMap<u8, Once>>,
}

impl Archives {
    pub fn new() -> Self {
        let root = scratch().join("overlay").join(std::process::id().to_string());
        Self { root, overlays: Mutex::default(), archives: Mutex::default() }
    }

    /// The `-resource-dir` with which this compiler links the archive of `side`; `raw` as in [`Variant::raw`].
    ///
    /// [`Variant::raw`]: super::program::Variant::raw
    pub fn resource_dir(&self, compiler: &Compiler, side: Who, raw: Option<u8>) -> Result<PathBuf> {
        let official = side == Who::Official || is_official();
        if official && raw.is_none() {
            return Ok(compiler.resource_dir.clone());
        }
        once(&self.overlays, (compiler.version, official, raw), || {
            let archive = match raw {
                Some(_) if official => oracle::archive(compiler)?,
                _ => self.ours(raw.unwrap_or(compiler.raw))?,
            };
            let side = if official { "official" } else { "ours" };
            let dir = self.root.join(format!("{}-{side}-{raw:?}", compiler.name()));
            overlay(&compiler::Compiler::ask(&compiler.clang)?, &archive, &dir, Entries::Link)?;
            Ok(dir)
        })
    }

    /// Where programs are kept that several variants run.
    pub fn links(&self) -> PathBuf {
        self.root.join("links")
    }

    /// Our archive for this raw version.
    pub fn ours(&self, raw: u8) -> Result<PathBuf> {
        once(&self.archives, raw, || match replaced() {
            Some(dir) => find(Path::new(&dir), raw),
            None => Ok(dist::build(raw)?.archive),
        })
    }
}

impl Drop for Archives {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn once<K: std::hash::Hash + Eq>(
    cells: &Mutex<HashMap<K, Once>>,
    key: K,
    make: impl FnOnce() -> Result<PathBuf>,
) -> Result<PathBuf> {
    let cell = Arc::clone(cells.lock().unwrap().entry(key).or_default());
    let result = cell.get_or_init(|| make().map_err(|e| format!("{e:#}")));
    result.clone().map_err(anyhow::Error::msg)
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
