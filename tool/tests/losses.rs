//! What is lost of inputs, and what the commands say when that is everything.

use std::fs;
use std::path::Path;

use crate::common::profiles::*;
use profrt_format::layout::{Part, Plan};
use profrt_format::{Encoding, Endian, Header, RawVersion, WordSize};
use serde_json::Value;

const LITTLE: Encoding = Encoding { word: WordSize::W64, endian: Endian::Little };

fn raw() -> (Vec<u8>, Plan) {
    let bytes = named(RawVersion::V10, LITTLE).write().unwrap();
    let (header, version, encoding) = Header::decode(&bytes).unwrap();
    (bytes, Plan::of_header(header, version, encoding.word).unwrap())
}

/// Exit status, standard output and standard error.
fn said(directory: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = run_in(directory, arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn report(directory: &Path) -> Value {
    serde_json::from_slice(&fs::read(directory.join("report.json")).unwrap()).unwrap()
}

const GOOD: &str = ":ir\none\n7\n1\n2000\n\ntwo\n7\n1\n5\n\n";

#[test]
fn a_number_that_may_be_cut_is_noted() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.proftext");
    for text in [":ir\none\n7\n1\n2000\n\ntwo\n7\n1\n5", ":ir\none\n7\n1\n2000\n\ntwo\n7\n1\n5\n1\n0\n1\n1\nfoo:12"] {
        fs::write(&path, text).unwrap();
        let (found, error) = merge(dir.path(), &["a.proftext"]);
        assert_eq!((&found["inputs"][0]["outcome"], found["status"].as_u64()), (&"whole".into(), Some(0)), "{error}");
        assert_eq!(found["findings"][0]["kind"], "last-line-unended");
        assert!(error.contains("note: ") && error.contains("if the text was cut"), "{error}");
        let expected = [("one".to_owned(), vec![2000]), ("two".to_owned(), vec![5])];
        assert_eq!(counters(&dir.path().join("out.profdata")), expected);
        let (status, checked, _) = said(dir.path(), &["check", "a.proftext"]);
        assert!(status == 0 && checked.contains("if the text was cut"), "{checked}");
    }
    // A last line that has no number.
    fs::write(&path, format!("{GOOD}# made by hand")).unwrap();
    assert_eq!(said(dir.path(), &["check", "a.proftext"]).0, 0);
    // LLVM's tool takes the number as it is.
    fs::write(&path, GOOD.trim_end()).unwrap();
    for arguments in [
        &["llvm-profdata", "merge", "a.proftext", "-o", "llvm.profdata"][..],
        &["merge", "--compat", "--for", "llvm-22", "a.proftext", "-o", "llvm.profdata"],
    ] {
        assert_eq!(said(dir.path(), arguments).0, 0, "{arguments:?}");
        assert_eq!(counters(&dir.path().join("llvm.profdata")).len(), 2);
    }
}

#[test]
fn an_input_of_which_nothing_can_be_used_replaces_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (bytes, plan) = raw();
    // All counters are there, and no name.
    let names = plan.chunk(Part::Names).offset as usize;
    fs::write(dir.path().join("cut.profraw"), &bytes[..names]).unwrap();
    fs::write(dir.path().join("good.profdata"), "old").unwrap();
    let arguments = ["merge", "cut.profraw", "-o", "good.profdata", "--json", "report.json"];
    let (status, _, error) = said(dir.path(), &arguments);
    assert!(status == 2 && error.contains("--object"), "{error}");
    assert_eq!(fs::read(dir.path().join("good.profdata")).unwrap(), b"old");
    let found = report(dir.path());
    assert_eq!((&found["status"], &found["output"]), (&2.into(), &Value::Null));
    assert_eq!((&found["inputs"][0]["outcome"], &found["totals"]["refused"]), (&"refused".into(), &1.into()));

    // An input of another program does not help it, and one of the same program does. Which of several inputs had a function that was lost
    // is not known, so in a result it is no input that is refused.
    fs::write(dir.path().join("other.proftext"), ":ir\nother\n7\n1\n5\n").unwrap();
    let (found, _) = merge(dir.path(), &["cut.profraw", "other.proftext"]);
    assert_eq!((&input(&found, "cut.profraw")["outcome"], &found["status"]), (&"salvaged".into(), &1.into()));
    assert!(found["totals"]["functions_lost"].as_u64() > Some(0));
    fs::write(dir.path().join("whole.profraw"), &bytes).unwrap();
    let (found, _) = merge(dir.path(), &["cut.profraw", "whole.profraw"]);
    assert_eq!(input(&found, "cut.profraw")["outcome"], "salvaged");

    // A program without functions.
    fs::write(dir.path().join("none.proftext"), ":ir\n").unwrap();
    let (found, _) = merge(dir.path(), &["none.proftext"]);
    assert_eq!((&found["status"], &found["inputs"][0]["outcome"]), (&0.into(), &"whole".into()));
    assert_eq!(said(dir.path(), &["merge", "none.proftext", "cut.profraw", "-o", "x"]).0, 2);
}

#[test]
fn an_empty_profile_passes_no_gate() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("none.proftext"), ":ir\n").unwrap();
    fs::write(dir.path().join("good.proftext"), GOOD).unwrap();
    for arguments in [["diff", "none.proftext", "none.proftext"], ["diff", "good.proftext", "none.proftext"]] {
        let (status, _, error) = said(dir.path(), &arguments);
        assert!(status == 2 && error.contains("none.proftext has no functions"), "{error}");
    }
    let (status, text, _) = said(dir.path(), &["show", "none.proftext"]);
    assert!(status == 0 && text.starts_with("none.proftext: no functions\n") && !text.contains("ran"), "{text}");
    let elf = env!("CARGO_BIN_EXE_profrt");
    let (status, _, error) =
        said(dir.path(), &["quality", "none.proftext", "--object", elf, "--fail-under-functions", "5%"]);
    assert!(status == 1 && error.contains("the profile has no functions"), "{error}");
}

#[test]
fn bytes_that_are_known_to_be_missing_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let (bytes, plan) = raw();
    for (cut, missing) in [(40, 88), (plan.fixed_size() as usize - 9, 9), (bytes.len() - 11, 11)] {
        fs::write(dir.path().join("cut.profraw"), &bytes[..cut]).unwrap();
        said(dir.path(), &["merge", "cut.profraw", "-o", "x", "--json", "report.json"]);
        assert_eq!(report(dir.path())["inputs"][0]["bytes_missing"], missing, "cut to {cut}");
    }
}

#[test]
fn check_knows_what_a_merge_salvages() {
    let dir = tempfile::tempdir().unwrap();
    let (bytes, plan) = raw();
    let names = plan.chunk(Part::Names).offset as usize;
    // In the last name.
    fs::write(dir.path().join("cut.profraw"), &bytes[..names + 12]).unwrap();
    let (status, text, _) = said(dir.path(), &["check", "cut.profraw", "--json"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    let found = &found["inputs"][0];
    said(dir.path(), &["merge", "cut.profraw", "-o", "out.profdata"]);
    let kept = counters(&dir.path().join("out.profdata"));
    assert_eq!((status, found["functions"].as_u64()), (1, Some(kept.len() as u64)), "{text}");
    assert!(!kept.is_empty() && kept.len() < 3);
    assert_eq!(found["format"], "raw version 10, IR");
    assert!(found["salvage"][0].as_str().unwrap().starts_with(&format!("{} function", kept.len())), "{text}");
    assert!(found["notes"][0].as_str().unwrap().contains("--object"), "{text}");
}

#[test]
fn check_sums_up_and_says_what_it_passes_over() {
    let dir = tempfile::tempdir().unwrap();
    let night = dir.path().join("night");
    fs::create_dir(&night).unwrap();
    for name in ["a.proftext", "b.proftext"] {
        fs::write(night.join(name), GOOD).unwrap();
    }
    let mut merger = profdata::merge::Merger::default();
    merger.write_with_note(b"", &mut fs::File::create(night.join("c.profpart")).unwrap()).unwrap();
    fs::write(night.join("d.proftext"), "a log\n").unwrap();
    let (status, text, error) = said(dir.path(), &["check", "-q", "night"]);
    assert_eq!(status, 1);
    assert!(text.starts_with("night/d.proftext: damaged\n") && !text.contains("a.proftext"), "{text}");
    assert!(text.ends_with("3 inputs: 2 ok, 1 damaged\n"), "{text}");
    assert!(error.contains("not checked: night/c.profpart (the output of a profrt watch)\n"), "{error}");
    let (found, _) = merge(dir.path(), &["night"]);
    assert_eq!(found["ignored"][0], "night/c.profpart (the output of a profrt watch)");
    for name in ["a.proftext", "b.proftext", "d.proftext"] {
        fs::remove_file(night.join(name)).unwrap();
    }
    let (status, _, error) = said(dir.path(), &["show", "night"]);
    assert!(status == 2 && error.contains("night/c.profpart (the output of a profrt watch)"), "{error}");
    fs::write(dir.path().join("p.cpp"), "#include <stdio.h>\nint main() {}\n").unwrap();
    let (status, _, error) = said(dir.path(), &["merge", "p.cpp", "-o", "x"]);
    assert!(status == 2 && error.contains("not a profile") && !error.contains("record is damaged"), "{error}");
}

#[test]
fn sizes_of_memory_operations_are_ranges() {
    let dir = tempfile::tempdir().unwrap();
    let sizes = "0:9\n1:8\n8:7\n9:6\n16:5\n33:4\n129:3\n513:2\n40:1\n";
    let text = format!(":ir\none\n7\n1\n2\n1\n1\n1\n9\n{sizes}\n");
    fs::write(dir.path().join("a.proftext"), text).unwrap();
    let expected = [
        "0 bytes",
        "1 byte",
        "8 bytes",
        "9 to 15 bytes",
        "16 bytes",
        "33 to 63 bytes",
        "129 to 255 bytes",
        "513 bytes or more",
        "40 bytes",
    ];
    let (_, text, _) = said(dir.path(), &["show", "-f", "one", "a.proftext"]);
    for line in expected {
        assert!(text.contains(&format!("  {line}\n")), "{line}: {text}");
    }
    let (_, text, _) = said(dir.path(), &["show", "--memory", "--json", "a.proftext"]);
    let found: Value = serde_json::from_str(&text).unwrap();
    let values = found["memory"][0]["values"].as_array().unwrap();
    let ends: Vec<Option<u64>> = values.iter().map(|value| value["last"].as_u64()).collect();
    assert_eq!(ends, [Some(0), Some(1), Some(8), Some(15), Some(16), Some(63), Some(255), None, Some(40)]);
    assert_eq!(values[5]["value"], "33");
}
