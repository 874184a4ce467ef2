//! The archive for devices: no system below, one for each raw version and CPU, beside what a linker needs with it.
//!
//! Made by the Rust toolchain of this machine that can build for the CPU; nothing here needs a C compiler.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use profrt_overlay::archive::below;

use super::{ar, compile, members, publish};
use crate::paths;
use crate::run;
use crate::target::clang_arch;
use crate::toolchain::Packages;
use crate::toolchain::rust::{Toolchain, find, with_std};

/// The header and the linker scripts, as they lie beside the archives.
const FILES: [(&str, &str); 4] = [
    ("include/profrt.h", include_str!("../../../../runtime/include/profrt.h")),
    ("share/profrt/linker-scripts/profrt-checks.x", include_str!("../../../../linker-scripts/profrt-checks.x")),
    ("share/profrt/linker-scripts/profrt.x", include_str!("../../../../linker-scripts/profrt.x")),
    (
        "share/profrt/linker-scripts/profrt-counters-only.x",
        include_str!("../../../../linker-scripts/profrt-counters-only.x"),
    ),
];

/// Builds it with the Rust toolchain of this machine that can.
pub fn build_with_any(raw: u8, target: &str, packages: Packages) -> Result<PathBuf> {
    let (toolchain, with_core) = find(&[target], packages).with_context(|| format!("no archive for {target}"))?;
    build(&toolchain, with_core, raw, target)
}

/// Builds `lib/TARGET/libprofrt.a` in the prefix of `raw`. `with_core`: the toolchain has no `core` for the target and builds it.
/// A target with a system gets the archive with files.
pub fn build(toolchain: &Toolchain, with_core: bool, raw: u8, target: &str) -> Result<PathBuf> {
    let [wasi, windows, linux, macos] =
        ["-wasi", "-windows-", "-linux-", "-apple-"].map(|system| target.contains(system));
    let hosted = wasi || windows || linux || macos;
    let profile = ["device", "archive", "wasi"][usize::from(hosted) + usize::from(wasi)];
    let features = format!("{}archive,raw-{raw}", if hosted { "hosted," } else { "" });
    let mut cargo = toolchain.cargo("embedded");
    cargo.args(["rustc", "--quiet", "--package", "profrt", "--lib", "--crate-type", "staticlib", "--profile", profile]);
    cargo.args(["--no-default-features", "--features", &features, "--target", target]);
    with_std(&mut cargo, with_core, "core");
    if wasi || windows {
        // Assembler directives for this CPU; a flag below.
        cargo.env("RUSTC_BOOTSTRAP", "1");
    }
    // Absent symbols are at address 0. RISC-V of 64 bits reaches that only through a table when it runs above 2 GiB, and for AArch64 GNU
    // ld puts something else into instructions that need none.
    let by_table = hosted && !wasi || ["riscv64", "aarch64"].iter().any(|cpu| target.starts_with(cpu));
    let mut flags = vec![if by_table { "-Crelocation-model=pic" } else { "-Crelocation-model=static" }];
    flags.extend(if hosted && !wasi { &[compile::UNWIND_TABLES] } else { no_unwind_tables(target) });
    // Not the default for GNU's linker, which we do not support. Half the size.
    flags.extend(windows.then_some("-Zfunction-sections=yes"));
    // A call of WebAssembly is shorter than nearly all that would be inlined.
    flags.extend(wasi.then_some("-Cllvm-args=-inline-threshold=10"));
    // A `core` that is optimised for size shares what it has made of generic functions. It is left out of the archive.
    flags.extend((hosted && with_core).then_some("-Zshare-generics=no"));
    // The linker may make calls shorter, as it does in what clang compiles.
    flags.extend(target.starts_with("riscv").then_some("-Ctarget-feature=+relax"));
    // In incremental builds functions that panic stay.
    cargo.env("CARGO_ENCODED_RUSTFLAGS", compile::flags(&flags)).env("CARGO_INCREMENTAL", "0");
    run::quiet(&mut cargo).with_context(|| format!("the archive for {target} cannot be built"))?;
    let name = if target.ends_with("-msvc") { "profrt.lib" } else { "libprofrt.a" };
    let compiled = paths::target().join("embedded").join(target).join(profile).join(name);
    let bytes = fs::read(&compiled).with_context(|| format!("cannot read {}", compiled.display()))?;
    let members = if hosted { members::own(&bytes)? } else { members::with_helpers(&bytes)? };
    let prefix = paths::dist(raw);
    let archive = if hosted && !linux { below(target) } else { Path::new("lib").join(target).join("libprofrt.a") };
    let archive = prefix.join(archive);
    publish(&archive, &ar::write(&members)?)?;
    for (name, text) in FILES {
        publish(&prefix.join(name), text.as_bytes())?;
    }
    Ok(archive)
}

/// Flags by which no function has an entry in `.eh_frame`.
///
/// rustc gives a function a personality when code of `core` is inlined into it that would clean up after a panic, and LLVM
/// writes an entry for a function that has one, whatever rustc says about tables. Where exceptions are made with `setjmp`
/// there is no such section; that model changes functions that catch something, of which we have none. ARM has tables of another
/// kind, `.ARM.exidx`, which have to be complete.
fn no_unwind_tables(triple: &str) -> &'static [&'static str] {
    let has_no_section = ["arm", "wasm"].iter().any(|cpu| clang_arch(triple).starts_with(cpu));
    if has_no_section {
        &["-Cforce-unwind-tables=no"]
    } else {
        &["-Cforce-unwind-tables=no", "-Cllvm-args=--exception-model=sjlj"]
    }
}
