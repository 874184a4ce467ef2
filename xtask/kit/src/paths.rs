//! Where things are: the workspace, cargo's target directory and what we keep inside it.

use std::env;
use std::path::{Path, PathBuf};

pub use needs::find_program;

/// The root of the workspace, in which this package is `xtask/kit`.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// Cargo's target directory: `CARGO_TARGET_DIR` where that is set, as cargo itself does, else `target/`.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) if !dir.is_empty() => root().join(dir),
        _ => root().join("target"),
    }
}

/// Where the shipped archive is compiled, apart from everyday builds so that neither makes the other stale.
pub fn archive_build() -> PathBuf {
    target().join("archive")
}

/// What is handed out for one raw version: the prefix that a package would install.
pub fn dist(raw: u8) -> PathBuf {
    target().join("dist").join(format!("raw-{raw}"))
}

/// Where the files of a release are written. `target/package` is cargo's.
pub fn release() -> PathBuf {
    target().join("release-files")
}
