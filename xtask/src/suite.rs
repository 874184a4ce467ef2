//! `cargo xtask test`: everything that can be tested on this machine, and a few lines that say what was left out.

mod features;
mod fleet;
mod memory;
pub mod pages;
mod portable;
mod steps;

use std::fs;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::{embedded, package};
use steps::Steps;
use testkit::dist::{self, compile};
use testkit::toolchain::{Clang, Need, Packages, TESTED};
use testkit::{paths, run, target};

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

/// Those of `fuzz/fuzz_targets`.
const FUZZ_TARGETS: [&str; 11] = [
    "merge_from_buffer",
    "merge_file",
    "merge_gcda",
    "merge_profiles",
    "read_raw",
    "read_indexed",
    "read_text",
    "read_names",
    "read_memprof",
    "read_partial",
    "read_coverage",
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
    /// The pages of `profrt cov` and `profrt report` in Chromium
    Pages,
    /// The Python package, with Ray and Spark on this machine
    Fleet,
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
    /// With every release of clang and every CPU, also where others can stand for them; fuzzing for a minute a target
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub packages: Packages,
    /// Not what runs in QEMU (firmware, Linux on other CPUs), for machines without it; the summary says that it was left out
    #[arg(long)]
    pub without_qemu: bool,
}

/// Runs the tests of a level: all of them, also when some fail.
pub fn run(options: &Options) -> Result<()> {
    let Options { level, all, packages, without_qemu } = *options;
    let wanted = |part| level == Level::All || level == part;
    // Before the first step, since nothing of these levels can be done without.
    let clangs = match level {
        Level::All | Level::C => packages.ensure(Need::Tests)?,
        _ => Vec::new(),
    };
    let mut steps = Steps::begin();
    if wanted(Level::Unit) {
        steps.step("unit tests", || cargo_test(&["--lib", "--bins"], all, "all crates"));
        steps.step("examples", || cargo_test(&["--doc"], all, "those of the crates' documentation"));
        steps.step("features of profdata", features::alone);
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
        let programs = "C programs; archives and installing; the host tool";
        steps.step("programs", || cargo_test(&["--test=*"], all, programs));
    }
    if wanted(Level::Pages) {
        steps.step("pages", || pages::tests(packages));
    }
    if wanted(Level::Fleet) {
        steps.step("fleet", || fleet::tests(packages));
    }
    if wanted(Level::Portable) {
        steps.step("atomics", portable::atomics);
        steps.step("other builds", || portable::bare(packages));
        if level == Level::Portable {
            // It builds the standard library and the tool, which takes minutes.
            steps.step("static tool", || static_tool(packages));
        }
        for tested in &portable::TESTED[..if all { 2 } else { 1 }] {
            steps.step(tested.target, || portable::tests(tested, !without_qemu, packages));
        }
    }
    if wanted(Level::Devices) {
        let wanted = |target: &str| all || embedded::usual(target);
        let qemu = || if without_qemu { Ok(WITHOUT_QEMU.to_owned()) } else { embedded::run(wanted, packages) };
        steps.step("QEMU", qemu);
    }
    if wanted(Level::Fuzz) {
        steps.step("fuzzing", || fuzz(if all { 60 } else { 5 }));
    }
    if wanted(Level::Memory) {
        steps.step("sanitizer", memory::sanitizer);
        steps.step("valgrind", memory::valgrind);
        steps.step("Miri", memory::miri);
    }
    steps.finish()
}

/// Runs these tests of all packages, so that all are built with the same features; also when some fail. What was done, in a line.
fn cargo_test(which: &[&str], all: bool, what: &str) -> Result<String> {
    // `nohup` and shells without job control ignore signals that the tests send.
    let mut cargo = Command::new("env");
    compile::without_outer_cargo(&mut cargo);
    cargo.arg("--default-signal").arg(compile::cargo().get_program()).current_dir(paths::root());
    cargo.args(["test", "--no-fail-fast", "--workspace"]).args(which);
    cargo.envs(all.then_some(("PROFRT_CLANGS", "all")));
    run::tests(&mut cargo)?;
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

/// How the targets are built: their coverage guides libFuzzer, and AddressSanitizer watches.
const FUZZ_FLAGS: &str = "--cfg=fuzzing -Zsanitizer=address -Cdebug-assertions -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Cllvm-args=-sanitizer-coverage-stack-depth";

/// Damaged profiles are read and merged for some seconds. (What a unit test can damage is part of the unit tests.)
fn fuzz(seconds: u32) -> Result<String> {
    let directory = paths::root().join("fuzz");
    if !works(nightly("fuzz").arg("--version")) {
        return Ok("left out; `rustup toolchain install nightly` brings it".to_owned());
    }
    // As `cargo fuzz`, which need not be installed, does it.
    let host = target::host();
    let mut build = nightly("fuzz");
    build.args(["build", "--quiet", "--release", "--bins", "--target", &host]).current_dir(&directory);
    run::run(build.env("RUSTFLAGS", FUZZ_FLAGS)).context("the fuzz targets do not build")?;
    let programs = paths::target().join("fuzz").join(&host).join("release");
    // The images in its profiles live for ever.
    let mut seeds = Command::new(programs.join("seeds"));
    run::run(seeds.env("ASAN_OPTIONS", "detect_leaks=0")).context("no first inputs for the fuzz targets")?;
    run::each(&FUZZ_TARGETS, |name| {
        let [artifacts, corpus] = ["artifacts", "corpus"].map(|kind| directory.join(kind).join(name));
        fs::create_dir_all(&artifacts).and_then(|()| fs::create_dir_all(&corpus))?;
        let mut target = Command::new(programs.join(name));
        target.arg(corpus).arg(format!("-artifact_prefix={}/", artifacts.display()));
        target.arg(format!("-max_total_time={seconds}")).args(["-max_len=8192", "-rss_limit_mb=1024", "-timeout=10"]);
        run::quiet(target.arg(format!("-dict={}", directory.join("profdata.dict").display())))
            .with_context(|| format!("fuzz/artifacts/{name} has an input that breaks the target"))
    })?;
    Ok(format!("{seconds} s each: {}", FUZZ_TARGETS.join(", ")))
}
