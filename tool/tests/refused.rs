//! What the writer would refuse is refused when it is read, by its name: one input never costs the others.

use std::fs;
use std::path::Path;

use crate::common::profiles::*;
use profrt_format::{Encoding, Endian, RawVersion, WordSize};

const LITTLE: Encoding = Encoding { word: WordSize::W64, endian: Endian::Little };

/// Sets bit 52 of the version word, which no compiler sets.
fn with_flag(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes[14] |= 0x10;
    bytes
}

/// Exit status and standard error.
fn said(directory: &Path, line: &str) -> (i32, String) {
    let output = run_in(directory, &line.split(' ').collect::<Vec<_>>());
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

fn total(path: &Path) -> u64 {
    counters(path).iter().flat_map(|(_, counts)| counts).sum()
}

#[test]
fn an_unknown_flag_costs_no_other_input() {
    let dir = tempfile::tempdir().unwrap();
    let (path, good) = (|name: &str| dir.path().join(name), named(RawVersion::V10, LITTLE).write().unwrap());
    fs::write(path("good.profraw"), &good).unwrap();
    fs::write(path("text.proftext"), text(&[("one", 2)])).unwrap();
    assert_eq!(said(dir.path(), "merge text.proftext -o indexed.profdata").0, 0);
    fs::write(path("bad.profraw"), with_flag(good)).unwrap();
    fs::write(path("bad.profdata"), with_flag(fs::read(path("indexed.profdata")).unwrap())).unwrap();
    for bad in ["bad.profraw", "bad.profdata"] {
        for form in ["--text", "--partial", "--balance", "-j1"] {
            let (status, error) = said(dir.path(), &format!("merge good.profraw {bad} {form} -o out"));
            assert_eq!(status, 1, "{form}: {error}");
            assert!(
                error.contains(&format!("{bad}: refused: variant flags at byte 8: unsupported version")),
                "{error}"
            );
            if form == "--partial" {
                fs::rename(path("out"), path("out.profpart")).unwrap();
                assert_eq!(said(dir.path(), "merge out.profpart -o out").0, 1);
            }
            assert_eq!(total(&path("out")), COUNTS, "{form}");
        }
        let output = run_in(dir.path(), &["check", bad]);
        let checked = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.code() == Some(1) && checked.contains("salvage:  nothing"), "{checked}");
    }
    // A watcher keeps what is in no result.
    fs::create_dir(path("watched")).unwrap();
    for name in ["good.profraw", "bad.profraw"] {
        fs::copy(path(name), path("watched").join(name)).unwrap();
    }
    let (status, error) = said(dir.path(), "watch watched -o sum.profpart --once --delete");
    assert!(status == 1 && error.contains("bad.profraw: variant flags"), "{error}");
    let left: Vec<_> = fs::read_dir(path("watched")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["bad.profraw"]);
    assert_eq!(said(dir.path(), "merge sum.profpart -o out").0, 0);
    assert_eq!(total(&path("out")), COUNTS);
    // LLVM 18 and later pass over the flag; earlier ones take it for a part of the version.
    for line in [
        "merge --compat --for llvm-22 good.profraw bad.profraw -o out",
        "llvm-profdata merge bad.profraw good.profraw -o out",
    ] {
        let (status, error) = said(dir.path(), line);
        assert_eq!((status, total(&path("out"))), (0, 2 * COUNTS), "{line}: {error}");
    }
    fs::write(path("bad.profraw"), with_flag(named(RawVersion::V8, LITTLE).write().unwrap())).unwrap();
    assert_eq!(said(dir.path(), "merge --compat --for llvm-16 bad.profraw -o out").0, 2);
}

#[test]
fn flags_that_the_compiler_does_not_know_cost_no_other_input() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("old.proftext"), text(&[("main", 5)])).unwrap();
    let new = text(&[("main", 7)]).replacen(":ir\n", ":ir\n:instrument_loop_entries\n", 1);
    fs::write(dir.path().join("new.proftext"), new).unwrap();
    let (status, error) = said(dir.path(), "merge old.proftext new.proftext --for clang-16 -o out");
    assert!(status == 1 && error.contains("new.proftext: refused: variant flags"), "{error}");
    assert_eq!(total(&dir.path().join("out")), 5);
    assert_eq!(said(dir.path(), "merge old.proftext new.proftext --for clang-22 -o out").0, 0);
    assert_eq!(total(&dir.path().join("out")), 12);
}

#[test]
fn a_function_with_a_hash_of_each_era_is_added_up() {
    let dir = tempfile::tempdir().unwrap();
    for (name, hash, count) in [("old", "0xc6475a946d5a5ab7", 5), ("new", "0x06475a946d5a5ab7", 7)] {
        fs::write(dir.path().join(name), format!(":fe\nmain\n{hash}\n1\n{count}\n")).unwrap();
    }
    let (status, error) = said(dir.path(), "merge old new --hashes convert --for clang-22 -o out");
    assert_eq!(status, 0, "{error}");
    assert_eq!(counters(&dir.path().join("out")), [("main".to_owned(), vec![12])]);
}

#[test]
fn balanced_inputs_make_no_partial_result() {
    let dir = tempfile::tempdir().unwrap();
    for (name, count) in [("long", 1000), ("short", 10)] {
        fs::write(dir.path().join(name), text(&[(name, count)])).unwrap();
    }
    let (status, error) = said(dir.path(), "merge long short --balance --partial -o out");
    assert!(status == 2 && error.contains("--partial"), "{error}");
    assert_eq!(said(dir.path(), "merge long short --balance -o out").0, 0);
    let expected = [("long".to_owned(), vec![1000]), ("short".to_owned(), vec![1000])];
    assert_eq!(counters(&dir.path().join("out")), expected);
    let output = run_in(dir.path(), &["quality", "long"]);
    assert!(String::from_utf8(output.stdout).unwrap().contains("counter holds 10 % of all counts"));
}

#[test]
fn a_link_to_nothing_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("inside");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("a.proftext"), text(&[("main", 5)])).unwrap();
    std::os::unix::fs::symlink("gone", inside.join("b.profraw")).unwrap();
    assert_eq!(said(dir.path(), "merge inside -o out").0, 0);
    let (status, error) = said(dir.path(), "check inside");
    assert!(status == 0 && error.contains("b.profraw (a link to nothing)"), "{error}");
    // One that is named is missed.
    assert_eq!(said(dir.path(), "check inside/b.profraw").0, 2);
}

#[test]
fn what_cannot_be_read_in_a_directory_is_no_silence() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("inside");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("a.proftext"), text(&[("main", 5)])).unwrap();
    assert_eq!(said(dir.path(), "merge inside -o out").0, 0);
    for name in ["h.tar.xz", "h.TGZ", "x.profraw.bz2", "x.tzst"] {
        fs::write(inside.join(name), b"\xfd7zXZ\0 and so on").unwrap();
        let (status, error) = said(dir.path(), "merge inside -q -o out");
        assert!(status == 1 && error.contains(name), "{name}: {error}");
        fs::remove_file(inside.join(name)).unwrap();
    }
}

/// Nobody knows how many inputs a damaged partial result or archive had.
#[test]
fn a_damaged_container_is_in_no_share() {
    let dir = tempfile::tempdir().unwrap();
    let inside = dir.path().join("inside");
    fs::create_dir(&inside).unwrap();
    for number in 0..30 {
        fs::write(inside.join(format!("{number}.proftext")), text(&[("main", 5)])).unwrap();
    }
    fs::write(inside.join("torn.proftext"), "no").unwrap();
    let merge = "merge inside --fail-under-inputs 90% --fail-under-counts 90% -o out";
    assert_eq!(said(dir.path(), merge).0, 0);
    let mut torn = "torn.proftext";
    for (name, expected) in
        [("x.profraw.gz", 0), ("x.zst", 0), ("x.profpart", 1), ("x.TAR.gz", 1), ("x.profpart.zst", 1), ("x.zip", 1)]
    {
        fs::rename(inside.join(torn), inside.join(name)).unwrap();
        torn = name;
        let (status, error) = said(dir.path(), merge);
        assert_eq!(
            (status, error.contains(&format!("{name} is damaged: how many inputs"))),
            (expected, expected == 1),
            "{error}"
        );
    }
}
