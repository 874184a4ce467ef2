//! `profrt check` of MemProf sections, as `llvm-profdata-22` has written them.

use std::fs;
use std::path::Path;

use crate::common::profiles::run_in;
use profdata::read::indexed::Header;

fn check(directory: &Path, bytes: &[u8]) -> (i32, String) {
    fs::write(directory.join("a.profdata"), bytes).unwrap();
    let output = run_in(directory, &["check", "a.profdata"]);
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn memprof_sections_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    for version in 2..=4 {
        let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/memprof");
        let good = fs::read(inputs.join(format!("version-{version}.indexed"))).unwrap();
        let (status, text) = check(dir, &good);
        assert_eq!(status, 0, "{text}");
        assert!(text.contains("MemProf") && !text.contains("not checked"), "{text}");
        let start = Header::parse(&good).unwrap().memprof.unwrap() as usize;
        // The place of the record table, or of what stands before it.
        let mut bytes = good.clone();
        bytes[start + 8 + 3] ^= 0x55;
        let (status, text) = check(dir, &bytes);
        assert_eq!(status, 1, "version {version}: {text}");
        // A version that nobody knows is a note.
        bytes = good;
        bytes[start] = 99;
        let (status, text) = check(dir, &bytes);
        assert_eq!(status, 0, "{text}");
        assert!(text.contains("  note:     its MemProf section is not checked: "), "{text}");
    }
}

/// The result is named after the oldest release that reads all of it.
#[test]
fn the_result_is_for_compilers_that_read_its_memprof() {
    let inputs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/memprof");
    for (version, expected) in [(3, 12), (4, 13)] {
        let dir = tempfile::tempdir().unwrap();
        fs::copy(inputs.join(format!("version-{version}.indexed")), dir.path().join("a.profdata")).unwrap();
        // Raw version 10 is of clang 19 too.
        let raw = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/profiles/clang-19-ir.profraw");
        fs::copy(raw, dir.path().join("a.profraw")).unwrap();
        let output = run_in(dir.path(), &["merge", "-q", "a.profdata", "a.profraw", "-o", "out"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let header = Header::parse(&fs::read(dir.path().join("out")).unwrap()).unwrap();
        assert_eq!((header.version, header.memprof.is_some()), (expected, true), "MemProf {version}");
    }
}
