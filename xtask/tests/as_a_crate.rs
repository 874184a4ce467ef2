//! profrt as a dependency in a Cargo.toml: with stable rustc, for both kinds of instrumentation, with and without LTO.
//!
//! All crates are instrumented, profrt among them, as `RUSTFLAGS` does it.

use crate::common;
use needs_macros::needs;
use std::process::Command;
use testkit::dist::compile::cargo;
use testkit::{paths, toolchain};

const RELOCATED: &str = "-Cinstrument-coverage -Cllvm-args=-runtime-counter-relocation";

#[needs("clang")]
fn coverage_and_pgo_with_and_without_lto() {
    let directory = tempfile::tempdir().unwrap();
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nprofrt = {{ path = {:?} }}\n\n\
         [profile.fat]\ninherits = \"release\"\nlto = \"fat\"\n",
        paths::root()
    );
    common::write(directory.path(), "Cargo.toml", &manifest);
    // The versions that are there already: no registry is asked.
    std::fs::copy(paths::root().join("Cargo.lock"), directory.path().join("Cargo.lock")).unwrap();
    common::write(directory.path(), "src/main.rs", &format!("use profrt as _;\n{}", common::RUST_PROGRAM));
    // rustc's LLVM is the newest here; an older reader may not know its names, but all read the raw version.
    let clang = toolchain::newest().unwrap();
    let target = paths::target().join("as-crate");
    for (flags, profile, built) in [
        ("-Cinstrument-coverage", "dev", "debug"),
        ("-Cinstrument-coverage", "fat", "fat"),
        ("-Cprofile-generate", "dev", "debug"),
        ("-Cprofile-generate", "fat", "fat"),
        (RELOCATED, "dev", "debug"),
    ] {
        let mut build = cargo();
        build.args(["build", "--quiet", "--profile", profile]).current_dir(directory.path());
        // The most codegen units.
        build.env("CARGO_INCREMENTAL", "1");
        common::run(build.env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", flags));
        let program = directory.path().join("user");
        common::run(Command::new("cp").arg(target.join(built).join("user")).arg(&program));
        common::assert_rust_profile(&clang, &program, &directory.path().join("x.profdata"));
        if flags == RELOCATED {
            common::assert_rust_continuous(&program);
        }
    }
}
