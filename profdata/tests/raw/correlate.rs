//! Profiles whose records and names are in the binary or in its debug info.

use std::path::Path;
use std::process::Command;

use profdata::correlate::ElfFiles;
use profdata::error::ErrorKind;
use profdata::read::raw::RawOptions;

use crate::programs::{has_release, kind, merged_text, raw_profile};
use crate::{profile, text};

#[test]
fn by_binary_and_by_debug_info() {
    let dir = tempfile::tempdir().unwrap();
    for release in [19, 22].into_iter().filter(|release| has_release(*release)) {
        for (name, option) in [("correlate-binary", "--binary-file"), ("correlate-debug-info", "--debug-info")] {
            let bytes = raw_profile(dir.path(), release, kind(name));
            let program = dir.path().join("program");
            let theirs =
                text::normal(&merged_text(dir.path(), release, &bytes, &[&format!("{option}={}", program.display())]));
            let missing = profile(&bytes, &RawOptions::default()).unwrap_err();
            assert_eq!(missing.kind(), ErrorKind::MissingCorrelation);

            let mut files = ElfFiles::new();
            files.add(other_program(dir.path(), release)).unwrap();
            let options = RawOptions { correlation: Some(&files), ..RawOptions::default() };
            assert_eq!(profile(&bytes, &options).unwrap_err().kind(), ErrorKind::UnableToCorrelate);

            files.add(std::fs::read(&program).unwrap()).unwrap();
            let options = RawOptions { correlation: Some(&files), ..RawOptions::default() };
            let ours = profile(&bytes, &options).unwrap();
            assert_eq!(ours.findings(), []);
            assert!(ours.len() > 3);
            assert_eq!(text::of(&ours), theirs, "{name} of {release}");
        }
    }
    assert!(ElfFiles::new().add(vec![1; 100]).is_err());
}

/// Returns a program with another build id.
fn other_program(dir: &Path, release: u32) -> Vec<u8> {
    let source = dir.join("other.c");
    std::fs::write(&source, "int main(void) { return 0; }").unwrap();
    let mut clang = Command::new(format!("clang-{release}"));
    clang.arg(&source).arg("-o").arg(dir.join("other")).arg("-Wl,--build-id=0x0605");
    assert!(clang.status().unwrap().success());
    std::fs::read(dir.join("other")).unwrap()
}
