//! `cargo xtask test`: the steps, which of them run, and what they need. What is missing is red, or listed as ignored.

mod fuzz;
mod memory;
mod pages;
mod portable;
pub mod python;
mod steps;

use std::env;
use std::process::Command;
use std::thread;

use anyhow::{Result, bail};
use testkit::dist::{self, compile};
use testkit::run::Ran;
use testkit::toolchain::Packages;
use testkit::{paths, run, target};

use crate::{audit, embedded, package};
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

/// Steps that belong together.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Unit tests of all crates, examples in documentation, value sites under all interleavings of threads; no clang needed
    Unit,
    /// The C programs, and the tests of archives, installing, rustc, `profdata` and the tool
    C,
    /// The pages of `profrt cov`, `live` and `report` in Chromium
    Pages,
    /// The Python package, with Ray and Spark on this machine
    Python,
    /// Firmware, and Linux on other CPUs, in QEMU
    Devices,
    /// C and Rust programs for WebAssembly, in wasmtime and node
    Wasm,
    /// C and Rust programs for Windows, in wine; C programs for macOS, in a loader of the tests
    Windows,
    /// Builds and unit tests for other CPUs, and without compare-and-swap
    Portable,
    /// Damaged profiles for the merges and readers
    Fuzz,
    /// The unit tests under AddressSanitizer, valgrind and Miri
    Memory,
}

/// How to test.
#[derive(clap::Args)]
pub struct Options {
    /// All steps of one level; without it, what every change needs
    #[arg(value_enum)]
    pub level: Option<Level>,
    /// Every step, each in full: all programs with every release of clang, all devices and CPUs, fuzzing for a minute a target
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub packages: Packages,
}

struct Step {
    name: &'static str,
    level: Level,
    /// Whether every change needs it.
    usual: bool,
    /// What has to be there. Without it the step does not run, but [`PROGRAMS`] does: each of its tests is ignored by itself.
    needs: &'static [&'static str],
    work: fn(&Options) -> Result<Ran>,
}

/// The C programs, and what else is tested with compilers.
const PROGRAMS: &str = "programs";

#[rustfmt::skip]
const OF_PROGRAMS: &[&str] = &[
    "clangs", "llvm-13", "llvm-15", "gcc", "m32", "make", "cmake", "pkg-config", "strace", "valgrind", "ld.gold", "musl-gcc", "genhtml",
    "xmllint", "script", "zstd",
];
/// What only `--all` needs of them.
const OF_ALL: &[&str] = &["cargo-tools", "coverage-readers", "flang", "go", "ldc", "nightly", "pytest"];
const WASM: &[&str] = &["clang-22", "wasi", "node", "python3", "rust-sources", "gcc"];
const WINDOWS: &[&str] = &["clang-22", "wine", "node", "rust-sources", "gcc"];
const MACOS: &[&str] = &["clang-22", "node", "rust-sources", "gcc"];
const BROWSER: &[&str] = &["clang", "chromium", "node", "npm"];

#[rustfmt::skip]
const STEPS: &[Step] = &[
    step(Level::Unit, true, "unit tests", &[], |options| cargo_test(options, &["--lib", "--bins"])),
    step(Level::Unit, true, "documentation", &[], |options| cargo_test(options, &["--doc"])),
    step(Level::Unit, false, "features of profdata", &[], |_| portable::features()),
    step(Level::Unit, false, "loom", &[], |_| loom()),
    step(Level::C, true, "archives", &[], |_| archives()),
    step(Level::C, true, "no panic", &[], |_| no_panic()),
    step(Level::C, true, PROGRAMS, OF_PROGRAMS, |options| cargo_test(options, &["--test=*"])),
    step(Level::Pages, true, "pages", BROWSER, |options| pages::tests(options.packages)),
    step(Level::Python, true, "Python", &["clang", "python3"], |_| python::package()),
    step(Level::Python, false, "Ray and Spark", &["clang", "python3", "java"], |_| python::fleet()),
    step(Level::Devices, true, "devices", embedded::NEEDS, |options| embedded::run(|cpu| options.all || cpu == embedded::USUAL, options.packages)),
    step(Level::Wasm, true, "WebAssembly", WASM, |options| run::tests(Command::new("tests/wasm/run.sh").args((options.all || options.level.is_some()).then_some("--all")).env("CARGO_TARGET_DIR", paths::target()))),
    step(Level::Windows, false, "Windows", WINDOWS, |options| run::tests(Command::new("tests/windows/run.sh").args(options.all.then_some("--all")).env("CARGO_TARGET_DIR", paths::target()))),
    step(Level::Windows, false, "macOS", MACOS, |_| run::tests(Command::new("tests/macos/run.sh").env("CARGO_TARGET_DIR", paths::target()))),
    step(Level::Portable, false, "atomics", &[], |_| portable::atomics()),
    step(Level::Portable, false, "no system", &[], |options| portable::bare(options.packages)),
    step(Level::Portable, false, "i686", portable::I686.needs, |options| portable::I686.test(options.packages)),
    step(Level::Portable, false, "s390x", portable::S390X.needs, |options| portable::S390X.test(options.packages)),
    step(Level::Portable, false, "release", &["musl-gcc", "python3"], |options| release(options.packages)),
    step(Level::Fuzz, false, "fuzzing", &["nightly"], |options| fuzz::run(if options.all { 60 } else { 5 })),
    step(Level::Memory, false, "AddressSanitizer", &["nightly"], |_| memory::sanitizer()),
    step(Level::Memory, false, "valgrind", &["valgrind"], |_| memory::valgrind()),
    step(Level::Memory, false, "Miri", &["miri"], |_| memory::miri()),
];

const fn step(
    level: Level,
    usual: bool,
    name: &'static str,
    needs: &'static [&'static str],
    work: fn(&Options) -> Result<Ran>,
) -> Step {
    Step { name, level, usual, needs, work }
}

/// Runs the steps that were asked for: all of them, also when some fail.
pub fn run(options: &Options) -> Result<()> {
    let wanted = |step: &&Step| options.level.map_or(step.usual || options.all, |level| level == step.level);
    let chosen: Vec<&Step> = STEPS.iter().filter(wanted).collect();
    let mut steps = Steps::begin(options.packages.install || options.all || env::var_os("CI").is_some());
    let mut needs: Vec<&str> = chosen.iter().flat_map(|step| step.needs).copied().collect();
    needs.extend(OF_ALL.iter().filter(|_| options.all));
    // Once for all steps.
    if options.packages.install {
        steps.step("packages", || options.packages.bring(&needs).map(|()| Ran::default()));
    }
    for step in chosen {
        let missing = step.needs.iter().find(|name| step.name != PROGRAMS && !needs::is_met(name));
        steps.step(step.name, || match missing {
            Some(need) => Ok(Ran::without(need)),
            None => (step.work)(options),
        });
    }
    steps.finish()
}

/// Runs these tests of all packages, so that all are built with the same features; also when some fail.
fn cargo_test(options: &Options, which: &[&str]) -> Result<Ran> {
    // `nohup` and shells without job control ignore signals that the tests send.
    let mut cargo = Command::new("env");
    compile::without_outer_cargo(&mut cargo);
    cargo.arg("--default-signal").arg(compile::cargo().get_program()).current_dir(paths::root());
    // The wheel has tests of its own.
    // Many wait for what they have started.
    cargo.env("RUST_TEST_THREADS", (2 * thread::available_parallelism()?.get()).to_string());
    cargo.args(["test", "--no-fail-fast", "--workspace", "--exclude=profrt-python"]).args(which);
    if options.all {
        cargo.env("PROFRT_CLANGS", "all").args(["--", "--include-ignored"]);
    }
    run::tests(&mut cargo)
}

fn archives() -> Result<Ran> {
    dist::RAW_VERSIONS.into_iter().try_for_each(|raw| dist::build(raw).map(drop))?;
    Ok(Ran::of(dist::RAW_VERSIONS.len()))
}

/// Proves for each raw version that nothing in the archive can panic.
fn no_panic() -> Result<Ran> {
    for raw in dist::RAW_VERSIONS {
        let ways = audit::panics::check(raw, &target::host())?;
        if !ways.is_empty() {
            bail!("raw {raw}: {}", ways.join("\n"));
        }
    }
    Ok(Ran::of(dist::RAW_VERSIONS.len()))
}

/// Makes what a release uploads: the crates, each built from what was packed of it, and the packages.
fn release(packages: Packages) -> Result<Ran> {
    // Cargo keeps what it has unpacked of another run, and would build that.
    let unpacked = "cd \"${CARGO_HOME:-$HOME/.cargo}/registry\" && rm -rf src/-*/profdata-* src/-*/profrt-*";
    run::run(Command::new("sh").args(["-c", unpacked]))?;
    let mut cargo = compile::cargo();
    cargo.args(["package", "--quiet", "--locked", "--allow-dirty"]);
    run::run(cargo.args(package::CRATES.map(|name| format!("--package={name}"))))?;
    let options = package::Options { output: None, tool: None, libc: package::Static::Musl, packages };
    Ok(Ran::of(package::CRATES.len() + package::pack(&options)?.len()))
}

/// The lists of value sites, under the interleavings of threads that `tests/loom` bounds.
fn loom() -> Result<Ran> {
    let mut cargo = compile::cargo();
    cargo.args(["test", "--no-fail-fast", "--manifest-path"]).arg(paths::root().join("tests/loom/Cargo.toml"));
    cargo.env("CARGO_TARGET_DIR", paths::target().join("loom"));
    run::tests(&mut cargo)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_need_is_known() {
        for step in STEPS {
            for name in step.needs {
                assert!(needs::find(name).is_some(), "{} needs {name}", step.name);
            }
        }
    }
}
