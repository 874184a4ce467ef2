//! `profrt cov`: the programs below `tests/data/cov`, whose truth stands in their sources (`common::truth`). `build.sh` makes and runs a program
//! that is not just all sources of its directory, and writes the names of several programs to `objs`.

use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use walkdir::WalkDir;

use crate::common::truth::{check_lines, report};
use crate::common::{compilers, newest, profrt, run};
use testkit::toolchain::Clang;

const USUAL: &str = "case $(ls) in
*.rs*) rustc --edition 2024 -Cinstrument-coverage -o app main.rs ;;
*.cpp*) $CXX -std=c++20 $F *.cpp -o app ;;
*) $CC $F *.c -o app ;;
esac && ./app";

#[needs("clangs")]
fn truths() {
    let cases = Path::new("tests/data/cov").read_dir().unwrap().map(|case| case.unwrap().path());
    let (mut wrong, mut number) = (Vec::new(), 0);
    for case in cases {
        let is_rust = case.join("main.rs").exists();
        // Clang 19 damages the mapping of a function that a file of system headers is in: `llvm-cov` 19 refuses the program.
        let is_written = |clang: &&Clang| !case.to_string_lossy().contains("isystem") || clang.version != 19;
        for clang in compilers().iter().rev().take(if is_rust { 1 } else { usize::MAX }).filter(is_written) {
            check(&case, clang, &mut wrong);
            number += 1;
        }
    }
    assert!(number > 20 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[needs("clang")]
fn programs_without_build_ids_are_not_told_apart() {
    let (case, clang) = (Path::new("tests/data/cov/mains"), newest());
    let build = fs::read_to_string(case.join("build.sh")).unwrap().replace("--build-id", "--build-id=none");
    let (dir, arguments) = made(case, &clang, &build);
    let output = profrt(dir.path()).arg("cov").args(arguments).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("note: 6 functions of several programs"), "{told}");
}

#[needs("clang")]
fn what_only_another_program_ran_is_unknown() {
    let (case, clang) = (Path::new("tests/data/cov/mains"), newest());
    let third = "$CC $F -Wl,--build-id=0x33 one.c -o three; ./three";
    let build = fs::read_to_string(case.join("build.sh")).unwrap();
    let build = build.replace("./one", third).replace(" three.o", "");
    let (dir, arguments) = made(case, &clang, &build);
    let report = report(dir.path(), &arguments);
    let classes = report["account"].as_array().unwrap().iter().map(|row| row["class"].as_str().unwrap());
    // Only one program has `work_one`.
    assert_eq!(classes.collect::<Vec<_>>(), ["used", "not-run", "unknown"]);
}

#[needs("clang")]
fn a_source_that_is_shorter_than_its_mapping_has_changed() {
    let (case, clang) = (Path::new("tests/data/cov/mains"), newest());
    let cut = "\nhead -n 3 one.c > cut; mv cut one.c; touch -d 2001-01-01 one.c";
    let build = fs::read_to_string(case.join("build.sh")).unwrap() + cut;
    let (dir, arguments) = made(case, &clang, &build);
    let output = profrt(dir.path()).arg("cov").args(arguments).output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("one.c has changed") && !told.contains("two.c"), "{told}");
}

/// Builds and runs a program. Returns what `profrt cov` is told.
fn made(case: &Path, clang: &Clang, build: &str) -> (TempDir, Vec<String>) {
    let dir = tempfile::tempdir().unwrap();
    run(Command::new("cp").arg("-r").arg(case.join(".")).arg(dir.path()));
    let mut shell = Command::new("sh");
    shell.args(["-ec", build]).current_dir(&dir).env("CC", &clang.clang).env("CXX", &clang.clangxx);
    shell.env("F", "-w -fprofile-instr-generate -fcoverage-mapping");
    run(shell.env("LLVM_PROFILE_FILE", dir.path().join("prof/%p-%m.profraw")));
    let programs = fs::read_to_string(dir.path().join("objs")).unwrap_or_else(|_| "app".to_owned());
    let programs = programs.split_whitespace().map(|program| format!("--object={program}"));
    let arguments = ["prof".to_owned()].into_iter().chain(programs).collect();
    (dir, arguments)
}

fn check(case: &Path, clang: &Clang, wrong: &mut Vec<String>) {
    let build = fs::read_to_string(case.join("build.sh")).unwrap_or_else(|_| USUAL.to_owned());
    let (dir, arguments) = made(case, clang, &build);
    let files = WalkDir::new(case).into_iter().filter_map(|entry| {
        let path = entry.unwrap().into_path();
        let name = path.strip_prefix(case).unwrap().to_str()?.to_owned();
        Some((name, fs::read_to_string(&path).ok()?))
    });
    let files: Vec<(String, String)> = files.collect();
    let sources: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let what = format!("clang {}, {}", clang.version, case.display());
    check_lines(&what, &report(dir.path(), &arguments), &sources, wrong);
}
