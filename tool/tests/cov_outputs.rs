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
    let path = "a,b.c";
    let expected = format!(
        "{path}:3\n        return 2;\n{path}:6\n    int unused(int x) {{\n{path}:8-9\n      return x;\n    }}\n"
    );
    assert_eq!(cov(dir, &["app.profraw", "--uncovered", "-"]).1, expected);
    cov(dir, &["app.profraw", "--uncovered", "o"]);
    assert_eq!(fs::read_to_string(dir.join("o")).unwrap(), expected);
    // Without the source places are left.
    fs::remove_file(dir.join(path)).unwrap();
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

/// Where a report is read is not where it was made.
#[needs("clang")]
fn paths_are_below_the_repository() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let sub = root.join("sub");
    fs::create_dir_all(root.join(".git")).unwrap();
    fs::create_dir(&sub).unwrap();
    built(&sub);
    let said = |arguments: &[&str]| cov(&sub, &[&["app.profraw", "--json", "-"], arguments].concat());
    let (_, json, _) = said(&[]);
    let report: Value = serde_json::from_str(&json).unwrap();
    let path = |report: &Value| report["files"][0]["path"].as_str().unwrap().to_owned();
    assert_eq!((path(&report).as_str(), report["root"].as_str()), ("sub/a,b.c", root.to_str()));
    fs::write(sub.join("old.json"), &json).unwrap();
    let absolute: Value = serde_json::from_str(&said(&["--absolute-paths"]).1).unwrap();
    assert_eq!(path(&absolute), sub.join("a,b.c").to_str().unwrap());
    // A baseline of either kind, and patterns of all kinds.
    for only in ["sub/*", "a*.c", "/*/sub/a,b.c"] {
        let (_, json, notes) = said(&["--only", only, "--baseline", "old.json", "--absolute-paths"]);
        let report: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((path(&report), notes.as_str()), (path(&absolute), ""), "{only}");
    }
    // The source is found from wherever the report is made.
    assert!(cov(&sub, &["app.profraw", "--uncovered", "-"]).1.starts_with("sub/a,b.c:3\n        return 2;\n"));
    let cobertura = cov(&sub, &["app.profraw", "--cobertura", "-"]).1;
    assert!(cobertura.contains(&format!("<source>{}</source>", root.display())), "{cobertura}");
}

#[needs("clang")]
fn a_newer_source_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    built(dir);
    fs::write(dir.join("a,b.c"), format!("// LCOV_EXCL_START\n{SOURCE}// LCOV_EXCL_STOP\n")).unwrap();
    run(Command::new("touch").args(["-d", "2001-01-01", "a,b.c"]).current_dir(dir));
    assert!(cov(dir, &["app.profraw"]).1.contains("excluded: 8 lines"), "markers count");
    run(Command::new("touch").args(["-d", "2101-01-01", "a,b.c"]).current_dir(dir));
    let (_, table, note) = cov(dir, &["app.profraw"]);
    assert!(table.contains("excluded: 8 lines"), "{table}");
    let changed = "a,b.c has changed since the programs were linked: its lines may be others";
    assert_eq!(note, format!("note: {changed}\n"));
    let page = cov(dir, &["app.profraw", "--html", "-"]).1;
    assert!(page.contains(&format!("\"notes\":[\"{changed}\"]")), "the page says it, too");
}

/// Functions of a library that is not given have their names, and the library has one.
#[needs("clang")]
fn a_forgotten_library_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("shop.c"), "int price(int x) { return x; }\n").unwrap();
    fs::write(dir.join("app.c"), "int price(int);\nint main(void) { return price(0); }\n").unwrap();
    let build =
        "F='-fprofile-instr-generate -fcoverage-mapping'; mkdir lib; $CC $F -shared -fPIC shop.c -o lib/libshop.so;
                 $CC $F app.c -Llib -lshop -Wl,-rpath,'$ORIGIN/lib' -o app";
    run(Command::new("sh").args(["-ec", build]).current_dir(dir).env("CC", newest().clang));
    run(Command::new(dir.join("app")).current_dir(dir).env("LLVM_PROFILE_FILE", "%m.profraw"));
    let profiles: Vec<String> = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".profraw"))
        .collect();
    let profiles: Vec<&str> = profiles.iter().map(String::as_str).collect();
    let (_, table, notes) = cov(dir, &[&profiles[..], &["--explain"]].concat());
    assert!(table.contains("--object lacks ./lib/libshop.so"), "{table}");
    assert!(notes.contains("  price\n"), "{notes}");
    let (_, table, _) = cov(dir, &[&profiles[..], &["--object", "lib"]].concat());
    assert!(!table.contains("left out"), "{table}");
}

/// But not those that it is told to ignore.
#[needs("clang")]
fn all_lines_of_a_source_that_git_does_not_know_are_new() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        run(git.args(["-c", "user.name=a", "-c", "user.email=b"]).args(arguments).current_dir(dir));
    };
    let function = |name: &str| format!("int {name}(int x) {{\n  return x;\n}}\n");
    fs::create_dir(dir.join("n")).unwrap();
    let files = [("known.c", "known"), ("n/new ä.c", "fresh"), ("made.c", "made")];
    files.iter().for_each(|(file, name)| fs::write(dir.join(file), function(name)).unwrap());
    fs::write(dir.join(".gitignore"), "made.c\n").unwrap();
    for arguments in [&["init", "-q"][..], &["add", "known.c"], &["commit", "-q", "-m", "a"]] {
        git(arguments);
    }
    let flags = ["-fprofile-instr-generate", "-fcoverage-mapping", "-shared", "-fPIC", "-o", "app"];
    run(Command::new(newest().clang).args(flags).args(files.map(|(file, _)| file)).current_dir(dir));
    let lines = |arguments: &[&str]| {
        let (status, out, error) = cov(dir, &[&["--since", "HEAD", "--json", "-"], arguments].concat());
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{error}"));
        let lines = |file: &Value| (file["path"].to_string(), file["lines"].as_array().unwrap().len());
        (status, report["files"].as_array().unwrap().iter().map(lines).filter(|file| file.1 > 0).collect::<Vec<_>>())
    };
    assert_eq!(lines(&["--fail-under", "new-lines=1"]), (1, vec![("\"n/new ä.c\"".to_owned(), 3)]));
    // The lines of the baseline are others: none is lost.
    assert_eq!(cov(dir, &["--json", "before"]).0, 0);
    let (_, out, _) = cov(dir, &["--since", "HEAD", "--json", "-", "--baseline", "before"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["baseline"]["lines"], serde_json::json!({"UBC": 6, "UNC": 3, "DUB": 3}));
}

#[needs("clang")]
fn a_file_has_options_and_the_command_line_overrides_them() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    built(dir);
    let with = |file: &str, arguments: &[&str]| {
        fs::write(dir.join("profrt.toml"), file).unwrap();
        let (status, out, error) = cov(dir, &[&["app.profraw"], arguments].concat());
        (status, out + &error)
    };
    let (status, said) = with("[cov]\nfail-under = [\"lines=60\", \".:branches=50\"]\n", &["--uncovered", "-"]);
    assert!(
        status == 1 && said.starts_with("a,b.c:3\n") && said.contains("60 % are required") && !said.contains("no file"),
        "{said}"
    );
    assert_eq!(with("[cov]\nfail-under = \"lines=60\"\n", &["--fail-under=lines=55"]).0, 0);
    assert_eq!(with("[cov]\nfail-under = \"lines=60\"\n", &["--compat", "llvm-22", "--json", "-"]).0, 0);
    for (file, says) in [
        ("[cov]\nlcov = \"x\"\n", "`lcov` is not one of absolute-paths, "),
        ("[cov]\nonly = 3\n", "`only` is true, a text"),
        ("[cov", "profrt.toml: TOML parse error"),
        ("[merge]\n", "unknown field `merge`"),
    ] {
        let (status, said) = with(file, &[]);
        assert!(status == 2 && said.contains(says), "{said}");
    }
    let (status, said) = with("", &["--fail-under", "sub:lines=1,a:b:lines=1"]);
    assert!(status == 1 && said.contains("sub: no file of the report is in it"), "{said}");
    fs::write(dir.join("d"), "--- a/a,b.c\n+++ b/a,b.c\n@@ -2 +2 @@\n-x\n+y\n").unwrap();
    assert_eq!(with("", &["--fail-under", "sub:lines=1", "--diff", "d"]).0, 0, "the change is elsewhere");
    // Limits of new lines are of changes, and the others are not.
    let both = "[cov]\nfail-under = [\"lines=60\", \"new-lines=99\"]\n";
    fs::write(dir.join("d"), "--- a/a,b.c\n+++ b/a,b.c\n@@ -3 +3 @@\n-x\n+y\n").unwrap();
    for (arguments, is, is_not) in [(&[][..], "60 %", "99 %"), (&["--diff", "d"], "99 %", "60 %")] {
        let (status, said) = with(both, arguments);
        assert!(status == 1 && said.contains(is) && !said.contains(is_not), "{said}");
    }
}
