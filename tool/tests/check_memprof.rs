//! `profrt check` of MemProf sections, as `llvm-profdata-22` writes them.

mod common;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::profiles::run_in;
use profdata::read::indexed::Header;

const YAML: &str = "---
HeapProfileRecords:
  - GUID: 0x1
    AllocSites:
      - Callstack:
          - { Function: 0x1, LineOffset: 1, Column: 2, IsInlineFrame: false }
        MemInfoBlock:
          AllocCount: 3
          TotalSize: 40
          TotalLifetime: 5
          TotalLifetimeAccessDensity: 6
    CallSites:
      - Frames:
          - { Function: 0x1, LineOffset: 7, Column: 8, IsInlineFrame: false }
...
";

fn check(directory: &Path, bytes: &[u8]) -> (i32, String) {
    fs::write(directory.join("a.profdata"), bytes).unwrap();
    let output = run_in(directory, &["check", "a.profdata"]);
    (output.status.code().unwrap(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn memprof_sections_are_checked() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    fs::write(dir.join("a.yaml"), YAML).unwrap();
    for version in 2..=4 {
        let mut command = Command::new("llvm-profdata-22");
        command.current_dir(dir).args(["merge", "a.yaml", "-o", "out", &format!("--memprof-version={version}")]);
        let Ok(output) = command.output() else {
            println!("skipped: llvm-profdata-22 is not installed");
            return;
        };
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let good = fs::read(dir.join("out")).unwrap();
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
