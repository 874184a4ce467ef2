//! The Rust toolchains of this machine that can build for other targets: rustup's, or Debian's own beside it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::Packages;
use crate::dist::compile;
use crate::{paths, run};

/// A cargo with its compiler.
pub struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    sysroot: PathBuf,
}

impl Toolchain {
    fn ask(cargo: PathBuf, rustc: PathBuf) -> Option<Toolchain> {
        let sysroot = run::stdout(Command::new(&rustc).args(["--print", "sysroot"]).current_dir(paths::root())).ok()?;
        Some(Toolchain { cargo, rustc, sysroot: PathBuf::from(sysroot) })
    }

    /// The ones of this machine: cargo's own, and the system's.
    fn all() -> Vec<Toolchain> {
        let system = || Toolchain::ask(Path::new("/usr/bin/cargo").into(), Path::new("/usr/bin/rustc").into());
        [Toolchain::ask("cargo".into(), "rustc".into()), system()].into_iter().flatten().collect()
    }

    fn has_std(&self, target: &str) -> bool {
        self.sysroot.join("lib/rustlib").join(target).join("lib").is_dir()
    }

    fn has_sources(&self) -> bool {
        self.sysroot.join("lib/rustlib/src/rust/library/Cargo.lock").is_file()
    }

    /// Its cargo, to build in a directory of this name in our target directory.
    pub fn cargo(&self, directory: &str) -> Command {
        let mut cargo = Command::new(&self.cargo);
        compile::without_outer_cargo(&mut cargo);
        // No flags of the user's: they are for this machine's CPU.
        cargo.current_dir(paths::root()).env("RUSTC", &self.rustc).env_remove("CARGO_ENCODED_RUSTFLAGS");
        cargo.env("CARGO_TARGET_DIR", paths::target().join(directory));
        cargo
    }
}

/// The toolchain that can build for all these targets, and whether it has to build the standard library itself.
fn able(targets: &[&str]) -> Option<(Toolchain, bool)> {
    let mut ready = Toolchain::all();
    if let Some(at) = ready.iter().position(|known| targets.iter().all(|target| known.has_std(target))) {
        return Some((ready.swap_remove(at), false));
    }
    let at = ready.iter().position(Toolchain::has_sources)?;
    Some((ready.swap_remove(at), true))
}

/// The same, with Debian's compiler where `packages` allows to install it.
///
/// # Errors
/// What brings the targets.
pub fn find(targets: &[&str], packages: Packages) -> Result<(Toolchain, bool)> {
    if able(targets).is_none() {
        packages.require(&["rust-sources"])?;
    }
    able(targets)
        .with_context(|| format!("no Rust toolchain for {0}; `rustup target add {0}` brings one", targets.join(" ")))
}

/// Lets cargo build these parts of the standard library, if it has to.
pub fn with_std(cargo: &mut Command, build: bool, parts: &str) {
    if build {
        cargo.arg(format!("-Zbuild-std={parts}")).env("RUSTC_BOOTSTRAP", "1");
    }
}
