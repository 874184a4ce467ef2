//! `profrt convert`: each form into each other, next to the installed `llvm-profdata`s.

use needs_macros::needs;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common;
use crate::common::profiles::*;
use crate::common::{ended, run};

/// The releases whose tools read what is written.
const TOOLS: [u32; 4] = [14, 16, 19, 22];

fn tool(release: u32) -> String {
    format!("llvm-profdata-{release}")
}

/// What a tool of LLVM reads: the records in the text form.
fn text_of(release: u32, profile: &Path) -> String {
    let text = run(Command::new(tool(release)).args(["merge", "-text", "-o", "-"]).arg(profile));
    records(&String::from_utf8(text).unwrap())
}

/// The text form without comments and lines about the kind, which older releases do not have.
fn records(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with(['#', ':'])).map(|line| format!("{line}\n")).collect()
}

/// Converts; returns the exit status and what was said.
fn convert(dir: &Path, input: &str, to: &str, output: &str, more: &[&str]) -> (i32, String) {
    let _ = fs::remove_file(dir.join(output));
    let output = run_in(dir, &[&["convert", input, "--to", to, "-o", output], more].concat());
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn an_input_is_not_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let text = "main\n1\n1\n5\n";
    fs::write(dir.path().join("in.proftext"), text).unwrap();
    fs::hard_link(dir.path().join("in.proftext"), dir.path().join("link")).unwrap();
    for output in ["in.proftext", "./in.proftext", "link"] {
        let output = run_in(dir.path(), &["convert", "in.proftext", "--to", "indexed-9", "-o", output]);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("is the input"));
    }
    assert_eq!(fs::read_to_string(dir.path().join("in.proftext")).unwrap(), text);
}

#[needs("clangs")]
fn indexed_text_and_partial_become_each_other() {
    const TEXT: &str = ":ir\na.c;local\n7\n2\n5\n1\n2\n0\n1\n2\nother:3\nlocal_target:1\n1\n1\n1\n8:5\n\n\
        local_target\n9\n1\n2\n\nother\n8\n1\n3\n\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("start"), TEXT).unwrap();
    let text = |name: &str| {
        let (status, error) = convert(dir.path(), name, "text", "text", &[]);
        assert_eq!(status, 0, "{error}");
        fs::read_to_string(dir.path().join("text")).unwrap()
    };
    let expected = text("start");
    assert!(expected.contains("other:3"), "{expected}");
    for (first, second) in
        [("indexed-13", "partial"), ("partial", "indexed-12"), ("partial", "text"), ("clang-22", "clang-19")]
    {
        assert_eq!(convert(dir.path(), "start", first, "first", &[]).0, 0);
        assert_eq!(convert(dir.path(), "first", second, "second", &[]).0, 0);
        assert_eq!(text("second"), expected, "{first} {second}");
    }
    // Each release reads its own, and an older one gets the names of local functions that it looks for.
    for release in TOOLS {
        let (status, error) = convert(dir.path(), "start", &format!("clang-{release}"), "out", &[]);
        assert_eq!(status, 0, "{error}");
        let expected = if release < 18 { expected.replace("a.c;local", "a.c:local") } else { expected.clone() };
        assert_eq!(text_of(release, &dir.path().join("out")), records(&expected), "LLVM {release}");
        assert_eq!(error.contains("  renamed"), release < 18, "{error}");
    }
    let (_, error) = convert(dir.path(), "start", "clang-16", "out", &["--keep-names"]);
    assert!(!error.contains("  renamed"), "{error}");
    let (status, error) = convert(dir.path(), "start", "text", "out", &["--keep-names"]);
    assert!(status == 2 && error.contains("for no compiler"), "{error}");
}

#[test]
fn losses_of_other_forms_have_the_exit_status_of_merge() {
    let dir = tempfile::tempdir().unwrap();
    let bitmap = ":ir\none\n7\n1\n5\n$1\n0x3\n\ntwo\n8\n1\n2\n";
    fs::write(dir.path().join("bitmap"), bitmap).unwrap();
    let (status, error) = convert(dir.path(), "bitmap", "clang-16", "out", &[]);
    assert!(status == 0 && error.contains("note: the bitmaps of 1 record are left out"), "{error}");
    // A cut input: the output has the rest, and the status says so.
    fs::write(dir.path().join("cut"), &bitmap[..bitmap.len() - 3]).unwrap();
    let (status, error) = convert(dir.path(), "cut", "text", "out", &[]);
    assert!(status == 1 && error.contains("lost: ") && error.contains("cut: salvaged"), "{error}");
    assert!(fs::read_to_string(dir.path().join("out")).unwrap().contains("one\n"));
    // Standard input to standard output.
    let mut command = common::profrt(dir.path());
    command
        .args(["convert", "-", "--to", "text", "-o", "-", "-q"])
        .stdin(fs::File::open(dir.path().join("bitmap")).unwrap());
    let output = ended(&mut command);
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(String::from_utf8(output.stdout).unwrap().contains("0x3"));
}
