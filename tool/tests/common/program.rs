//! The program of the tests of `profrt report quality`.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use testkit::toolchain::Clang;

use super::{ended, newest, run};

const SOURCE: &str = r#"
#include <string.h>
struct Base { virtual int f(int x) { return x + 1; } virtual ~Base() {} };
struct Derived : Base { int f(int x) override { return x * 2; } };
extern "C" int outside(int);
__attribute__((noinline)) static int helper(int x) { return x % 3 ? x : -x; }
__attribute__((noinline)) int never(int x) { return x ? 1 : 2; }
#ifdef CHANGED
__attribute__((noinline)) int stale(int x) { while (x > 5) x -= helper(x) ? 2 : 1; if (x) x++; return x; }
__attribute__((noinline)) int added(int x) { return x; }
#else
__attribute__((noinline)) int stale(int x) { int s = 0; for (int i = 0; i < x; i++) s += helper(i); return s; }
__attribute__((noinline)) int gone(int x) { return x - 1; }
#endif
__attribute__((noinline)) long run(Base *b, int n) { long s = 0; for (int i = 0; i < n; i++) s += b->f(i); return s; }
__attribute__((noinline)) int call(int (*f)(int), int x) { return f(x); }
int (*volatile outside_pointer)(int) = outside, (*volatile helper_pointer)(int) = helper;
int main(int argc, char **argv) {
  Derived d; Base b;
  long s = run(&d, 3000) + run(&b, 1000) + stale(900 + argc);
#ifndef CHANGED
  s += gone(argc);
#else
  if (argc > 100) s += added(argc) + never(argc);
#endif
  for (int i = 0; i < 500; i++) s += call(outside_pointer, i);
  for (int i = 0; i < 500; i++) s += call(helper_pointer, i);
  return s == 0 ? never(argc) : 0;
}
"#;

/// Compiles the program, with `flags` for all but the function `outside`.
pub fn build(clang: &Clang, directory: &Path, name: &str, flags: &[&str]) {
    fs::write(directory.join("p.cpp"), SOURCE).unwrap();
    fs::write(directory.join("outside.c"), "int outside(int x) { return x + 1; }\n").unwrap();
    run(Command::new(&clang.clang).current_dir(directory).args(["-O1", "-c", "outside.c"]));
    let mut command = Command::new(&clang.clangxx);
    run(command.current_dir(directory).args(["-O1", "-g"]).args(flags).args(["p.cpp", "outside.o", "-o", name]));
}

/// Runs a program; its profile has its name.
pub fn profile_of(directory: &Path, name: &str) {
    let program = directory.join(name);
    let status =
        ended(Command::new(program).env("LLVM_PROFILE_FILE", directory.join(format!("{name}.profraw")))).status;
    assert!(status.success());
}

/// Builds `app` with the newest clang and makes its profile, in a new directory. Builds those of `others` that are named beside it:
/// `changed`, with other sources, and `plain`, without instrumentation.
pub fn program_and(others: &[&str]) -> TempDir {
    let clang = newest();
    let directory = tempfile::tempdir().unwrap();
    build(&clang, directory.path(), "app", &["-fprofile-generate"]);
    for name in others {
        let flags: &[&str] = match *name {
            "changed" => &["-fprofile-generate", "-DCHANGED"],
            "plain" => &[],
            _ => panic!("there is no program {name}"),
        };
        build(&clang, directory.path(), name, flags);
    }
    profile_of(directory.path(), "app");
    directory
}
