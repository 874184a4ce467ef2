//! What the integration tests share: small sources, and compiling them.

#![allow(dead_code, reason = "each test program uses some of it")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use testkit::dist::ar::{self, Member};
use testkit::toolchain::{self, Clang};

/// A program with one function that is called three times.
pub const PROGRAM: &str = "int some_work(int n) { return n > 1 ? n * 2 : 1; }
int main(void) { return some_work(1) + some_work(2) + some_work(3) == 11 ? 0 : 1; }
";

/// A Rust program whose `some_work` (rustc's names of units have no underscore, but may contain `work`) is called 101 times, unless it is told to abort at once.
pub const RUST_PROGRAM: &str = r#"
fn one(x: u64) -> u64 { x + 1 }
fn two(x: u64) -> u64 { x * 2 }

#[unsafe(no_mangle)]
#[inline(never)]
pub fn some_work(f: fn(u64) -> u64, n: u64) -> u64 {
    if n % 4 == 0 { f(n) } else { n }
}

fn main() {
    if std::env::args().nth(1).is_some() {
        std::process::abort();
    }
    let mut sum = 0;
    for i in 0..100 {
        sum += some_work(std::hint::black_box(if i < 80 { one } else { two }), i);
    }
    // On a thread as well.
    sum += std::thread::spawn(move || some_work(one, sum)).join().unwrap();
    println!("{sum}");
}
"#;

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

/// Runs an instrumented program and asserts that `llvm-profdata` of the same release finds `some_work` with three calls in its profile.
pub fn assert_profile(clang: &Clang, program: &Path) {
    let raw = program.with_extension("profraw");
    let _ = fs::remove_file(&raw);
    run(Command::new(program).env("LLVM_PROFILE_FILE", &raw));
    let indexed = program.with_extension("profdata");
    run(Command::new(&clang.profdata).arg("merge").arg(&raw).arg("-o").arg(&indexed));
    let shown = run(Command::new(&clang.profdata).args(["show", "--function=some_work", "--counts"]).arg(&indexed));
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

/// Asserts that [`RUST_PROGRAM`] was linked with profrt and counts, and leaves its profile merged as `indexed`.
pub fn assert_rust_profile(clang: &Clang, program: &Path, indexed: &Path) {
    assert_ours(program);
    // LLVM's runtime makes the file when the program starts.
    let raw = indexed.with_extension("profraw");
    let aborted = Command::new(program).arg("abort").env("LLVM_PROFILE_FILE", &raw).output().unwrap();
    assert!(!aborted.status.success() && !raw.exists(), "it is not profrt that writes the profile");
    let said = run(Command::new(program).env("LLVM_PROFILE_FILE", &raw));
    assert!(!said.contains("Profile"), "{said}");
    run(Command::new(&clang.profdata).arg("merge").arg(&raw).arg("-o").arg(indexed));
    fs::remove_file(&raw).unwrap();
    let shown = run(Command::new(&clang.profdata).args(["show", "--function=some_work", "--counts"]).arg(indexed));
    // The front end's first counter is the function's; the optimiser's are an entry and a branch, or both branches.
    let front_end = shown.contains("Function count: 101\n");
    let counts = shown.split_once("Block counts: [").and_then(|(_, rest)| rest.split_once(']'));
    let counts: Vec<u64> = counts.map_or("", |(counts, _)| counts).split(", ").filter_map(|n| n.parse().ok()).collect();
    let optimiser = counts.first() == Some(&101) || counts.iter().sum::<u64>() == 101;
    assert!(front_end || optimiser, "{shown}");
}

/// Runs [`RUST_PROGRAM`] in continuous mode: aborted before it has called `some_work`, and to its end.
pub fn assert_rust_continuous(program: &Path) {
    let directory = program.parent().unwrap();
    let clang = toolchain::newest().unwrap();
    for (argument, count) in [(Some("abort"), 0), (None, 101)] {
        let raw = directory.join("c.profraw");
        let output =
            Command::new(program).args(argument).env("LLVM_PROFILE_FILE", directory.join("c%c.profraw")).output();
        let output = output.unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.success(), argument.is_none());
        let shown = run(Command::new(&clang.profdata).args(["show", "--function=some_work", "--counts"]).arg(&raw));
        assert!(shown.contains(&format!("Function count: {count}\n")), "{shown}");
    }
}
