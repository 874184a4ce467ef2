//! The crate for other CPUs: that it builds where no system is, and the pure modules' tests for 32 bits and the other byte
//! order, as programs of those CPUs.
//!
//! Needs a toolchain with each target, or with the sources of the standard library: rustup's, or Debian's own beside it.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use testkit::dist::compile;
use testkit::run::Ran;
use testkit::toolchain::rust::{find, with_std};
use testkit::toolchain::{Packages, newest};
use testkit::{paths, run};

use super::PURE;

/// A CPU without compare-and-swap: what it lacks has to be made. `cargo xtask embedded` builds for others, and with the C names only.
const BARE: &str = "riscv32i-unknown-none-elf";

/// Cortex-M whose firmware is not run, as that of v6-M and v7-M is.
const CORTEX_M: [&str; 3] = ["thumbv7em-none-eabihf", "thumbv8m.base-none-eabi", "thumbv8m.main-none-eabi"];

/// Another CPU, and how its tests are linked and run.
pub struct Cpu {
    pub needs: &'static [&'static str],
    target: &'static str,
    linker: &'static str,
    runner: &'static str,
}

/// 32 bits, which devices have as well: on the processor itself, beside a C library of their own.
pub const I686: Cpu = Cpu {
    needs: &["i686-linux-gnu-gcc"],
    target: "i686-unknown-linux-gnu",
    linker: "i686-linux-gnu-gcc",
    runner: "/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib",
};

/// The other byte order.
pub const S390X: Cpu = Cpu {
    needs: &["s390x-linux-gnu-gcc", "qemu-user"],
    target: "s390x-unknown-linux-gnu",
    linker: "s390x-linux-gnu-gcc",
    runner: "qemu-s390x -L /usr/s390x-linux-gnu",
};

/// Modules whose tests need no signals and no threads, besides the pure ones.
const ALSO: [&str; 5] = ["os::unix::file::", "mismatch::", "sync::", "span::", "value::tests::sites"];

/// Builds the crate without a system, with and without the C names; for Cortex-M it calls a debugger as that profile does.
pub fn bare(packages: Packages) -> Result<Ran> {
    let clang = newest()?;
    let (toolchain, build) = find(&[&[BARE][..], &CORTEX_M].concat(), packages)?;
    let builds: Vec<(&str, &str)> =
        [(BARE, ""), (BARE, "abi")].into_iter().chain(CORTEX_M.map(|target| (target, "abi"))).collect();
    for (target, features) in &builds {
        let mut cargo = toolchain.cargo("portable");
        cargo.args(["build", "--quiet", "--package=profrt", "--lib", "--no-default-features", "--features", features]);
        with_std(&mut cargo, build, "core");
        // Without a C compiler for the target the crate does without, which is what is built here.
        cargo.args(["--target", target]).env(format!("CC_{}", target.replace(['-', '.'], "_")), "/bin/false");
        run::quiet(&mut cargo).with_context(|| format!("the crate does not build for {target}"))?;
        let library = paths::target().join("portable").join(target).join("debug/libprofrt.rlib");
        let code = run::stdout(Command::new(format!("llvm-objdump-{}", clang.version)).arg("-d").arg(library))?;
        let is_right = !code.contains("\tsvc\t") && code.contains("\tbkpt\t#0xab") == CORTEX_M.contains(target);
        ensure!(is_right, "the crate calls a debugger of {target} by the wrong instruction");
    }
    Ok(Ran::of(builds.len()))
}

impl Cpu {
    /// Runs the tests of the pure modules.
    pub fn test(&self, packages: Packages) -> Result<Ran> {
        let Cpu { target, linker, runner, .. } = self;
        let (toolchain, build) = find(&[target], packages)?;
        let name = target.to_uppercase().replace('-', "_");
        let mut cargo = toolchain.cargo("portable");
        cargo.args(["test", "--package", "profrt", "--package", "profrt-format", "--lib", "--target", target]);
        with_std(&mut cargo, build, "std,test");
        cargo.arg("--").args(PURE).args(ALSO);
        cargo.env(format!("CARGO_TARGET_{name}_LINKER"), linker).env(format!("CARGO_TARGET_{name}_RUNNER"), runner);
        cargo.env("PROPTEST_CASES", "64");
        run::tests(&mut cargo)
    }
}

/// Runs the unit tests with what stands for compare-and-swap on CPUs that lack it (see build.rs).
pub fn atomics() -> Result<Ran> {
    let mut ran = Ran::default();
    for atomics in ["halves", "masked", "flagged"] {
        let mut cargo = compile::cargo();
        cargo.args(["test", "--package", "profrt", "--lib", "--", "value::", "sync::"]);
        cargo.env("CARGO_TARGET_DIR", paths::target().join("atomics")).env("PROFRT_ATOMICS", atomics);
        let tested = run::tests(&mut cargo);
        ran = ran.and(tested.with_context(|| format!("the tests of values fail with PROFRT_ATOMICS={atomics}"))?);
    }
    Ok(ran)
}

/// `profdata` builds without warnings with none of its features, with each alone, and with all.
pub fn features() -> Result<Ran> {
    let manifest = fs::read_to_string(paths::root().join("profdata/Cargo.toml"))?;
    let (_, section) = manifest.split_once("[features]\n").context("profdata/Cargo.toml has no features")?;
    let lines = section.lines().take_while(|line| !line.starts_with('['));
    let names: Vec<&str> = lines.filter_map(|line| Some(line.split_once(" = [")?.0)).collect();
    let all = names.join(",");
    for features in ["", &all].into_iter().chain(names.iter().copied()) {
        let mut cargo = compile::cargo();
        cargo.args("check --quiet --package=profdata --lib --no-default-features --features".split(' ')).arg(features);
        cargo.env("RUSTFLAGS", "-Dwarnings").env("CARGO_TARGET_DIR", paths::target().join("features"));
        run::quiet(&mut cargo)
            .with_context(|| format!("profdata does not build with only the features `{features}`"))?;
    }
    Ok(Ran::of(names.len() + 2))
}
