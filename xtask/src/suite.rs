//! `cargo xtask test`: everything that can be tested on this machine, and a few lines that say what was left out.

mod memory;
mod portable;
mod steps;

use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::dist::{self, compile};
use crate::toolchain::{Clang, Need, Packages, TESTED};
use crate::{package, paths, run};
use steps::Steps;

/// Modules without an operating system and without memory of others, by what their tests' names begin with.
const PURE: [&str; 11] = [
    "filename::",
    "raw::",
    "sections::build_id",
    "sink::",
    "path::",
    "header::",
    "layout::",
    "record::",
    "memop::",
    "crc::",
    "value::tests::sizes",
];

/// Those of `fuzz/fuzz_targets`, each with how many seconds it runs.
const FUZZ_TARGETS: [(&str, u32); 10] = [
    ("merge_from_buffer", 15),
    ("merge_file", 15),
    ("merge_gcda", 15),
    ("merge_profiles", 10),
    ("read_raw", 5),
    ("read_indexed", 5),
    ("read_text", 5),
    ("read_names", 5),
    ("read_memprof", 5),
    ("read_partial", 5),
];

/// What is said of tests that were not wanted.
const WITHOUT_QEMU: &str = "left out (--without-qemu)";

/// Which tests to run.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// Everything but the static tool of `portable`, whose build takes minutes
    #[default]
    All,
    /// Unit tests of all crates, and of value sites under all interleavings of threads; no clang needed
    Unit,
    /// What needs clang: the C programs, the tests of archives and installing, and of the host tool
    C,
    /// Firmware, and Linux on other CPUs, in QEMU
    Devices,
    /// Damaged profiles for the merges and readers
    Fuzz,
    /// The unit tests under AddressSanitizer, valgrind and Miri
    Memory,
    /// Builds and unit tests for other CPUs, and without compare-and-swap
    Portable,
}

/// How to test.
#[derive(clap::Args)]
pub struct Options {
    /// Which tests to run
    #[arg(value_enum, default_value_t)]
    pub level: Level,
    #[command(flatten)]
    pub packages: Packages,
    /// Not what runs in QEMU (firmware, Linux on other CPUs), for machines without it; the summary says that it was left out
    #[arg(long)]
    pub without_qemu: bool,
}

/// Runs the tests of a level: all of them, also when some fail.
pub fn run(options: &Options) -> Result<()> {
    let Options { level, packages, without_qemu } = *options;
    let wanted = |part| level == Level::All || level == part;
    // Before the first step, since nothing of these levels can be done without.
    let clangs = match level {
        Level::All | Level::C => packages.ensure(Need::Tests)?,
        _ => Vec::new(),
    };
    let mut steps = Steps::begin();
    if wanted(Level::Unit) {
        steps.step("unit tests", || cargo_test(&["--workspace", "--lib", "--bins"], "all crates"));
        let crates = ["--package=profrt", "--package=profdata", "--doc"];
        steps.step("examples", || cargo_test(&crates, "those of the crates' documentation"));
        steps.step("loom", loom);
    }
    if wanted(Level::C) {
        steps.step("clang", || Ok(compilers(&clangs)));
        steps.step("archives", || {
            for raw in dist::RAW_VERSIONS {
                dist::build(raw)?;
            }
            Ok(format!("raw versions {:?} in {}", dist::RAW_VERSIONS, paths::target().join("dist").display()))
        });
        let programs = "all C programs; archives and installing; the host tool";
        steps.step("programs", || cargo_test(&["--workspace", "--test=*"], programs));
        let zlib = ["--package=profdata", "--features=zlib", "--lib", "--test=indexed", "names"];
        steps.step("zlib", || cargo_test(&zlib, "vtable names as the tools compress them"));
    }
    if wanted(Level::Portable) {
        steps.step("atomics", portable::atomics);
        steps.step("other builds", || portable::bare(packages));
        if level == Level::Portable {
            // It builds the standard library and the tool, which takes minutes.
            steps.step("static tool", || static_tool(packages));
        }
        for tested in &portable::TESTED {
            steps.step(tested.target, || portable::tests(tested, !without_qemu, packages));
        }
    }
    if wanted(Level::Devices) {
        let qemu = || if without_qemu { Ok(WITHOUT_QEMU.to_owned()) } else { crate::embedded::run("", packages) };
        steps.step("QEMU", qemu);
    }
    if wanted(Level::Fuzz) {
        steps.step("fuzzing", || fuzz(packages));
    }
    if wanted(Level::Memory) {
        steps.step("sanitizer", memory::sanitizer);
        steps.step("valgrind", memory::valgrind);
        steps.step("Miri", memory::miri);
    }
    steps.finish()
}

/// Runs tests of some packages, all of them also when some fail. What was done, in a line.
fn cargo_test(packages: &[&str], what: &str) -> Result<String> {
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

/// Packs the tool as a static program. What was done, in a line.
fn static_tool(packages: Packages) -> Result<String> {
    if let Err(left_out) = package::musl(packages) {
        return Ok(left_out);
    }
    let options = package::Options { output: None, tool: None, libc: package::Static::Musl, packages };
    let packed = package::pack(&options)?;
    Ok(format!("{} and .deb", packed.archive.display()))
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

/// Damaged profiles are read and merged for some seconds. (What a unit test can damage is part of the unit tests.)
fn fuzz(packages: Packages) -> Result<String> {
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
    let install = || packages.install && works(&["install", "--quiet", "--locked", "cargo-fuzz"]);
    if !works(&["fuzz", "--version"]) && !install() {
        return Ok("left out; `cargo install cargo-fuzz` brings it".to_owned());
    }
    run::run(&mut cargo(&["run", "--quiet", "--bin", "seeds"])).context("no first inputs for the fuzz targets")?;
    run::run(&mut cargo(&["fuzz", "build"])).context("the fuzz targets do not build")?;
    run::each(&FUZZ_TARGETS, |(name, seconds)| {
        let time = format!("-max_total_time={seconds}");
        let limits = ["-max_len=8192", "-rss_limit_mb=1024", "-timeout=10", "-dict=profdata.dict"];
        run::quiet(cargo(&["fuzz", "run", name, "--", &time]).args(limits))
            .with_context(|| format!("fuzz/artifacts/{name} has an input that breaks the target"))
    })?;
    Ok(FUZZ_TARGETS.map(|(name, seconds)| format!("{name} {seconds} s")).join(", "))
}
