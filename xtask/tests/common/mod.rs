//! What the integration tests share: small sources, and compiling them.

#![allow(dead_code, reason = "each test program uses some of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::dist::ar::{self, Member};
use xtask::toolchain::Clang;

/// A program with one function that is called three times.
pub const PROGRAM: &str = "int work(int n) { return n > 1 ? n * 2 : 1; }
int main(void) { return work(1) + work(2) + work(3) == 11 ? 0 : 1; }
";

/// Runs the command and returns both its outputs; panics with them when it fails.
pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

/// Writes `text` to `directory/name`.
pub fn write(directory: &Path, name: &str, text: &str) -> PathBuf {
    let path = directory.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

/// An archive that looks like ours: one member with our naming, which defines `symbol`.
pub fn small_archive(directory: &Path, symbol: &str) -> PathBuf {
    let source = write(directory, &format!("{symbol}.c"), &format!("int {symbol} = 1;\n"));
    let object = source.with_extension("o");
    run(Command::new("cc").arg("-c").arg(&source).arg("-o").arg(&object));
    let member = Member { name: format!("profrt.{symbol}.o"), bytes: fs::read(&object).unwrap() };
    let archive = directory.join(format!("lib{symbol}.a"));
    fs::write(&archive, ar::write(&[member]).unwrap()).unwrap();
    archive
}

/// Runs an instrumented program and asserts that `llvm-profdata` of the same release finds `work` with three calls in its profile.
pub fn assert_profile(clang: &Clang, program: &Path) {
    let raw = program.with_extension("profraw");
    let _ = fs::remove_file(&raw);
    run(Command::new(program).env("LLVM_PROFILE_FILE", &raw));
    let indexed = program.with_extension("profdata");
    run(Command::new(&clang.profdata).arg("merge").arg(&raw).arg("-o").arg(&indexed));
    let shown = run(Command::new(&clang.profdata).args(["show", "--function=work", "--counts"]).arg(&indexed));
    assert!(shown.contains("Function count: 3"), "clang {}: {shown}", clang.version);
}

/// Asserts that the program was linked with profrt: rustc's names are in its symbol table.
pub fn assert_ours(program: &Path) {
    let names = run(Command::new("nm").arg(program));
    assert!(names.contains("6profrt"), "{} has no symbol of profrt:\n{names}", program.display());
}

/// Runs an instrumented program in continuous mode and asserts that its counters were mapped: nothing is said, and the file has pages.
pub fn assert_continuous(program: &Path) {
    let raw = program.with_extension("pages");
    let _ = fs::remove_file(&raw);
    let said = run(Command::new(program).env("LLVM_PROFILE_FILE", format!("{}%c", raw.display())));
    assert_eq!(said, "", "{}", program.display());
    let size = fs::metadata(&raw).unwrap().len();
    assert!(size > 8192, "{} has {size} bytes", raw.display());
}
