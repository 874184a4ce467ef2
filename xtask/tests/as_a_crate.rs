//! profrt as a dependency in a Cargo.toml: with stable rustc, for both kinds of instrumentation, with and without LTO.
//!
//! All crates are instrumented, profrt among them, as `RUSTFLAGS` does it.

mod common;

use std::path::Path;
use std::process::Command;

use common::{run, write};
use xtask::dist::compile::cargo;
use xtask::toolchain;

const MAIN: &str = "use profrt as _;

#[inline(never)]
fn work(n: usize) -> usize {
    if n > 1 { n * 2 } else { 1 }
}

fn main() {
    let calls: [fn(usize) -> usize; 2] = [work, |n| n];
    let sum: usize = (0..10).map(|n| calls[n % 2](n)).sum();
    assert_eq!(sum, 1 + 4 + 8 + 12 + 16 + 1 + 3 + 5 + 7 + 9);
}
";

/// A package that depends on this checkout.
fn package(directory: &Path) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n\n\
         [dependencies]\nprofrt = {{ path = {root:?} }}\n\n\
         [profile.fat]\ninherits = \"release\"\nlto = \"fat\"\n"
    );
    write(directory, "Cargo.toml", &manifest);
    write(directory, "src/main.rs", MAIN);
}

/// Builds the package, runs it, and returns what `llvm-profdata` shows of `work`.
fn profile(directory: &Path, flags: &str, profile: &str) -> String {
    let built = if profile == "dev" { "debug" } else { profile };
    run(cargo()
        .args(["build", "--quiet", "--profile", profile])
        .current_dir(directory)
        .env("CARGO_TARGET_DIR", directory.join("target"))
        .env("RUSTFLAGS", flags));
    let raw = directory.join("out/user.profraw");
    let program = directory.join("target").join(built).join("user");
    // The official runtime does not know this variable: the warning shows who runs.
    let said = run(Command::new(program).env("LLVM_PROFILE_FILE", &raw).env("PROFRT_MAX_VALUE_NODES", "many"));
    assert!(said.contains("PROFRT_MAX_VALUE_NODES is ignored"), "{flags} {profile}: another runtime: {said}");
    // rustc's LLVM is the newest here; an older reader may not know its names, but all read the raw version.
    let clangs = toolchain::clangs();
    let newest = clangs.iter().max_by_key(|clang| clang.version).expect("a clang is installed");
    let shown = run(Command::new(&newest.profdata).args(["show", "--all-functions", "--counts"]).arg(&raw));
    std::fs::remove_file(&raw).unwrap();
    shown
}

#[test]
fn coverage_and_pgo_with_every_kind_of_lto() {
    let directory = tempfile::tempdir().unwrap();
    package(directory.path());
    for flags in ["-Cinstrument-coverage", "-Cprofile-generate"] {
        for name in ["dev", "fat"] {
            let shown = profile(directory.path(), flags, name);
            let work =
                shown.split("user4work").nth(1).unwrap_or_else(|| panic!("{flags} {name}: no `work` in {shown}"));
            let count = if flags.contains("coverage") { "Function count: 5" } else { "Block counts: [" };
            let record = work.lines().take(6).collect::<Vec<_>>().join("\n");
            assert!(record.contains(count), "{flags} {name}: {record}");
        }
    }
}
