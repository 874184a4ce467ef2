//! Other languages whose compilers use LLVM, as docs/USE.md links them.

use std::path::Path;
use std::process::Command;

use crate::common::{assert_ours, run, write};
use testkit::dist;

/// Runs a program, and returns what LLVM's tool reads.
fn counts(program: &Path, llvm: u32) -> String {
    let profile = program.with_extension("profraw");
    run(Command::new(program).env("LLVM_PROFILE_FILE", &profile));
    run(Command::new(format!("llvm-profdata-{llvm}")).args(["show", "--all-functions", "--counts"]).arg(profile))
}

#[test]
#[ignore = "cargo xtask test --all runs it"]
fn fortran() {
    let scratch = tempfile::tempdir().unwrap();
    let source =
        "program t\n  integer :: i, s\n  s = 0\n  do i = 1, 10\n    s = s + i\n  end do\n  print *, s\nend program\n";
    let source = write(scratch.path(), "a.f90", source);
    let program = scratch.path().join("a");
    let mut flang = Command::new("flang-22");
    run(flang.arg("-fprofile-generate").arg(source).arg(dist::build(10).unwrap().library).arg("-o").arg(&program));
    assert_ours(&program);
    let counts = counts(&program, 22);
    assert!(counts.contains("Block counts: [10, 1]"), "{counts}");
}

#[test]
#[ignore = "cargo xtask test --all runs it"]
fn d() {
    let scratch = tempfile::tempdir().unwrap();
    let source = "int twice(int n) { return n > 5 ? n : 2 * n; }\nvoid main() { foreach (n; 0 .. 10) twice(n); }\n";
    let (source, object) = (write(scratch.path(), "a.d", source), scratch.path().join("a.o"));
    let program = scratch.path().join("a");
    let output = |path: &Path| format!("-of={}", path.display());
    run(Command::new("ldc2").args(["-c", "-fprofile-instr-generate"]).arg(source).arg(output(&object)));
    let mut link = Command::new("ldc2");
    link.arg(&object).arg(dist::build(8).unwrap().library).args(["-L-u", "-L__llvm_profile_runtime"]);
    run(link.arg(output(&program)));
    assert_ours(&program);
    let counts = counts(&program, 14);
    assert!(counts.contains("Function count: 10\n    Block counts: [4]"), "{counts}");
}
