//! Cargo's part: the static library, with one member a module and no trace of this machine; and the build that proves that
//! nothing in it can panic.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use crate::target::clang_arch;
use crate::{paths, run};

/// What cargo made of the crate: the same modules twice.
pub struct Compiled {
    /// Without unwind tables.
    pub plain: PathBuf,
    /// With unwind tables.
    pub unwound: PathBuf,
}

/// Compiles the crate for `triple` as it is shipped, and returns both of cargo's `libprofrt.a`.
///
/// Both are of one profile, and what differs is an argument for rustc alone: names in them have the same hashes then, and a module
/// of one may stand among those of the other. They would overwrite each other in one directory.
pub fn staticlib(raw: u8, triple: &str) -> Result<Compiled> {
    // Not full RELRO, which has to do with how programs are linked: with it the C library's functions would be called through
    // addresses that the loader has to look up before the program begins, whether they are ever called or not.
    let link = ["-Crelocation-model=pic", "-Crelro-level=partial"];
    let build = |directory: &str, arguments: &[&str]| {
        let arguments = [&["--"], arguments].concat();
        build(&paths::archive_build().join(directory), raw, triple, "archive", &link, &arguments)
    };
    Ok(Compiled { plain: build("", no_unwind_tables(triple))?, unwound: build("unwound", &[UNWIND_TABLES])? })
}

/// Compiles the crate with whole-program optimisation and a panic handler that calls `profrt_panic_reached`.
pub fn proof(raw: u8, triple: &str) -> Result<PathBuf> {
    let flags = ["-Crelocation-model=pic", "--cfg=profrt_panic_proof"];
    build(&paths::archive_build(), raw, triple, "proof", &flags, &[])
}

fn build(target_dir: &Path, raw: u8, triple: &str, profile: &str, first: &[&str], last: &[&str]) -> Result<PathBuf> {
    let mut cargo = cargo();
    cargo
        .args(["rustc", "--quiet", "--package", "profrt", "--lib", "--crate-type", "staticlib", "--profile", profile])
        .args(["--no-default-features", "--features", &format!("hosted,archive,raw-{raw}")])
        .args(["--target", triple])
        .arg("--target-dir")
        .arg(target_dir)
        .args(last);
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags(first));
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

/// The flag by which every function has an entry in `.eh_frame`, and can be unwound at each of its instructions.
///
/// Nothing in the archive cleans up while it is unwound, so an entry names no personality: an exception or a cancellation passes. It
/// would not if functions of programs were called as `extern "C-unwind"`: rustc makes those calls abort where panics do.
pub(super) const UNWIND_TABLES: &str = "-Cforce-unwind-tables=yes";

/// Flags by which no function has an entry in `.eh_frame`.
///
/// rustc gives a function a personality when code of `core` is inlined into it that would clean up after a panic, and LLVM
/// writes an entry for a function that has one, whatever rustc says about tables. Where exceptions are made with `setjmp`
/// there is no such section; that model changes functions that catch something, of which we have none. ARM has tables of another
/// kind, `.ARM.exidx`, which have to be complete.
pub(super) fn no_unwind_tables(triple: &str) -> &'static [&'static str] {
    let arm = clang_arch(triple).starts_with("arm");
    if arm {
        &["-Cforce-unwind-tables=no"]
    } else {
        &["-Cforce-unwind-tables=no", "-Cllvm-args=--exception-model=sjlj"]
    }
}

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
