//! Cargo's part: the static library, with one member a module and no trace of this machine; and the build that proves that
//! nothing in it can panic.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::{paths, run};

/// Compiles the crate for `triple` as it is shipped, but for the unwind tables that [`members`](super::members) takes away, and returns
/// cargo's `libprofrt.a`.
pub fn staticlib(raw: u8, triple: &str) -> Result<PathBuf> {
    // Not full RELRO, which has to do with how programs are linked: with it the C library's functions would be called through
    // addresses that the loader has to look up before the program begins, whether they are ever called or not.
    // Inlines a function only where that makes the code smaller; what is to be fast says so.
    let inlines_less = "-Cllvm-args=-inline-threshold=5";
    build(raw, triple, "archive", &["-Crelocation-model=pic", "-Crelro-level=partial", inlines_less, UNWIND_TABLES])
}

/// Compiles the crate with whole-program optimisation and a panic handler that calls `profrt_panic_reached`.
pub fn proof(raw: u8, triple: &str) -> Result<PathBuf> {
    build(raw, triple, "proof", &["-Crelocation-model=pic", "--cfg=profrt_panic_proof"])
}

fn build(raw: u8, triple: &str, profile: &str, rustflags: &[&str]) -> Result<PathBuf> {
    let target_dir = paths::archive_build();
    let mut cargo = cargo();
    cargo
        .args(["rustc", "--quiet", "--package", "profrt", "--lib", "--crate-type", "staticlib", "--profile", profile])
        .args(["--no-default-features", "--features", &format!("hosted,archive,raw-{raw}")])
        .args(["--target", triple])
        .arg("--target-dir")
        .arg(&target_dir);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(rustflags));
    // It would divide modules into members by itself, whatever the profile says.
    cargo.env("CARGO_INCREMENTAL", "0");
    run::run(&mut cargo)?;
    Ok(target_dir.join(triple).join(profile).join("libprofrt.a"))
}

/// Cargo as it runs us.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(paths::root());
    without_outer_cargo(&mut cargo);
    cargo
}

/// Takes out of the environment what an outer cargo put there for its own purposes.
pub fn without_outer_cargo(command: &mut Command) {
    let outer = ["CARGO_PKG_", "CARGO_BIN_", "CARGO_MANIFEST_"];
    let single = ["RUSTFLAGS", "CARGO_CRATE_NAME", "CARGO_PRIMARY_PACKAGE", "CARGO_BUILD_TARGET", "OUT_DIR"];
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if outer.iter().any(|prefix| text.starts_with(prefix)) || single.contains(&&*text) {
            command.env_remove(&name);
        }
    }
}

/// The flag by which every function has an entry in `.eh_frame`, and can be unwound at each of its instructions. The code is the same
/// without it.
///
/// Nothing in the archive cleans up while it is unwound, so an entry names no personality: an exception or a cancellation passes. It
/// would not if functions of programs were called as `extern "C-unwind"`: rustc makes those calls abort where panics do.
pub(super) const UNWIND_TABLES: &str = "-Cforce-unwind-tables=yes";

/// Flags for every crate in the archive, whatever the user's own `RUSTFLAGS` say; paths are cut down to what is ours in them.
pub fn flags(first: &[impl AsRef<str>]) -> String {
    let mut flags: Vec<String> = first.iter().map(|flag| flag.as_ref().to_owned()).collect();
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo_home = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    // rustc takes the last prefix that fits.
    for (prefix, name) in [(cargo_home, "cargo"), (paths::target(), "target"), (paths::root(), "profrt")] {
        flags.push(format!("--remap-path-prefix={}={name}", prefix.display()));
    }
    flags.join("\x1f")
}
