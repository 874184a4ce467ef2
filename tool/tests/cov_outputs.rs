//! `profrt cov`: what people look at, and what it says without a profile.

use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::{newest, run};
use serde_json::Value;

const SOURCE: &str = "static int pick(int x) {
  if (x > 1)
\treturn 2;
  return 0;
}
int unused(int x) {

  return x;
}
int main(int argc, char **argv) { return pick(argc); }
";

/// Builds and runs a program; `app` and `app.profraw` are it and its profile.
fn built(dir: &Path) {
    fs::write(dir.join("a,b.c"), SOURCE).unwrap();
    let flags = ["-fprofile-instr-generate", "-fcoverage-mapping", "-w", "a,b.c", "-o", "app"];
    run(Command::new(newest().clang).args(flags).current_dir(dir));
    run(Command::new(dir.join("app")).current_dir(dir).env("LLVM_PROFILE_FILE", "app.profraw"));
}

/// Runs `profrt cov` with the program. Returns its exit status, and both streams.
fn cov(dir: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = common::profrt(dir).args(["cov", "--object", "app"]).args(arguments).output().unwrap();
    let [out, error] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code().unwrap(), out, error)
}

#[needs("clang")]
fn uncovered_lines_have_their_text() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    built(dir);
    let path = dir.join("a,b.c").display().to_string();
    let expected = format!(
        "{path}:3\n        return 2;\n{path}:6\n    int unused(int x) {{\n{path}:8-9\n      return x;\n    }}\n"
    );
    assert_eq!(cov(dir, &["app.profraw", "--uncovered", "-"]).1, expected);
    cov(dir, &["app.profraw", "--uncovered", "o"]);
    assert_eq!(fs::read_to_string(dir.join("o")).unwrap(), expected);
    // Without the source places are left.
    fs::remove_file(&path).unwrap();
    assert_eq!(cov(dir, &["app.profraw", "--uncovered", "-"]).1, format!("{path}:3\n{path}:6\n{path}:8-9\n"));
}

#[needs("clang")]
fn a_program_without_a_profile_has_not_run() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    built(dir);
    let [all, none] = [&["app.profraw", "--json", "-"][..], &["--json", "-"]].map(|arguments| {
        let (status, out, error) = cov(dir, arguments);
        assert_eq!(error.contains("no profile is given"), arguments.len() == 2, "{error}");
        assert_eq!(status, 0);
        serde_json::from_str::<Value>(&out).unwrap()
    });
    for part in ["functions", "lines", "regions", "branches"] {
        let of = |report: &Value, name| report["totals"][part][name].as_u64().unwrap();
        assert_eq!([of(&none, "count"), of(&none, "covered")], [of(&all, "count"), 0], "{part}");
        assert!(of(&all, "covered") > 0);
    }
    fs::write(dir.join("none.json"), none.to_string()).unwrap();
    let (status, out, _) = cov(dir, &["app.profraw", "--baseline", "none.json", "--summary", "-"]);
    assert!(status == 0 && out.contains("UBC 4, GBC 5"), "{out}");
    // An empty directory is no answer.
    fs::create_dir(dir.join("prof")).unwrap();
    assert_eq!(cov(dir, &["prof"]).0, 2);
    assert_eq!(cov(dir, &["--compat", "llvm-22"]).0, 2);
}

#[needs("clang")]
fn new_lines_that_did_not_run_are_annotated() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    built(dir);
    let line = |line: u32| format!("@@ -{line} +{line} @@\n-old\n+new\n");
    let diff = format!("--- a/a,b.c\n+++ b/a,b.c\n{}{}{}{}", line(3), line(4), line(8), line(9));
    fs::write(dir.join("change"), diff).unwrap();
    let expected = "::warning file=a%2Cb.c,line=3,endLine=3,title=Not covered::No test ran line 3\n\
                    ::warning file=a%2Cb.c,line=8,endLine=9,title=Not covered::No test ran lines 8-9\n";
    let change = ["app.profraw", "--diff", "change", "--github", "-"];
    assert_eq!(cov(dir, &change).1, expected);
    // Beside a baseline all lines are reported, and new ones annotated.
    assert_eq!(cov(dir, &["app.profraw", "--json", "base.json"]).0, 0);
    assert_eq!(cov(dir, &[&change[..], &["--baseline", "base.json"]].concat()).1, expected);
    assert_eq!(cov(dir, &["app.profraw", "--github", "-"]).0, 2);
}

#[needs("clang")]
fn a_badge_has_the_share_of_lines() {
    let dir = tempfile::tempdir().unwrap();
    built(dir.path());
    let (_, badge, _) = cov(dir.path(), &["app.profraw", "--badge", "-"]);
    assert!(badge.starts_with("<svg ") && badge.ends_with("</svg>\n") && badge.contains(">55 %</text>"), "{badge}");
}
