//! `profrt cov run`: one command from a build to the report. And programs of a directory that did not run.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use needs_macros::needs;
use serde_json::Value;

use crate::common::{newest, run};

const FLAGS: [&str; 2] = ["-fprofile-instr-generate", "-fcoverage-mapping"];

/// Writes files below a directory.
fn write(directory: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        fs::create_dir_all(directory.join(name).parent().unwrap()).unwrap();
        fs::write(directory.join(name), text).unwrap();
    }
}

/// Runs `profrt cov` there.
fn cov(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_profrt"));
    command.arg("cov").args(arguments).current_dir(directory).env_remove("RUSTC_WORKSPACE_WRAPPER");
    command.env_remove("LLVM_PROFILE_FILE").env_remove("CARGO_TARGET_DIR").output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Covered and all lines of each file, by the ends of their paths.
fn lines(report: &[u8], file: &str) -> [u64; 2] {
    let report: Value = serde_json::from_slice(report).unwrap();
    let files = report["files"].as_array().unwrap();
    let found = files
        .iter()
        .find(|one| Path::new(one["path"].as_str().unwrap()).ends_with(file))
        .unwrap_or_else(|| panic!("{file}"));
    ["covered", "count"].map(|what| found["totals"]["lines"][what].as_u64().unwrap())
}

const CMAKE: [(&str, &str); 5] = [
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)
project(t CXX)
enable_testing()
add_library(lib STATIC used.cpp unused.cpp)
add_executable(one one.cpp)
target_link_libraries(one lib)
add_executable(two two.cpp)
target_link_libraries(two lib)
add_test(NAME one COMMAND one)
add_test(NAME a+b COMMAND two)
add_test(NAME script COMMAND true)
",
    ),
    ("used.cpp", "int used(int x) {\n  if (x)\n    return 1;\n  return 0;\n}\n"),
    ("unused.cpp", "int unused(int x) {\n  return x;\n}\n"),
    ("one.cpp", "int used(int);\nint main() {\n  return used(0);\n}\n"),
    ("two.cpp", "int used(int);\nint main(int c, char **v) {\n  if (c > 1)\n    return 1;\n  return used(1) - 1;\n}\n"),
];

#[needs("clang", "cmake")]
fn a_cmake_project() {
    let (dir, clang) = (tempfile::tempdir().unwrap(), newest());
    write(dir.path(), &CMAKE);
    let flags = format!("-DCMAKE_CXX_FLAGS={}", FLAGS.join(" "));
    let compiler = format!("-DCMAKE_CXX_COMPILER={}", clang.clangxx.display());
    run(Command::new("cmake").current_dir(dir.path()).args(["-B", "build", &compiler, &flags]));
    run(Command::new("cmake").current_dir(dir.path()).args(["--build", "build"]));
    let output = cov(dir.path(), &["run", "--fail-on", "mismatched", "--", "ctest", "--test-dir", "build"]);
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("unused.cpp:1-3") && text.contains("page: ") && !text.contains("left out"), "{text}");
    assert!(dir.path().join(".profrt/coverage/index.html").is_file());
    // A source that is linked into no program.
    let output = cov(dir.path(), &["--json", "-"]);
    let expected = [("unused.cpp", [0, 3]), ("used.cpp", [5, 5]), ("one.cpp", [3, 3]), ("two.cpp", [4, 5])];
    for (file, expected) in expected {
        assert_eq!(lines(&output.stdout, file), expected, "{file}");
    }
    // Each test alone.
    let output = cov(dir.path(), &["run", "--each-test", "--", "ctest", "--test-dir", "build"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for (place, tests) in [("used.cpp:3", "a+b\n"), ("used.cpp:2", "a+b\none\n"), ("one.cpp:3", "one\n")] {
        assert_eq!(String::from_utf8_lossy(&cov(dir.path(), &["who", place]).stdout), tests, "{place}");
    }
    let who = cov(dir.path(), &["who", "used.cpp:2", "--ctest"]);
    let chosen = String::from_utf8(who.stdout).unwrap();
    assert_eq!(chosen, "^(a\\+b|one)$\n");
    let mut ctest = Command::new("ctest");
    let listed = run(ctest.args(["--test-dir", "build", "-N", "-R", chosen.trim()]).current_dir(dir.path()));
    assert!(String::from_utf8_lossy(&listed).contains("Total Tests: 2"));
    write(dir.path(), &[("d", "--- a/CMakeLists.txt\n+++ b/CMakeLists.txt\n@@ -1 +1 @@\n-x\n+y\n")]);
    let any = cov(dir.path(), &["who", "--diff", "d", "--ctest"]);
    assert_eq!((any.status.code(), any.stdout.as_slice()), (Some(1), &b".\n"[..]), "any test may need it");
    // Of `script` no line is known.
    write(dir.path(), &[("d", "--- a/one.cpp\n+++ b/one.cpp\n@@ -3 +3 @@\n-x\n+y\n")]);
    let some = cov(dir.path(), &["who", "--diff", "d", "--ctest"]);
    assert_eq!((some.status.code(), some.stdout.as_slice()), (Some(0), &b"^(one|script)$\n"[..]), "{}", said(&some));
    let all = cov(dir.path(), &["who"]);
    assert!(said(&all).ends_with("3 tests\n"), "{}", said(&all));
    let none = cov(dir.path(), &["run", "--each-test", "--", "build/one"]);
    assert!(none.status.code() == Some(2) && said(&none).contains("lists no tests"), "{}", said(&none));
    // What failed is no less reported, and a threshold holds.
    let command = ["--", "sh", "-c", "ctest --test-dir build; exit 7"];
    let failed = cov(dir.path(), &[&["run", "--outside", "--html", "one.html"], &command[..]].concat());
    assert_eq!(failed.status.code(), Some(7), "{}", said(&failed));
    for words in ["page: one.html\n", "note: the command failed (exit status 7): what it did not run counts as not run"]
    {
        assert!(said(&failed).contains(words), "{}", said(&failed));
    }
    // --ignore takes the path that the table has.
    let output = cov(dir.path(), &["--ignore", "^u", "--json", "-"]);
    assert!(!String::from_utf8_lossy(&output.stdout).contains("used.cpp"), "{}", said(&output));
    let few = cov(dir.path(), &["run", "--fail-under", "lines=90", "--", "build/one"]);
    assert_eq!(few.status.code(), Some(1), "{}", said(&few));
    let none = cov(dir.path(), &["who", "used.cpp:2"]);
    assert!(none.status.code() == Some(2) && said(&none).contains("was not with --each-test"), "{}", said(&none));
}

#[test]
#[ignore = "cargo xtask test --all runs it"]
fn a_library_that_pytest_loads() {
    let dir = tempfile::tempdir().unwrap();
    let library = "int one(int x) { return x + 1; }\nint two(int x) { return x + 2; }\n";
    let tests = "import ctypes, os, pytest
m = ctypes.CDLL(os.path.abspath('m.so'))
@pytest.mark.parametrize('x', [1, 2])
def test_one(x): assert m.one(x) == x + 1
class TestTwo:
    def test_two(self): assert m.two(1) == 3
";
    write(dir.path(), &[("m.c", library), ("t/test_m.py", tests)]);
    let mut clang = Command::new(&newest().clang);
    run(clang.args(FLAGS).args(["-shared", "-fPIC", "m.c", "-o", "m.so"]).current_dir(dir.path()));
    let output = cov(dir.path(), &["run", "--each-test", "--", "pytest", "t"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let each = [
        ("m.c:1", "t/test_m.py::test_one[1]\nt/test_m.py::test_one[2]\n"),
        ("m.c:2", "t/test_m.py::TestTwo::test_two\n"),
    ];
    for (place, tests) in each {
        assert_eq!(String::from_utf8_lossy(&cov(dir.path(), &["who", place]).stdout), tests);
    }
}

#[test]
fn a_workspace_of_rust() {
    let dir = tempfile::tempdir().unwrap();
    let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let library = "pub fn twice(x: u32) -> u32 {
    if x == 7 {
        return 9;
    }
    2 * x
}
#[test]
fn it() {
    assert_eq!(twice(2), 4);
}
";
    write(dir.path(), &[("Cargo.toml", manifest), ("src/lib.rs", library)]);
    let arguments = ["run", "--rust", "--json", "a.json", "--", "cargo", "test", "--offline"];
    let output = cov(dir.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(lines(&fs::read(dir.path().join("a.json")).unwrap(), "src/lib.rs"), [5, 6]);
    // The program of the first run is still there.
    fs::write(dir.path().join("src/lib.rs"), format!("// A line more.\n{library}")).unwrap();
    let output = cov(dir.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(lines(&fs::read(dir.path().join("a.json")).unwrap(), "src/lib.rs"), [5, 6]);
}

/// Each test of a workspace alone, of which two have one name.
fn each_test_of_a_workspace(runner: &[&str]) {
    let dir = tempfile::tempdir().unwrap();
    let of = |package: &str| format!("[package]\nname = \"{package}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    let test = "#[test]\nfn it() {\n  assert_eq!(1, 1);\n}\n#[test]\nfn other() {\n}\n";
    let workspace = of("a") + "[workspace]\nmembers = [\"b-c\"]\n";
    let files = [("Cargo.toml", workspace.as_str()), ("src/lib.rs", test), ("b-c/Cargo.toml", &of("b-c"))];
    write(dir.path(), &files);
    write(dir.path(), &[("b-c/src/lib.rs", ""), ("b-c/tests/t.rs", &test.replace("other", "third"))]);
    let command = [&["run", "--each-test", "--", "cargo"], runner, &["--offline", "--workspace"]].concat();
    let each = cov(dir.path(), &command);
    assert_eq!(each.status.code(), Some(0), "{}", said(&each));
    for (place, test) in
        [("lib.rs:3", "a it\n"), ("lib.rs:7", "other\n"), ("t.rs:3", "b-c::t it\n"), ("t.rs:7", "third\n")]
    {
        let who = cov(dir.path(), &["who", place]);
        assert_eq!(String::from_utf8_lossy(&who.stdout), test, "{place}: {}", said(&who));
    }
}

#[test]
fn tests_of_one_name_in_a_workspace_are_told_apart() {
    each_test_of_a_workspace(&["test"]);
}

#[test]
#[ignore = "cargo xtask test --all runs it"]
fn tests_of_nextest() {
    each_test_of_a_workspace(&["nextest", "run"]);
}

#[test]
fn without_a_profile_it_says_which_flags_are_missing() {
    let dir = tempfile::tempdir().unwrap();
    let output = cov(dir.path(), &["run", "--", "true"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("-fprofile-instr-generate -fcoverage-mapping"), "{}", said(&output));
    let output = cov(dir.path(), &["run", "--", "sh", "-c", "exit 3"]);
    assert!(output.status.code() == Some(3) && said(&output).contains("before any program"), "{}", said(&output));
    let output = cov(dir.path(), &["run", "--", "./none"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("./none cannot be started"), "{}", said(&output));
    fs::remove_dir_all(dir.path().join(".profrt")).unwrap();
    let output = cov(dir.path(), &[]);
    assert!(output.status.code() == Some(2) && said(&output).contains("cov run"), "{}", said(&output));
}

#[test]
fn errors_that_are_known_before_the_command_runs_are_reported_then() {
    let dir = tempfile::tempdir().unwrap();
    run(Command::new("git").args(["init", "-q"]).current_dir(dir.path()));
    write(dir.path(), &[("full/x", ""), ("report", "{"), ("d", "x")]);
    let cases: [(&[&str], &str); 13] = [
        (&["--lcov", "-", "--json", "-"], "two outputs"),
        (&["--since", "nope"], "bad revision"),
        (&["--diff", "d"], "no unified diff"),
        (&["--only", "["], "--only"),
        (&["--ignore", "("], "--ignore"),
        (&["--fail-under", "line=80"], "--fail-under"),
        (&["--fail-under", "new-lines=80"], "needs --since"),
        (&["--baseline", "report"], "report is no report"),
        (&["--baseline", "none"], "none cannot be read"),
        (&["--who", "d", "--html", "h"], "d: no file of"),
        (&["--lcov", "none/lcov"], "none/lcov cannot be written"),
        (&["--html", "full"], "full has other things"),
        (&["--html", "d/page"], "d/page cannot be written"),
    ];
    let refused = |arguments: &[&str], says: &str| {
        let output = cov(dir.path(), &[&["run"], arguments, &["--", "touch", "ran"]].concat());
        assert!(output.status.code() == Some(2) && said(&output).contains(says), "{arguments:?}: {}", said(&output));
    };
    cases.iter().for_each(|(arguments, says)| refused(arguments, says));
    write(dir.path(), &[("profrt.toml", "[cov]\nonly = \"[\"\n")]);
    refused(&[], "--only");
    let mut left: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    left.sort();
    assert_eq!(left, [".git", "d", "full", "profrt.toml", "report"], "nothing ran, and nothing was written");
}

/// Its paths are relative to it.
#[needs("clang")]
fn the_options_of_a_directory_above_are_used_up_to_the_repository() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().canonicalize().unwrap();
    let repository = top.join("r");
    let options = "[cov]\nobject = \"b\"\nonly = [\"src/*\"]\npath-map = \"/made=src\"\n";
    let main = "int g(void);\nint main(void) { return g(); }\n";
    let other = "int g(void) { return 0; }\n";
    write(&repository, &[("src/f.c", main), ("t/src/g.c", other), (".git/x", ""), ("profrt.toml", options)]);
    fs::create_dir(repository.join("b")).unwrap();
    let mut clang = Command::new(&newest().clang);
    clang.arg(format!("-fcoverage-prefix-map={}=/made", repository.join("src").display()));
    run(clang.args(FLAGS).args(["src/f.c", "t/src/g.c", "-o", "b/f"]).current_dir(&repository));
    let files = || {
        let output = cov(&repository.join("t"), &["run", "--json", "-", "--", "../b/f"]);
        let report: Value = serde_json::from_slice(&output.stdout).map_err(|_| said(&output))?;
        let files = report["files"].as_array().unwrap().iter();
        Ok::<_, String>(files.map(|file| file["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(files(), Ok(vec!["src/f.c".to_owned()]));
    fs::rename(repository.join("profrt.toml"), top.join("profrt.toml")).unwrap();
    assert!(files().unwrap_err().contains("there is no program"), "it is another repository's");
}

/// Of more object files than a process has open at first, one is cut.
#[needs("clang")]
fn a_directory_has_many_object_files() {
    let (dir, clang) = (tempfile::tempdir().unwrap(), newest());
    write(dir.path(), &[("f.c", "int f(int x) {\n  return x;\n}\n"), ("b/cut.o", "\x7fELF")]);
    for number in 0..40 {
        let name = format!("-Df=f{number}");
        let mut compile = Command::new(&clang.clang);
        run(compile.current_dir(dir.path()).args(FLAGS).args([&name, "-c", "f.c", "-o"]).arg(format!("b/{number}.o")));
    }
    let report = "ulimit -Sn 32; exec \"$0\" cov --object b --json -";
    let mut shell = Command::new("sh");
    shell.args(["-c", report, env!("CARGO_BIN_EXE_profrt")]).current_dir(dir.path());
    let output = shell.output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(said(&output).contains("b/cut.o: is left out: "), "{}", said(&output));
    assert_eq!(lines(&output.stdout, "f.c"), [0, 3]);
}

/// A function of another program with the same name, as `main`, is no older version of the one that did not run.
#[needs("clang")]
fn a_program_that_did_not_run_is_not_stale() {
    let (dir, clang) = (tempfile::tempdir().unwrap(), newest());
    let two = "int main(int c, char **v) {\n  if (c > 1)\n    return 1;\n  return 0;\n}\n";
    write(dir.path(), &[("one.c", "int main(void) { return 0; }\n"), ("two.c", two)]);
    fs::create_dir(dir.path().join("b")).unwrap();
    let build = || {
        for name in ["one", "two"] {
            let mut compile = Command::new(&clang.clang);
            compile.current_dir(dir.path()).args(FLAGS).args(["-Wl,--build-id", "-o"]);
            run(compile.arg(format!("b/{name}")).arg(format!("{name}.c")));
        }
    };
    build();
    run(Command::new(dir.path().join("b/one")).env("LLVM_PROFILE_FILE", dir.path().join("p.profraw")));
    let output = cov(dir.path(), &["p.profraw", "--object", "b", "--json", "-", "--fail-on", "stale"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(lines(&output.stdout, "two.c"), [0, 5]);
    assert_eq!(lines(&output.stdout, "one.c"), [1, 1]);
    run(Command::new(dir.path().join("b/two")).env("LLVM_PROFILE_FILE", dir.path().join("q.profraw")));
    for (object, is_known) in [("b/one", false), ("b", true)] {
        let text = said(&cov(dir.path(), &["p.profraw", "q.profraw", "--object", object]));
        assert_eq!(!text.contains("note: cannot find 1 file that ran"), is_known, "{text}");
    }
    // Built again, it is left out: then a limit is no limit.
    write(
        dir.path(),
        &[("one.c", "int main(void) { return 1 - 1; }\n"), ("two.c", &two.replace("return 1", "return 2"))],
    );
    build();
    let arguments = ["p.profraw", "--object", "b", "--fail-under", "lines=50"];
    let output = cov(dir.path(), &arguments);
    let text = said(&output);
    assert!(output.status.code() == Some(1) && text.contains("other build: 1 functions"), "{text}");
    assert!(text.contains("note: cannot find 1 file that ran (programs, libraries): built again"), "{text}");
    let output = cov(dir.path(), &[&arguments[..], &["--fail-on", "stale"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
}
