//! The crate for other CPUs: that it builds where no system is, and the pure modules' tests for 32 bits and the other byte
//! order, as programs of those CPUs.
//!
//! Needs a toolchain with each target, or with the sources of the standard library: rustup's, or Debian's own beside it.

use std::path::Path;

use anyhow::{Context, Result};

use super::{PURE, WITHOUT_QEMU};
use testkit::dist::compile;
use testkit::toolchain::Packages;
use testkit::toolchain::rust::{find, with_std};
use testkit::{paths, run};

/// A CPU without compare-and-swap: what it lacks has to be made. `cargo xtask embedded` builds for others, and with the C names only.
const BARE: &str = "riscv32i-unknown-none-elf";

/// How the tests are linked and run on another CPU.
pub struct Tested {
    pub target: &'static str,
    packages: &'static [&'static str],
    linker: &'static str,
    /// What runs its programs. (Those of i686 run on the processor itself, beside a C library of their own.)
    runner: &'static str,
}

/// The other byte order, and with `--all` 32 bits, which devices have as well.
pub const TESTED: [Tested; 2] = [
    Tested {
        target: "s390x-unknown-linux-gnu",
        packages: &["gcc-s390x-linux-gnu", "libc6-dev-s390x-cross", "qemu-user"],
        linker: "s390x-linux-gnu-gcc",
        runner: "qemu-s390x -L /usr/s390x-linux-gnu",
    },
    Tested {
        target: "i686-unknown-linux-gnu",
        packages: &["gcc-i686-linux-gnu", "libc6-dev-i386-cross"],
        linker: "i686-linux-gnu-gcc",
        runner: "/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib",
    },
];

/// Modules whose tests need no signals and no threads, besides the pure ones.
const ALSO: [&str; 5] = ["os::unix::file::", "mismatch::", "sync::", "span::", "value::tests::sites"];

/// Builds the crate without a system, with and without the C names. What was done, in a line.
pub fn bare(may: Packages) -> Result<String> {
    let (toolchain, build) = match find(&[BARE], &[], may) {
        Ok(found) => found,
        Err(left_out) => return Ok(left_out),
    };
    for features in ["", "abi"] {
        let mut cargo = toolchain.cargo("portable");
        cargo.args(["build", "--quiet", "--package=profrt", "--lib", "--no-default-features", "--features", features]);
        with_std(&mut cargo, build, "core");
        // Without a C compiler for the target the crate does without, which is what is built here.
        cargo.args(["--target", BARE]).env(format!("CC_{}", BARE.replace('-', "_")), "/bin/false");
        run::quiet(&mut cargo).context("the crate does not build for a CPU that it should build for")?;
    }
    Ok(BARE.to_owned())
}

/// Runs the tests of the pure modules on another CPU, `qemu`: also where that is done by QEMU. What was done, in a line.
pub fn tests(tested: &Tested, qemu: bool, may: Packages) -> Result<String> {
    let Tested { target, packages, linker, runner } = tested;
    if !qemu && runner.starts_with("qemu-") {
        return Ok(WITHOUT_QEMU.to_owned());
    }
    let absent = paths::find_program(linker).is_none()
        || runner
            .split(' ')
            .next()
            .is_some_and(|program| !Path::new(program).is_file() && paths::find_program(program).is_none());
    let (toolchain, build) = match find(&[target], if absent { packages } else { &[] }, may) {
        Ok(found) => found,
        Err(left_out) => return Ok(left_out),
    };
    let name = target.to_uppercase().replace('-', "_");
    let mut cargo = toolchain.cargo("portable");
    cargo.args(["test", "--quiet", "--package", "profrt", "--package", "profrt-format", "--lib", "--target", target]);
    with_std(&mut cargo, build, "std,test");
    cargo.arg("--").args(PURE).args(ALSO);
    cargo.env(format!("CARGO_TARGET_{name}_LINKER"), linker).env(format!("CARGO_TARGET_{name}_RUNNER"), runner);
    cargo.env("PROPTEST_CASES", "64");
    run::run(&mut cargo).context("a test fails, or cannot run")?;
    Ok("the tests of the pure modules".to_owned())
}

/// Runs the unit tests with what stands for compare-and-swap on CPUs that lack it (see build.rs). What was done, in a line.
pub fn atomics() -> Result<String> {
    for atomics in ["halves", "masked", "flagged"] {
        let mut cargo = compile::cargo();
        cargo.args(["test", "--quiet", "--package", "profrt", "--lib", "--", "value::", "sync::"]);
        cargo.env("CARGO_TARGET_DIR", paths::target().join("atomics")).env("PROFRT_ATOMICS", atomics);
        run::run(&mut cargo).with_context(|| format!("the tests of values fail with PROFRT_ATOMICS={atomics}"))?;
    }
    Ok("the tests of values, with what stands for compare-and-swap".to_owned())
}
