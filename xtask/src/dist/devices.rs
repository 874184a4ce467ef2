//! The archive for devices: no system below, one for each raw version and CPU, beside what a linker needs with it.
//!
//! Made by the Rust toolchain of this machine that can build for the CPU; nothing here needs a C compiler.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use super::{ar, compile, members, publish};
use crate::paths;
use crate::run;
use crate::toolchain::rust::{Toolchain, with_std};

/// The header and the linker scripts, as they lie beside the archives.
const FILES: [(&str, &str); 3] = [
    ("include/profrt.h", include_str!("../../../runtime/include/profrt.h")),
    ("share/profrt/linker-scripts/profrt.x", include_str!("../../../linker-scripts/profrt.x")),
    (
        "share/profrt/linker-scripts/profrt-counters-only.x",
        include_str!("../../../linker-scripts/profrt-counters-only.x"),
    ),
];

/// Builds `lib/TARGET/libprofrt.a` in the prefix of `raw`. `with_core`: the toolchain has no `core` for the target and builds it.
/// A target with a system gets the archive with files.
pub fn build(toolchain: &Toolchain, with_core: bool, raw: u8, target: &str) -> Result<PathBuf> {
    let hosted = target.contains("-linux-");
    let profile = if hosted { "archive" } else { "device" };
    let features = format!("{}archive,raw-{raw}", if hosted { "hosted," } else { "" });
    let mut cargo = toolchain.cargo("embedded");
    cargo.args(["rustc", "--quiet", "--package", "profrt", "--lib", "--crate-type", "staticlib", "--profile", profile]);
    cargo.args(["--no-default-features", "--features", &features, "--target", target]);
    with_std(&mut cargo, with_core, "core");
    // RISC-V of 64 bits reaches address 0, where absent symbols are, only through a table when it runs above 2 GiB.
    let model =
        if hosted || target.starts_with("riscv64") { "-Crelocation-model=pic" } else { "-Crelocation-model=static" };
    cargo.env("CARGO_ENCODED_RUSTFLAGS", compile::flags(&[model, "-Cforce-unwind-tables=no"]));
    run::quiet(&mut cargo).with_context(|| format!("the archive for {target} cannot be built"))?;
    let compiled = paths::target().join("embedded").join(target).join(profile).join("libprofrt.a");
    let bytes = fs::read(&compiled).with_context(|| format!("cannot read {}", compiled.display()))?;
    let members = if hosted { members::own(&bytes)? } else { members::with_helpers(&bytes)? };
    let prefix = paths::dist(raw);
    let archive = prefix.join("lib").join(target).join("libprofrt.a");
    publish(&archive, &ar::write(&members)?)?;
    for (name, text) in FILES {
        publish(&prefix.join(name), text.as_bytes())?;
    }
    Ok(archive)
}
