//! Programs of rustc with profrt in place of `profiler_builtins`, as README.md says: coverage, profiles for the optimiser, and back.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::dist;
use xtask::paths;
use xtask::toolchain::{self, Clang};

const PROGRAM: &str = r#"
fn one(x: u64) -> u64 { x + 1 }
fn two(x: u64) -> u64 { x * 2 }

#[unsafe(no_mangle)]
#[inline(never)]
pub fn work(f: fn(u64) -> u64, n: u64) -> u64 {
    if n % 4 == 0 { f(n) } else { n }
}

fn main() {
    if std::env::args().nth(1).is_some() {
        std::process::abort();
    }
    let mut sum = 0;
    for i in 0..100 {
        sum += work(std::hint::black_box(if i < 80 { one } else { two }), i);
    }
    // On a thread as well.
    sum += std::thread::spawn(move || work(one, sum)).join().unwrap();
    println!("{sum}");
}
"#;

/// Runs a program in continuous mode: aborted before it has called `work`, and to its end.
fn assert_continuous(program: &Path, directory: &Path) {
    let clang = toolchain::newest().unwrap();
    for (argument, count) in [(Some("abort"), 0), (None, 101)] {
        let raw = directory.join("c.profraw");
        let output =
            Command::new(program).args(argument).env("LLVM_PROFILE_FILE", directory.join("c%c.profraw")).output();
        let output = output.unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.success(), argument.is_none());
        let shown = common::run(Command::new(&clang.profdata).args(["show", "--function=work", "--counts"]).arg(&raw));
        assert!(shown.contains(&format!("Function count: {count}\n")), "{shown}");
    }
}

/// A compiler, and the options that link profrt.
struct Rustc {
    toolchain: &'static str,
    options: Vec<String>,
    clang: Clang,
}

impl Rustc {
    /// `None` where the toolchain is missing, or no LLVM tools are there that read its profiles.
    fn find(toolchain: &'static str, options: &[&str]) -> Option<Rustc> {
        let output = Command::new("rustup").args(["run", toolchain, "rustc", "-vV"]).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let version = text.lines().find_map(|line| line.strip_prefix("LLVM version: "))?;
        let llvm: u32 = version.split('.').next()?.parse().ok()?;
        let Ok(clang) = toolchain::newest() else { return None };
        let raw = match llvm {
            19..=22 => 10,
            23 => 11,
            _ => return None,
        };
        if clang.raw < raw {
            eprintln!("rustc {toolchain}: left out, its LLVM is {llvm} and the newest tools are {}", clang.version);
            return None;
        }
        let library = dist::build(raw).unwrap().library;
        let mut options: Vec<String> = options.iter().map(|option| (*option).to_owned()).collect();
        options.extend(["-L".to_owned(), library.parent().unwrap().display().to_string()]);
        options.extend(["-l", "static:-bundle=profrt"].map(str::to_owned));
        Some(Rustc { toolchain, options, clang })
    }

    fn compile(&self, directory: &Path, arguments: &[&str]) {
        let source = common::write(directory, "program.rs", PROGRAM);
        let mut rustc = Command::new("rustup");
        rustc.args(["run", self.toolchain, "rustc", "--edition=2024", "-Ccodegen-units=1"]).args(arguments);
        common::run(rustc.arg(&source).current_dir(directory));
    }

    /// Compiles with the instrumentation, runs, and merges the profile into `x.profdata`.
    fn profile(&self, directory: &Path, instrumentation: &[&str]) {
        let mut arguments: Vec<&str> = self.options.iter().map(String::as_str).collect();
        arguments.extend(instrumentation);
        self.compile(directory, &arguments);
        let program = directory.join("program");
        common::assert_ours(&program);
        // LLVM's runtime makes the file when the program starts.
        let raw = directory.join("x.profraw");
        let aborted = Command::new(&program).arg("abort").env("LLVM_PROFILE_FILE", &raw).output().unwrap();
        assert!(!aborted.status.success() && !raw.exists(), "it is not profrt that writes the profile");
        let said = common::run(Command::new(&program).env("LLVM_PROFILE_FILE", &raw));
        assert!(!said.contains("Profile"), "{said}");
        let indexed = directory.join("x.profdata");
        common::run(Command::new(&self.clang.profdata).arg("merge").arg(&raw).arg("-o").arg(&indexed));
        let shown = common::run(Command::new(&self.clang.profdata).args(["show", "--function=work"]).arg(&indexed));
        assert!(shown.contains("Maximum function count: 101"), "{shown}");
    }

    fn coverage(&self) {
        let scratch = tempfile::tempdir().unwrap();
        self.profile(scratch.path(), &["-Cinstrument-coverage"]);
        let mut cov = Command::new(&self.clang.cov);
        cov.args(["export", "--format=lcov"]).arg(scratch.path().join("program"));
        let lcov = common::run(cov.arg("--instr-profile").arg(scratch.path().join("x.profdata")));
        assert!(lcov.contains("FNDA:101,work"), "{lcov}");
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

#[test]
fn coverage_of_a_stable_rust_program() {
    Rustc::find("stable", &[]).unwrap().coverage();
}

#[test]
fn continuous_mode_of_a_stable_rust_program() {
    let scratch = tempfile::tempdir().unwrap();
    let rustc = Rustc::find("stable", &[]).unwrap();
    let object = dist::beside(&dist::build(rustc.clang.raw).unwrap().library);
    let link = format!("-Clink-arg={}", object.display());
    for option in [&*link, "-Cllvm-args=-runtime-counter-relocation"] {
        let mut arguments: Vec<&str> = rustc.options.iter().map(String::as_str).collect();
        arguments.extend(["-Cinstrument-coverage", option]);
        rustc.compile(scratch.path(), &arguments);
        assert_continuous(&scratch.path().join("program"), scratch.path());
    }
}

#[test]
fn a_stable_rust_program_and_back_to_the_optimiser() {
    let rustc = Rustc::find("stable", &[]).unwrap();
    rustc.optimised(&[]);
    rustc.optimised(&["-Clto=fat"]);
}

#[test]
fn nightly_without_its_own_runtime() {
    if let Some(rustc) = Rustc::find("nightly", &["-Zno-profiler-runtime"]) {
        rustc.coverage();
        rustc.optimised(&[]);
    }
}

#[test]
fn as_a_crate_with_lto_too() {
    let scratch = tempfile::tempdir().unwrap();
    let root = paths::root().display().to_string();
    let manifest = format!(
        "[workspace]\n[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\nprofrt = {{ path = {root:?} }}\n[profile.release]\nlto = \"fat\"\n"
    );
    common::write(scratch.path(), "Cargo.toml", &manifest);
    common::write(scratch.path(), "src/main.rs", &format!("extern crate profrt;\n{PROGRAM}"));
    let relocation = "-Cinstrument-coverage -Cllvm-args=-runtime-counter-relocation";
    for (options, directory, flags) in [
        (&["build"][..], "debug", "-Cinstrument-coverage"),
        (&["build", "--release"], "release", "-Cinstrument-coverage"),
        (&["build"], "debug", relocation),
    ] {
        let mut cargo = dist::compile::cargo();
        cargo.args(options).arg("--quiet").current_dir(scratch.path());
        let target = paths::target().join("as-crate");
        cargo.env("CARGO_TARGET_DIR", &target).env("RUSTFLAGS", flags);
        common::run(&mut cargo);
        let program = target.join(directory).join("user");
        common::assert_ours(&program);
        let raw = scratch.path().join("x.profraw");
        let aborted = Command::new(&program).arg("abort").env("LLVM_PROFILE_FILE", &raw).output().unwrap();
        assert!(!aborted.status.success() && !raw.exists(), "it is not profrt that writes the profile");
        common::run(Command::new(&program).env("LLVM_PROFILE_FILE", &raw));
        let clang = toolchain::newest().unwrap();
        let shown = common::run(Command::new(&clang.profdata).args(["show", "--function=work", "--counts"]).arg(&raw));
        assert!(shown.contains("Function count: 101"), "{shown}");
        fs::remove_file(&raw).unwrap();
        if flags == relocation {
            assert_continuous(&program, scratch.path());
        }
    }
}
