//! `cargo xtask test`: everything that can be tested on this machine, and a few lines that say what was left out.

mod memory;
mod portable;
mod steps;

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::dist::{self, compile};
use crate::toolchain::{self, Clang, Need, TESTED};
use crate::{paths, run};
use steps::Steps;

/// Modules without an operating system and without memory of others, by what their tests' names begin with.
const PURE: [&str; 7] = ["format::", "layout::", "filename::", "raw::", "sections::build_id", "sink::", "path::"];

/// Those of `fuzz/fuzz_targets`.
const FUZZ_TARGETS: [&str; 2] = ["merge_from_buffer", "merge_file"];

/// What is said of tests that were not wanted.
const WITHOUT_QEMU: &str = "left out (--without-qemu)";

/// Installs what is missing, builds the archives, runs the tests: all of them, also when some fail. `qemu`: also what runs in it.
pub fn run(qemu: bool) -> Result<()> {
    let clangs = toolchain::ensure(Need::Tests)?;
    let mut steps = Steps::begin();
    steps.step("clang", || Ok(compilers(&clangs)));
    steps.step("archives", || {
        for raw in dist::RAW_VERSIONS {
            dist::build(raw)?;
        }
        Ok(format!("raw versions {:?} in {}", dist::RAW_VERSIONS, paths::target().join("dist").display()))
    });
    steps.step("programs", || cargo_test(["--workspace", "--exclude=profrt-tool"], "unit tests, and all C programs"));
    // The tool by itself: with the rest of the workspace it would get the crate with all features, and be a program with a
    // profiling runtime that writes a profile of its own.
    steps.step("tool", || cargo_test(["--package", "profrt-tool"], "all its tests"));
    steps.step("loom", loom);
    add_portable(&mut steps, qemu);
    steps.step("QEMU", || if qemu { crate::embedded::run("") } else { Ok(WITHOUT_QEMU.to_owned()) });
    steps.step("fuzzing", fuzz);
    add_memory(&mut steps);
    steps.finish()
}

/// Runs tests of some packages, all of them also when some fail. What was done, in a line.
fn cargo_test(packages: [&str; 2], what: &str) -> Result<String> {
    run::tests(compile::cargo().args(["test", "--no-fail-fast"]).args(packages))?;
    Ok(what.to_owned())
}

fn compilers(clangs: &[Clang]) -> String {
    let list = |versions: &[u32]| versions.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    let used: Vec<u32> = clangs.iter().map(|clang| clang.version).collect();
    let absent: Vec<u32> = TESTED.into_iter().filter(|version| !used.contains(version)).collect();
    if absent.is_empty() {
        return list(&used);
    }
    format!("{}; not installed, so left out: {}", list(&used), list(&absent))
}

/// The lists of value sites, under the interleavings of threads that `tests/loom` bounds.
fn loom() -> Result<String> {
    let mut cargo = compile::cargo();
    cargo
        .args(["test", "--quiet", "--no-fail-fast", "--manifest-path"])
        .arg(paths::root().join("tests/loom/Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", paths::target().join("loom"));
    run::run(&mut cargo).context("loom found an interleaving that breaks a value site")?;
    Ok("value sites, under all interleavings of their threads".to_owned())
}

/// Tests what can be tested here of the crate on other CPUs. `qemu`: also those whose programs run in it.
pub fn portable(qemu: bool) -> Result<()> {
    let mut steps = Steps::begin();
    add_portable(&mut steps, qemu);
    steps.finish()
}

fn add_portable(steps: &mut Steps, qemu: bool) {
    steps.step("atomics", portable::atomics);
    steps.step("other builds", portable::bare);
    for tested in &portable::TESTED {
        steps.step(tested.target, || portable::tests(tested, qemu));
    }
}

/// Runs the unit tests where wrong reads and writes are noticed.
pub fn memory() -> Result<()> {
    let mut steps = Steps::begin();
    add_memory(&mut steps);
    steps.finish()
}

fn add_memory(steps: &mut Steps) {
    steps.step("sanitizer", memory::sanitizer);
    steps.step("valgrind", memory::valgrind);
    steps.step("Miri", memory::miri);
}

/// Cargo of the nightly toolchain, to build in a directory of this name in our target directory.
fn nightly(directory: &str) -> Command {
    let mut cargo = Command::new("rustup");
    compile::without_outer_cargo(&mut cargo);
    cargo.args(["run", "nightly", "cargo"]).current_dir(paths::root());
    cargo.env_remove("CARGO").env_remove("RUSTC").env_remove("RUSTUP_TOOLCHAIN");
    cargo.env("CARGO_TARGET_DIR", paths::target().join(directory));
    cargo
}

/// Whether the command is there and succeeds, quietly.
fn works(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Damaged profiles are merged for a quarter of a minute. (What a unit test can damage is part of the unit tests.)
fn fuzz() -> Result<String> {
    let directory = paths::root().join("fuzz");
    let cargo = |args: &[&str]| {
        let mut cargo = nightly("fuzz");
        cargo.args(args).current_dir(&directory);
        cargo
    };
    let works = |args: &[&str]| works(&mut cargo(args));
    if !works(&["--version"]) {
        return Ok("left out; `rustup toolchain install nightly` brings it".to_owned());
    }
    // Where it cannot be installed, the tests must go on.
    if !works(&["fuzz", "--version"]) && !works(&["install", "--quiet", "--locked", "cargo-fuzz"]) {
        return Ok("left out; `cargo install cargo-fuzz` brings it".to_owned());
    }
    run::run(&mut cargo(&["run", "--quiet", "--bin", "seeds"])).context("no first inputs for the fuzz targets")?;
    run::run(&mut cargo(&["fuzz", "build"])).context("the fuzz targets do not build")?;
    run::each(&FUZZ_TARGETS, |name| {
        run::quiet(&mut cargo(&["fuzz", "run", name, "--", "-max_total_time=15", "-max_len=8192"]))
            .with_context(|| format!("fuzz/artifacts/{name} has an input that breaks the merge"))
    })?;
    Ok(format!("{}, 15 s each", FUZZ_TARGETS.join(", ")))
}
