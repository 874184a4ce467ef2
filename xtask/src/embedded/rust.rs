//! Firmware in Rust: no C compiler, no C names but the one that instrumented code asks for.

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::Tools;
use crate::toolchain::rust::with_std;
use crate::{paths, run};

const TARGET: &str = "thumbv7m-none-eabi";

/// What llvm-profdata shows of it: of its 100 numbers 34 are multiples of 3, none is 1000, and 3 of the rest are below 5; of the other
/// 63 none is above 199, and 33 are above 49.
const EXPECTED: [&str; 2] =
    ["Function count: 100\n    Block counts: [34, 0, 3]", "Function count: 63\n    Block counts: [0, 33]"];

/// Builds and runs it.
pub fn run(tools: &Tools<'_>, linker: &str) -> Result<String> {
    let scripts = paths::root().join("linker-scripts");
    let directory = paths::target().join("embedded/rust");
    let mut cargo = tools.toolchain.cargo("embedded/rust");
    cargo.current_dir(scripts.join("examples/rust-firmware")).env("RUSTC_BOOTSTRAP", "1");
    cargo.args(["rustc", "--quiet", "--release", "--target", TARGET]);
    with_std(&mut cargo, tools.with_core, "core");
    cargo.args(["--", "-Cinstrument-coverage", "-Zno-profiler-runtime"]);
    cargo.arg(format!("-Clinker={linker}")).arg("-Clinker-flavor=ld.lld");
    cargo.arg(format!("-Clink-arg=-L{}", scripts.display()));
    cargo.arg(format!("-Clink-arg=-T{}", scripts.join("examples/cortex-m.ld").display()));
    // A C compiler that fails: nothing may need one.
    cargo.env(format!("CC_{}", TARGET.replace('-', "_")), "/bin/false");
    run::quiet(&mut cargo)?;
    let program = directory.join(TARGET).join("release/rust-firmware");
    let profile = directory.join("raw.profraw");
    let _ = fs::remove_file(&profile);
    let mut qemu = Command::new("timeout");
    qemu.current_dir(&directory).args([
        "60",
        "qemu-system-arm",
        "-M",
        "mps2-an385",
        "-display",
        "none",
        "-monitor",
        "none",
    ]);
    qemu.args(["-semihosting-config", "enable=on,target=native", "-kernel"]).arg(&program).stdin(Stdio::null());
    run::quiet(&mut qemu).context("the firmware in Rust")?;
    let mut show = Command::new(&tools.clang.profdata);
    let text = run::stdout(show.args(["show", "--all-functions", "--counts"]).arg(&profile))?;
    for expected in EXPECTED {
        ensure!(text.contains(expected), "`{expected}` is missing in\n{text}");
    }
    Ok("firmware in Rust without a C compiler: its counts are exact".to_owned())
}
