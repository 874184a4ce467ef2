//! The unit tests once more, where a read or write that is none of ours is noticed: in Miri, which knows most, and in what can be had
//! where there is no Miri. (Test builds have `core`'s checks for null, alignment and overlap in any case.)

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{PURE, nightly, works};
use testkit::dist::compile;
use testkit::{paths, run, target};

/// One target with 32 bits, one with the other byte order and 64 bits.
const MIRI_TARGETS: [(&str, &str); 2] =
    [("i686-unknown-linux-gnu", "32 bits"), ("s390x-unknown-linux-gnu", "big-endian")];

/// Random cases of a property: each takes many times as long as usual.
const CASES: &str = "32";

/// All unit tests under AddressSanitizer: what lies outside of an object, or in one that is gone. What was done, in a line.
pub fn sanitizer() -> Result<String> {
    let libraries = Command::new("rustup").args(["run", "nightly", "rustc", "--print", "target-libdir"]).output();
    let there = |libraries: &[u8]| {
        Path::new(String::from_utf8_lossy(libraries).trim()).join("librustc-nightly_rt.asan.a").is_file()
    };
    if !libraries.is_ok_and(|output| there(&output.stdout)) {
        return Ok("left out; `rustup toolchain install nightly` brings it, where there is one".to_owned());
    }
    let host = target::host();
    let mut cargo = nightly("sanitizer");
    // With a target given, build scripts are compiled as always.
    cargo.args(["test", "--quiet", "--package", "profrt", "--lib", "--target", &host]);
    cargo.env("RUSTFLAGS", "-Zsanitizer=address").env("PROPTEST_CASES", CASES);
    // Records of the tests live for ever.
    cargo.env("ASAN_OPTIONS", "detect_leaks=0");
    run::run(&mut cargo).context("AddressSanitizer found something, or cannot run")?;
    Ok("all unit tests under AddressSanitizer".to_owned())
}

/// The unit tests under valgrind: decisions that depend on what was never written, and what the assembly reads and writes, which the
/// sanitizer does not see. What was done, in a line.
pub fn valgrind() -> Result<String> {
    if paths::find_program("valgrind").is_none() {
        return Ok("left out; `apt-get install valgrind` brings it".to_owned());
    }
    let name = target::host().to_uppercase().replace('-', "_");
    let mut cargo = compile::cargo();
    // Not those in which one thread spins until another one was interrupted: here threads run one at a time.
    cargo.args(["test", "--quiet", "--package", "profrt", "--lib", "--", "--skip", "interrupt"]);
    cargo.env("PROPTEST_CASES", CASES);
    cargo.env(format!("CARGO_TARGET_{name}_RUNNER"), "valgrind --quiet --error-exitcode=9");
    run::run(&mut cargo).context("valgrind found something, or cannot run")?;
    Ok("all unit tests but two under valgrind".to_owned())
}

/// The pure modules once more, in an interpreter that notices what compiled code may get away with.
pub fn miri() -> Result<String> {
    if !works(nightly("miri").args(["miri", "--version"])) {
        return Ok("left out; `rustup toolchain install nightly --component miri,rust-src` brings it".to_owned());
    }
    for (target, _) in MIRI_TARGETS {
        let mut cargo = nightly("miri");
        cargo.args(["miri", "test", "--package", "profrt", "--package", "profrt-format", "--lib"]);
        cargo.args(["--target", target, "--"]).args(PURE);
        // Interpreting is slow: fewer random cases; and the sources of proptest's seeds are files and clocks.
        cargo.env("PROPTEST_CASES", "8").env("MIRIFLAGS", "-Zmiri-disable-isolation");
        run::run(&mut cargo).with_context(|| format!("Miri found something, or cannot run, for {target}"))?;
    }
    Ok(format!("the pure modules: {}", MIRI_TARGETS.map(|(_, what)| what).join(", ")))
}
