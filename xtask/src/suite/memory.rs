//! The unit tests once more, where a read or write that is none of ours is noticed: in Miri, which knows most, and in what can be had
//! where there is no Miri. (Test builds have `core`'s checks for null, alignment and overlap in any case.)

use anyhow::{Context, Result};

use testkit::dist::compile;
use testkit::run::Ran;
use testkit::{run, target};

use super::{PURE, nightly};

/// One target with 32 bits, one with the other byte order and 64 bits.
const MIRI_TARGETS: [&str; 2] = ["i686-unknown-linux-gnu", "s390x-unknown-linux-gnu"];

/// Random cases of a property: each takes many times as long as usual.
const CASES: &str = "32";

/// All unit tests under AddressSanitizer: what lies outside of an object, or in one that is gone.
pub fn sanitizer() -> Result<Ran> {
    let host = target::host();
    let mut cargo = nightly("sanitizer");
    // With a target given, build scripts are compiled as always.
    cargo.args(["test", "--package", "profrt", "--lib", "--target", &host]);
    cargo.env("RUSTFLAGS", "-Zsanitizer=address").env("PROPTEST_CASES", CASES);
    // Records of the tests live for ever.
    cargo.env("ASAN_OPTIONS", "detect_leaks=0");
    run::tests(&mut cargo).context("AddressSanitizer found something, or cannot run")
}

/// The unit tests under valgrind: decisions that depend on what was never written, and what the assembly reads and writes, which the
/// sanitizer does not see.
pub fn valgrind() -> Result<Ran> {
    let name = target::host().to_uppercase().replace('-', "_");
    let mut cargo = compile::cargo();
    // Not those in which one thread spins until another one was interrupted: here threads run one at a time.
    cargo.args(["test", "--package", "profrt", "--lib", "--", "--skip", "interrupt"]);
    cargo.env("PROPTEST_CASES", CASES);
    cargo.env(format!("CARGO_TARGET_{name}_RUNNER"), "valgrind --quiet --error-exitcode=9");
    run::tests(&mut cargo).context("valgrind found something, or cannot run")
}

/// The pure modules once more, in an interpreter that notices what compiled code may get away with.
pub fn miri() -> Result<Ran> {
    let mut ran = Ran::default();
    for target in MIRI_TARGETS {
        let mut cargo = nightly("miri");
        cargo.args(["miri", "test", "--package", "profrt", "--package", "profrt-format", "--lib"]);
        cargo.args(["--target", target, "--"]).args(PURE);
        // Interpreting is slow: fewer random cases; and the sources of proptest's seeds are files and clocks.
        cargo.env("PROPTEST_CASES", "8").env("MIRIFLAGS", "-Zmiri-disable-isolation");
        ran = ran
            .and(run::tests(&mut cargo).with_context(|| format!("Miri found something, or cannot run, for {target}"))?);
    }
    Ok(ran)
}
