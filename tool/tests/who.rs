//! `profrt cov who`: which tests ran a line, which a change concerns.

#[path = "who/changes.rs"]
mod changes;

use needs_macros::needs;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::{newest, run};
use serde_json::{Value, json};
use testkit::toolchain::Clang;

const PROGRAM: &str = "#include <stdlib.h>
#define TWICE(x) ((x) + (x))
static int pick(int x) {
  switch (x) {
  case 1:
    return 10;
  case 2:
    return 20;
  default:
    return TWICE(x);
  }
}
static int unused(int x) {
  return x;
}

int main(int argc, char **argv) {
  int x = atoi(argv[1]);
  if (x > 100)
    return unused(x);
  return pick(x) == 0;
}
";

fn build(clang: &Clang, dir: &Path, source: &str, text: &str) {
    fs::write(dir.join(source), text).unwrap();
    let compiler = if source.ends_with(".cpp") { &clang.clangxx } else { &clang.clang };
    let flags = ["-fprofile-instr-generate", "-fcoverage-mapping", "-w", source, "-o", "app"];
    run(Command::new(compiler).args(flags).current_dir(dir));
}

fn profile(dir: &Path, name: &str, word: &str) {
    run(Command::new(dir.join("app")).arg(word).current_dir(dir).env("LLVM_PROFILE_FILE", name));
}

/// Runs `profrt cov who`. Returns its exit status, and both streams.
fn who(dir: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = common::profrt(dir).arg("who").args(arguments).output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), out, error)
}

/// Three tests, one of which has two processes.
fn three(clang: &Clang, dir: &Path) {
    build(clang, dir, "a.c", PROGRAM);
    for (name, word) in [("one-%p", "1"), ("one-%p", "1"), ("two_%m", "2"), ("seven", "7")] {
        profile(dir, &format!("p/{name}.profraw"), word);
    }
    let (status, _, error) = who(dir, &["p", "--object", "app", "-o", "tests.who"]);
    assert_eq!((status, error.as_str()), (0, "tests.who: 3 tests in 4 profiles\n"));
}

#[needs("clang")]
fn lines_have_their_tests() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    three(&clang, dir);
    // Nothing else is read.
    for file in ["app", "a.c", "p"] {
        fs::rename(dir.join(file), dir.join(format!("gone-{file}"))).unwrap();
    }
    let ask = |places: &[&str]| who(dir, &[&["tests.who"], places].concat());
    for (place, tests, note) in [
        ("a.c:6", "one\n", ""),
        ("a.c:8", "two\n", ""),
        ("a.c:10", "seven\n", ""),
        ("a.c:4", "one\nseven\ntwo\n", ""),
        ("a.c:5-8", "one\ntwo\n", ""),
        ("a.c:14", "", "note: a.c:14: no test ran it\n"),
        ("a.c:1", "", "note: a.c:1: no code\n"),
        ("pick", "one\nseven\ntwo\n", ""),
        ("unused", "", "note: unused: no test ran it\n"),
    ] {
        assert_eq!(ask(&[place]), (0, tests.into(), note.into()), "{place}");
    }
    assert_eq!(ask(&["a.c:6", "a.c:10"]).1, "one\nseven\n");
    for wrong in ["b.c:1", "a.c", "a.c:x", "a.c:2-1", "c:1", "ick", ""] {
        assert_eq!(ask(&[wrong]).0, 2, "{wrong}");
    }
    assert_eq!(ask(&["--unique", "two"]).1.lines().count(), 1);
    assert!(ask(&["--unique", "two"]).1.ends_with("a.c:7-8\n"));
    assert_eq!(ask(&["--unique", "three"]).0, 2);
    assert_eq!(ask(&["--unique", "two", "a.c:1"]).0, 2, "two questions");
    let (_, all, _) = ask(&["--json"]);
    let all: Value = serde_json::from_str(&all).unwrap();
    let row = |test: &str, lines: u64, unique: u64| json!({"test": test, "lines": lines, "unique": unique});
    assert_eq!(all["all"], json!([row("one", 11, 2), row("seven", 12, 3), row("two", 11, 2)]), "{all:#}");
    assert_eq!(who(dir, &["app", "a.c:1"]).0, 2);
}

/// Writes a diff of a file, and returns what `--diff` says of it: the exit status, tests, those that ran changed lines, standard error.
fn change(dir: &Path, diff: &str, more: &[&str]) -> (i32, Value, Value, String) {
    fs::write(dir.join("change"), diff).unwrap();
    let (status, out, error) = who(dir, &[&["tests.who", "--diff", "change", "--json"], more].concat());
    let answer: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
    (status, answer["tests"].clone(), answer["ran_changed_lines"].clone(), error)
}

fn diff(hunk: &str) -> String {
    format!("--- a/a.c\n+++ b/a.c\n{hunk}")
}

#[needs("clang")]
fn changes_concern_the_tests_that_ran_their_functions() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    three(&clang, dir);
    // The test `seven` went past the new label.
    let label = diff("@@ -6,0 +7,2 @@\n+  case 7:\n+    return 70;\n");
    let all = json!(["one", "two", "seven"]);
    assert_eq!(change(dir, &label, &[]), (0, all.clone(), json!(["one", "two"]), String::new()));
    let line = diff("@@ -8 +8 @@\n-    return 20;\n+    return 21;\n");
    assert_eq!(change(dir, &line, &[]), (0, json!(["two", "one", "seven"]), json!(["two"]), String::new()));
    // Nobody ran it.
    let (status, tests, _, error) = change(dir, &diff("@@ -14 +13,0 @@\n-  return x;\n"), &[]);
    assert_eq!((status, tests), (0, json!([])));
    assert!(error.starts_with("note: ") && error.ends_with("a.c: in functions that no test ran: 14\n"), "{error}");
}

#[needs("clang")]
fn changes_outside_of_functions_concern_any_test() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    three(&clang, dir);
    for hunk in [
        "@@ -2 +2 @@\n-#define TWICE(x) ((x) + (x))\n+#define TWICE(x) (2 * (x))\n",
        "@@ -12,0 +13 @@\n+int added;\n",
        "@@ -16,0 +17 @@\n+int added;\n",
        "@@ -22,0 +23 @@\n+int added;\n",
        "@@ -0,0 +1 @@\n+#define NDEBUG\n",
        "diff --git a/a.c b/b.c\nrename from a.c\nrename to b.c\n",
    ] {
        let hunk = if hunk.starts_with('@') { diff(hunk) } else { hunk.to_owned() };
        let (status, _, _, error) = change(dir, &hunk, &[]);
        assert!(status == 1 && error.contains("a.c: in no function, so any test may depend on it: "), "{error}");
    }
    let binary = "diff --git a/data.bin b/data.bin\nBinary files a/data.bin and b/data.bin differ\n";
    let mode = "diff --git a/a.c b/a.c\nold mode 100644\nnew mode 100755\n";
    let renamed = "diff --git a/t.txt b/u.txt\nsimilarity index 100%\nrename from t.txt\nrename to u.txt\n";
    let text = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-a\n+b\n";
    for (diff, file) in
        [(binary, "data.bin"), (mode, "a.c"), (renamed, "t.txt"), (renamed, "u.txt"), (text, "README.md")]
    {
        let (status, tests, _, error) = change(dir, diff, &[]);
        let expected = format!("{file}: has no functions, so any test may depend on it\n");
        assert!(status == 1 && tests == json!([]) && error.contains(&expected), "{error}");
    }
    assert_eq!(change(dir, text, &["--ignore", r"\.md$"]).0, 0);
    let (status, _, _, error) = change(dir, text, &["--only", "src/*"]);
    assert_eq!(status, 0);
    assert_eq!(error, "note: --only and --ignore leave out all of the change: 1 file, as README.md\n");
}

#[needs("clang")]
fn changes_since_a_revision() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = &dir.path().canonicalize().unwrap();
    three(&clang, dir);
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        run(git.args(["-c", "user.name=a", "-c", "user.email=b"]).args(arguments).current_dir(dir));
    };
    git(&["init", "-q"]);
    git(&["add", "a.c"]);
    git(&["commit", "-q", "-m", "a"]);
    let since = || who(dir, &["tests.who", "--since", "HEAD"]);
    assert_eq!(since(), (0, String::new(), String::new()));
    fs::write(dir.join("a.c"), PROGRAM.replace("return 10", "return 11")).unwrap();
    assert_eq!(since(), (0, "one\nseven\ntwo\n".into(), String::new()));
    assert_eq!(who(dir, &["tests.who", "--since", "nothing"]).0, 2);
    // Patterns are of whole paths, or of what is below the working directory.
    let whole = dir.join("*.c").display().to_string();
    for only in ["a.c", &whole] {
        assert_eq!(who(dir, &["tests.who", "--since", "HEAD", "--only", only]).1, "one\nseven\ntwo\n", "{only}");
    }
    for (option, value) in [("--only", "*"), ("--ignore", "b"), ("--path-map", "a=b"), ("--compilation-dir", "/")] {
        assert_eq!(who(dir, &["tests.who", option, value]).0, 2, "{option} without effect");
    }
    assert_eq!(who(dir, &["tests.who", "--since", "HEAD", "--path-map", "a=b"]).0, 2);
}

#[needs("clang")]
fn tests_are_named_as_a_map_says() {
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    build(&clang, dir, "a.c", PROGRAM);
    for word in ["1", "2", "7"] {
        profile(dir, &format!("p/t_{word}.profraw"), word);
    }
    let make = |more: &[&str]| who(dir, &[&["p", "--object", "app", "-o", "o.who"], more].concat());
    assert!(make(&[]).2.starts_with("o.who: 1 test in 3 profiles"), "numbers are no names");
    fs::write(dir.join("map.json"), r#"{"t_7.profraw": "seven", "p/t_*": "small"}"#).unwrap();
    assert_eq!(make(&["--contexts", "map.json"]).2, "o.who: 2 tests in 3 profiles\n");
    assert_eq!(who(dir, &["o.who", "a.c:4"]).1, "small\nseven\n");
    // A part of a profile is lost.
    let bytes = fs::read(dir.join("p/t_2.profraw")).unwrap();
    fs::write(dir.join("p/t_2.profraw"), &bytes[..bytes.len() / 2]).unwrap();
    let (status, _, error) = make(&["--contexts", "map.json"]);
    assert!(status == 1 && error.contains("damaged: ") && error.contains("t_2.profraw"), "{error}");
    assert_eq!(who(dir, &["p/t_1.profraw", "--object", "app", "-o", "p/t_1.profraw"]).0, 2, "an input");
    assert_eq!(make(&["--contexts", "app"]).0, 2);
    assert_eq!(make(&["--json"]).0, 2, "a question and --object");
    fs::write(dir.join("empty.profraw"), "").unwrap();
    assert_eq!(who(dir, &["empty.profraw", "--object", "app", "-o", "o.who"]).0, 2);
}

/// The lines of each file that ran, as `profrt cov` says of a test's profiles.
fn covered(dir: &Path, program: &str, profiles: &[String]) -> BTreeSet<(String, u64)> {
    let output =
        common::profrt(dir).arg("cov").args(profiles).args(["--object", program, "--json", "-"]).output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut covered = BTreeSet::new();
    for file in report["files"].as_array().unwrap() {
        let lines = file["lines"].as_array().unwrap().iter().filter(|line| line[1].as_u64() > Some(0));
        let path = file["path"].as_str().unwrap();
        covered.extend(lines.map(|line| (path.to_owned(), line[0].as_u64().unwrap())));
    }
    covered
}

/// The same, as an index of this test alone says.
fn unique(dir: &Path, index: &str, test: &str) -> BTreeSet<(String, u64)> {
    let (_, answer, error) = who(dir, &[index, "--unique", test, "--json"]);
    let answer: Value = serde_json::from_str(&answer).unwrap_or_else(|_| panic!("{error}"));
    let mut unique = BTreeSet::new();
    for (path, runs) in answer["files"].as_object().unwrap() {
        for run in runs.as_array().unwrap() {
            let lines = run[0].as_u64().unwrap()..=run[1].as_u64().unwrap();
            unique.extend(lines.map(|line| (path.clone(), line)));
        }
    }
    unique
}

/// Templates, macros, a header, lambdas: each test has the lines that `profrt cov` says ran.
#[test]
fn tests_have_the_lines_of_cov() {
    const SOURCE: &str = "#include \"a.h\"
#include <cstdlib>
#define CHECK(x) do { if (!(x)) bad++; } while (0)
static int bad;
template <int N> int f(int x) {
  if constexpr (N == 1) {
    return x;
  } else {
    for (int i = 0; i < x; i++)
      CHECK(i < 2);
    return bad;
  }
}
static int once = [] { return 3; }();
int main(int argc, char **argv) {
  int x = atoi(argv[1]);
  auto g = [&](int y) {
    if (y > 3 && x > 0)
      return f<2>(y);

    return f<1>(y) + header(y);
  };
  switch (x) {
  case 1: return g(1) < 0;
  case 2: return g(5) + g(2) < 0;
  default: CHECK(x == 4 || once == 3); return 0;
  }
}
";
    let clang = newest();
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("a.h"), "inline int header(int x) {\n  if (x > 1)\n    return 2;\n  return 1;\n}\n").unwrap();
    build(&clang, dir, "a.cpp", SOURCE);
    let words = ["1", "2", "3", "4"];
    for word in words {
        profile(dir, &format!("p/t{word}.profraw"), word);
    }
    assert_eq!(who(dir, &["p", "--object", "app", "-o", "all.who"]).0, 0);
    for word in words {
        let profile = format!("p/t{word}.profraw");
        assert_eq!(who(dir, &[&profile, "--object", "app", "-o", "one.who"]).0, 0);
        let expected = covered(dir, "app", &[profile]);
        assert_eq!(unique(dir, "one.who", &format!("t{word}")), expected, "{word}");
        assert!(expected.len() > 4);
        for (path, line) in expected {
            let (_, tests, _) = who(dir, &["all.who", &format!("{path}:{line}")]);
            assert!(tests.lines().any(|test| test == format!("t{word}")), "{path}:{line}: {tests}");
        }
    }
}
