//! `profrt merge` with every kind of damage that `profrt check` knows: what is kept, and what the loss account says.

use std::fs;

use crate::common::profiles::*;
use profrt_format::{Encoding, Endian, RawVersion, WordSize};
use serde_json::Value;

const LITTLE: Encoding = Encoding { word: WordSize::W64, endian: Endian::Little };

fn native() -> Vec<u8> {
    named(RawVersion::V10, LITTLE).write().unwrap()
}

/// Where the parts of [`native`] are.
const DATA: usize = 16 * 8 + 8 + 24;
const COUNTERS: usize = DATA + 3 * 64;
const NAMES: usize = COUNTERS + 7 * 8;
const VALUES: usize = NAMES + 16;

fn number(report: &Value, place: &str) -> u64 {
    report.pointer(place).and_then(Value::as_u64).unwrap_or_else(|| panic!("no {place} in {report:#}"))
}

/// What an input must have become: outcome, functions kept and lost, and the sum of the counters that were kept.
type Expected = (&'static str, u64, u64, u64);

fn account(input: &Value) -> (&str, u64, u64, u64) {
    let number = |field: &str| input[field].as_u64().unwrap();
    (input["outcome"].as_str().unwrap(), number("functions"), number("functions_lost"), number("counts"))
}

/// Merges damaged files with a whole one, and compares each account, and the sum of all.
fn merged(files: &[(String, Vec<u8>, Expected)]) {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("good.profraw"), native()).unwrap();
    let mut names = vec!["good.profraw"];
    for (name, bytes, _) in files {
        fs::write(dir.path().join(name), bytes).unwrap();
        names.push(name);
    }
    let (report, error) = merge(dir.path(), &names);
    assert_eq!(report["status"], u64::from(files.iter().any(|(_, _, (outcome, ..))| *outcome != "whole")));
    assert_eq!(account(input(&report, "good.profraw")), ("whole", 3, 0, COUNTS));
    let (mut functions, mut lost, mut counts) = (3, 0, COUNTS);
    for (name, _, expected) in files {
        let input = input(&report, name);
        assert_eq!(account(input), *expected, "{name}: {input:#}\n{error}");
        functions += expected.1;
        lost += expected.2;
        counts += expected.3;
        if expected.0 != "whole" {
            let has_reason = !input["error"].is_null()
                || report["findings"].as_array().unwrap().iter().any(|finding| finding["input"] == **name);
            assert!(has_reason, "{name} is {}, and nothing says why", expected.0);
        }
    }
    assert_eq!(number(&report, "/totals/functions"), functions);
    assert_eq!(number(&report, "/totals/functions_lost"), lost);
    assert_eq!(number(&report, "/totals/counts"), counts);
    assert_eq!(number(&report, "/totals/inputs"), files.len() as u64 + 1);
    let states = ["whole", "salvaged", "refused", "empty"].map(|state| number(&report, &format!("/totals/{state}")));
    assert_eq!(states.iter().sum::<u64>(), files.len() as u64 + 1);
    // What the account says is what the output has.
    let out = counters(&dir.path().join("out.profdata"));
    let sum: u64 = out.iter().flat_map(|(_, counters)| counters).sum();
    assert_eq!(sum, counts - number(&report, "/totals/counts_lost"));
}

/// Cuts at every offset: all functions before the cut are kept.
#[test]
fn every_cut_is_accounted_for() {
    let good = native();
    let ends = [2, 3, 7].map(|counters| COUNTERS + counters * 8);
    let sums = FUNCTIONS.map(|(_, counters)| counters.iter().sum::<u64>());
    let mut files = Vec::new();
    for cut in 0..good.len() {
        let kept = ends.iter().filter(|end| **end <= cut).count();
        let counts = sums.iter().take(kept).sum();
        // Records that the cut has left no trace of are known from the header.
        let lost = if cut < 128 { 0 } else { 3 - kept as u64 };
        let outcome = match (cut, kept) {
            (0, _) => "empty",
            (_, 0) => "refused",
            _ => "salvaged",
        };
        files.push((format!("cut-{cut:03}.profraw"), good[..cut].to_vec(), (outcome, kept as u64, lost, counts)));
    }
    merged(&files);
}

/// The changes that `check` names.
#[test]
fn each_kind_of_damage_is_accounted_for() {
    let good = native();
    const REFUSED: Expected = ("refused", 0, 0, 0);
    const NO_LOSS: Expected = ("whole", 3, 0, COUNTS);
    const NO_VALUES: Expected = ("salvaged", 3, 0, COUNTS);
    const WITHOUT_ONE: Expected = ("salvaged", 2, 1, COUNTS - 5);
    const WITHOUT_TWO: Expected = ("salvaged", 2, 1, COUNTS - 7);
    const WITHOUT_THREE: Expected = ("salvaged", 2, 1, 12);
    let cases: &[(&str, usize, &[u8], Expected)] = &[
        ("magic", 0, b"A", REFUSED),
        ("newer-version", 8, &[12], REFUSED),
        ("older-version", 8, &[5], REFUSED),
        ("no-version", 8, &[200], REFUSED),
        ("ids-size", 16, &[0xff; 8], REFUSED),
        // Everything up to the end is taken for records.
        ("num-data", 24, &[0, 0, 0, 0, 0, 1], ("refused", 0, 6, 0)),
        ("num-counters", 40, &[0, 0, 0, 0, 0, 0, 1], NO_VALUES),
        ("counter-ptr", DATA + 16, &[0xf0, 0xff], WITHOUT_ONE),
        ("no-counters", DATA + 64 + 48, &[0], WITHOUT_TWO),
        ("too-many-counters", DATA + 128 + 48, &[5], WITHOUT_THREE),
        ("large-counter", COUNTERS + 7, &[9], WITHOUT_ONE),
        ("names", NAMES, &[99], NO_VALUES),
        ("value-size", VALUES, &[1], NO_VALUES),
        ("value-kinds", VALUES + 4, &[3], NO_VALUES),
        ("value-kind", VALUES + 8, &[1], NO_VALUES),
        ("value-sites", VALUES + 12, &[2], NO_VALUES),
    ];
    let mut files = Vec::new();
    for (name, at, new, expected) in cases {
        let mut bytes = good.clone();
        bytes[*at..at + new.len()].copy_from_slice(new);
        files.push((format!("{name}.profraw"), bytes, *expected));
    }
    // Bytes after the last profile are not of it, and a reader skips zeros.
    files.push(("trailing.profraw".into(), [&good[..], b"garbage"].concat(), ("salvaged", 3, 0, COUNTS)));
    files.push(("zeros.profraw".into(), [&good[..], &[0; 64]].concat(), NO_LOSS));
    let twice = [&good[..], &good].concat();
    files.push(("twice.profraw".into(), twice.clone(), ("whole", 6, 0, 2 * COUNTS)));
    let torn = twice[..good.len() + COUNTERS + 24].to_vec();
    files.push(("second-torn.profraw".into(), torn, ("salvaged", 5, 1, COUNTS + 12)));
    let torn = [&good[..COUNTERS + 24], &good].concat();
    files.push(("first-torn.profraw".into(), torn, ("salvaged", 5, 1, COUNTS + 12)));
    merged(&files);
}

/// Files of other formats, and copies that are none any more.
#[test]
fn what_is_no_profile_is_refused_with_a_reason() {
    let cases: &[(&str, &[u8])] = &[
        ("counters-only", b"PRFC\x01"),
        ("program", b"\x7fELF\x02\x01\x01"),
        ("zeros", &[0; 100]),
        ("latin-1", b"\xc2\x81rforpl"),
        ("gcov", b"adcg*04B"),
        ("five-bytes", b"\x81rfor"),
        ("memprof", b"\x81rforpm\xff1234"),
        ("sample", b"main:184019:0\n 4: 534\n"),
        ("bad-gzip", b"\x1f\x8b\x08abc"),
        ("indexed", b"\xfflprofi\x81rest"),
    ];
    let files: Vec<_> = cases
        .iter()
        .map(|(name, bytes)| {
            // It is taken for a record of the text form.
            (format!("{name}.profraw"), bytes.to_vec(), ("refused", 0, 0, 0))
        })
        .chain([("empty.profraw".to_owned(), Vec::new(), ("empty", 0, 0, 0))])
        .collect();
    merged(&files);
    // Each by its own name.
    let dir = tempfile::tempdir().unwrap();
    for (name, bytes, _) in &files {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    let output = run_in(dir.path(), &["merge", ".", "-o", "out.profdata"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!dir.path().join("out.profdata").exists());
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("no input can be used, and out.profdata was not written"), "{error}");
    assert!(error.contains("found an ELF file"), "{error}");
}

/// A damaged indexed, text and partial profile.
#[test]
fn other_formats_are_salvaged_too() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    fs::write(path("good.profraw"), native()).unwrap();
    merge(dir.path(), &["good.profraw"]);
    let indexed = fs::read(path("out.profdata")).unwrap();
    run_in(dir.path(), &["merge", "good.profraw", "--partial", "-o", "whole.profpart"]);
    let partial = fs::read(path("whole.profpart")).unwrap();
    run_in(dir.path(), &["merge", "good.profraw", "--text", "-o", "whole.proftext"]);
    let text = fs::read(path("whole.proftext")).unwrap();
    for (name, bytes) in [("cut.profdata", &indexed), ("cut.profpart", &partial), ("cut.proftext", &text)] {
        for cut in 1..bytes.len() {
            fs::write(path(name), &bytes[..cut]).unwrap();
            // The text form has no end: some cuts leave a whole profile of fewer functions.
            if cut % 41 == 0 {
                let (report, error) = merge(dir.path(), &["good.profraw", name]);
                let is_lost = number(&report, "/totals/whole") < number(&report, "/totals/inputs");
                assert!(is_lost || name == "cut.proftext", "{name} cut to {cut} bytes: {error}");
                let out: u64 = counters(&path("out.profdata")).iter().flat_map(|(_, counters)| counters).sum();
                assert_eq!(out, number(&report, "/totals/counts") - number(&report, "/totals/counts_lost"));
                assert_eq!(report["status"], u64::from(is_lost));
            }
        }
    }
}
