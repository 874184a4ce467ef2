//! `profrt cov --html`: where a page is written, and what stays there. `tests/pages` looks at pages in a browser.

use needs_macros::needs;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::{newest, run};
use serde_json::{Value, json};

/// Builds and runs a program as `app`.
fn app(dir: &Path, source: &str) {
    let clang = newest();
    fs::write(dir.join("a.c"), source).unwrap();
    let mut command = Command::new(&clang.clang);
    run(command.current_dir(dir).args(["-fprofile-instr-generate", "-fcoverage-mapping", "-w", "a.c", "-o", "app"]));
    run(Command::new(dir.join("app")).current_dir(dir).env("LLVM_PROFILE_FILE", "app.profraw"));
}

/// Runs `profrt cov`. Returns its exit status, and what it says on both streams.
fn cov(dir: &Path, arguments: &[&str]) -> (i32, String) {
    let output = common::profrt(dir).args(["cov", "app.profraw", "--object", "app"]).args(arguments).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(said).unwrap())
}

fn names(dir: &Path) -> BTreeSet<String> {
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Returns the directory of the data of a page.
fn data(page: &Path) -> String {
    let data: Vec<String> = names(page).into_iter().filter(|name| name.starts_with("data-")).collect();
    assert_eq!(data.len(), 1, "{data:?}");
    data[0].clone()
}

const PROGRAM: &str = "int main(int argc, char **argv) { return argc > 5; }\n";

#[needs("clang")]
fn a_directory_is_replaced_and_what_is_not_ours_stays() {
    let dir = tempfile::tempdir().unwrap();
    let (dir, page) = (dir.path(), dir.path().join("page"));
    app(dir, PROGRAM);
    assert_eq!(cov(dir, &["--html", "page"]).0, 0);
    let first = data(&page);
    assert!(fs::read_to_string(page.join("index.html")).unwrap().contains(&first));
    // The same again changes nothing.
    let index = fs::read(page.join("index.html")).unwrap();
    assert_eq!(cov(dir, &["--html", "page"]).0, 0);
    assert_eq!((data(&page), fs::read(page.join("index.html")).unwrap()), (first.clone(), index));
    // Another page takes its place; the old data go, and what others have put there stays.
    for name in ["mine.txt", "data-mine/000000.js", &format!("{first}/mine.txt")] {
        fs::create_dir_all(page.join(name).parent().unwrap()).unwrap();
        fs::write(page.join(name), "mine").unwrap();
    }
    fs::write(dir.join("a.c"), format!("// new\n{PROGRAM}")).unwrap();
    assert_eq!(cov(dir, &["--html", "page"]).0, 0);
    assert_eq!(names(&page.join(&first)), BTreeSet::from(["mine.txt".to_owned()]));
    let kept: BTreeSet<String> = names(&page).into_iter().filter(|name| !name.starts_with("data-")).collect();
    assert_eq!(kept, BTreeSet::from(["index.html".to_owned(), "mine.txt".to_owned()]));
    assert_eq!(names(&page.join("data-mine")), BTreeSet::from(["000000.js".to_owned()]));
}

#[needs("clang")]
fn a_directory_with_other_things_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    app(dir, PROGRAM);
    fs::create_dir(dir.join("page")).unwrap();
    fs::write(dir.join("page/index.html"), "<html>mine</html>").unwrap();
    let (status, said) = cov(dir, &["--html", "page"]);
    assert!(status == 2 && said.contains("has other things in it"), "{said}");
    assert_eq!(names(&dir.join("page")), BTreeSet::from(["index.html".to_owned()]));
    // When another output fails, no page appears.
    let (status, said) = cov(dir, &["--html", "new", "--json", "absent/report.json"]);
    assert!(status == 2 && !dir.join("new").exists(), "{said}");
}

#[needs("clang")]
fn a_file_is_one_page_and_standard_output_too() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    app(dir, PROGRAM);
    let (status, said) = cov(dir, &["--html", "page.html"]);
    assert_eq!((status, said.as_str()), (0, ""), "no table is printed beside the page");
    let page = fs::read_to_string(dir.join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.matches("class=\"block\"").count() == 1);
    let (status, said) = cov(dir, &["--html", "-"]);
    assert!(status == 0 && said == page);
    let (status, said) = cov(dir, &["--html", "page.html", "--json", "page.html"]);
    assert!(status == 2 && said.contains("two outputs"), "{said}");
    let (status, said) = cov(dir, &["--html", "app"]);
    assert!(status == 2 && dir.join("app").is_file(), "{said}");
    let (status, said) = cov(dir, &["--html", "x", "--compat", "llvm-22"]);
    assert!(status == 2 && said.contains("cannot be used with"), "{said}");
}

#[needs("clang")]
fn tests_are_shown_of_lines_that_the_report_has() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let function = |lines: &str| format!("int main(int argc, char **argv) {{\n{lines}  return argc > 5;\n}}\n");
    app(dir, &function("  argc++;\n  argc++;\n"));
    let who = ["who", "app.profraw", "--object", "app", "--output", "tests.who"];
    run(common::profrt(dir).args(who));
    // The same path has fewer lines now.
    app(dir, &function(""));
    let (status, said) = cov(dir, &["--html", "page", "--who", "tests.who"]);
    assert_eq!((status, said.as_str()), (0, ""));
    let page = dir.join("page");
    let of = |number: usize| {
        let text = fs::read_to_string(page.join(data(&page)).join(format!("{number:06}.js"))).unwrap();
        let json = text.trim_end().strip_prefix(&format!("profrt({number},")).unwrap().strip_suffix(')').unwrap();
        serde_json::from_str::<Value>(json).unwrap()
    };
    assert_eq!(of(0)["tests"], json!({"lines": [0, 3, 0], "sets": ["1"]}));
    assert_eq!(of(1), json!([[0, 3]]));

    // No path fits: the page is made, with a note.
    fs::create_dir(dir.join("other")).unwrap();
    app(&dir.join("other"), PROGRAM);
    let (status, said) = cov(&dir.join("other"), &["--html", "page", "--who", "../tests.who", "--absolute-paths"]);
    assert!(status == 0 && said.starts_with("note: no test of --who ran a line"), "{said}");
    let refused = |arguments: &[&str], why: &str| {
        let (status, said) = cov(dir, arguments);
        assert!(status == 2 && said.contains(why), "{said}");
    };
    refused(&["--who", "tests.who"], "--html");
    refused(&["--who", "app", "--html", "x"], "no file of `profrt cov who --output`");
    refused(&["--who", "tests.who", "--html", "x", "--compat", "llvm-22"], "cannot be used with");
    refused(&["--who", "x.html", "--html", "x.html"], "x.html");
    let whole = fs::read(dir.join("tests.who")).unwrap();
    fs::write(dir.join("cut.who"), &whole[..whole.len() - 1]).unwrap();
    refused(&["--who", "cut.who", "--html", "x"], "cut.who");
}
