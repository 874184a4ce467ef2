//! `profrt check` of MemProf sections, as `llvm-profdata-22` has written them.

mod common;

use std::fs;
use std::path::Path;

use common::profiles::run_in;
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
