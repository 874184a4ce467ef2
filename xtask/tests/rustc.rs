//! Programs of rustc with profrt in place of `profiler_builtins`, as docs/RUST.md says: coverage, profiles for the optimiser, and back.

use crate::common;
use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use testkit::dist;
use testkit::paths;
use testkit::toolchain::{self, Clang};

/// A compiler, and the options that link profrt.
struct Rustc {
    toolchain: &'static str,
    options: Vec<String>,
    clang: Clang,
}

/// The compiler of a toolchain; where there is no rustup, the only one.
fn command(toolchain: &str) -> Command {
    if paths::find_program("rustup").is_none() {
        return Command::new("rustc");
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["run", toolchain, "rustc"]);
    rustup
}

impl Rustc {
    fn find(toolchain: &'static str, options: &[&str]) -> Rustc {
        let version = common::run(command(toolchain).arg("-vV"));
        let llvm = version.lines().find_map(|line| line.strip_prefix("LLVM version: ")).unwrap();
        // Releases of rustc that use LLVM 19 to 22, and later ones.
        let raw = if llvm.split('.').next().unwrap().parse::<u32>().unwrap() < 23 { 10 } else { 11 };
        let library = dist::build(raw).unwrap().library;
        let mut options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        options.extend(["-L".to_owned(), library.parent().unwrap().display().to_string()]);
        options.extend(["-l", "static:-bundle=profrt"].map(str::to_owned));
        Rustc { toolchain, options, clang: toolchain::newest().unwrap() }
    }

    fn compile(&self, directory: &Path, arguments: &[&str]) {
        let source = common::write(directory, "program.rs", common::RUST_PROGRAM);
        let mut rustc = command(self.toolchain);
        rustc.args(["--edition=2024", "-Ccodegen-units=1"]).args(arguments);
        common::run(rustc.arg(&source).current_dir(directory));
    }

    /// Compiles with the instrumentation, runs, and merges the profile into `x.profdata`.
    fn profile(&self, directory: &Path, instrumentation: &[&str]) {
        let mut arguments: Vec<&str> = self.options.iter().map(String::as_str).collect();
        arguments.extend(instrumentation);
        self.compile(directory, &arguments);
        common::assert_rust_profile(&self.clang, &directory.join("program"), &directory.join("x.profdata"));
    }

    fn coverage(&self) {
        let scratch = tempfile::tempdir().unwrap();
        self.profile(scratch.path(), &["-Cinstrument-coverage"]);
        let mut cov = Command::new(&self.clang.cov);
        cov.args(["export", "--format=lcov"]).arg(scratch.path().join("program"));
        let lcov = common::run(cov.arg("--instr-profile").arg(scratch.path().join("x.profdata")));
        assert!(lcov.contains("FNDA:101,some_work"), "{lcov}");
    }

    fn optimised(&self, options: &[&str]) {
        let scratch = tempfile::tempdir().unwrap();
        let generate = [&["-Cprofile-generate", "-Copt-level=2"], options].concat();
        self.profile(scratch.path(), &generate);
        self.compile(scratch.path(), &["-Cprofile-use=x.profdata", "-Copt-level=2", "--emit=llvm-ir"]);
        let ir = fs::read_to_string(scratch.path().join("program.ll")).unwrap();
        // A quarter of the 100 numbers of `main` comes to the call, 20 of them with one target, 5 with the other: both promoted.
        for expected in [
            r#"!{!"function_entry_count", i64 101}"#,
            r#"!{!"branch_weights", i32 25, i32 76}"#,
            "icmp eq ptr %f, @",
            r#"!{!"branch_weights", i32 20, i32 5}"#,
            r#"!{!"branch_weights", i32 5, i32 0}"#,
        ] {
            assert!(ir.contains(expected), "{expected} is not in\n{ir}");
        }
    }
}

#[needs("clang-22")]
fn coverage_of_a_stable_rust_program() {
    Rustc::find("stable", &[]).coverage();
}

#[needs("clang-22")]
fn continuous_mode_of_a_stable_rust_program() {
    let scratch = tempfile::tempdir().unwrap();
    let rustc = Rustc::find("stable", &[]);
    let object = dist::beside(&dist::build(rustc.clang.raw).unwrap().library);
    let link = format!("-Clink-arg={}", object.display());
    for option in [&*link, "-Cllvm-args=-runtime-counter-relocation"] {
        let mut arguments: Vec<&str> = rustc.options.iter().map(String::as_str).collect();
        arguments.extend(["-Cinstrument-coverage", option]);
        rustc.compile(scratch.path(), &arguments);
        common::assert_rust_continuous(&scratch.path().join("program"));
    }
}

#[needs("clang-22")]
fn a_stable_rust_program_and_back_to_the_optimiser() {
    let rustc = Rustc::find("stable", &[]);
    rustc.optimised(&[]);
    rustc.optimised(&["-Clto=fat"]);
}

#[test]
#[ignore = "cargo xtask test --all runs it"]
fn nightly_without_its_own_runtime() {
    let rustc = Rustc::find("nightly", &["-Zno-profiler-runtime"]);
    rustc.coverage();
    rustc.optimised(&[]);
}
