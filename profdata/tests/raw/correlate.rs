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

            // Whatever its build id, the first file is the binary; here one without records.
            let mut any = ElfFiles::any();
            any.add(other_program(dir.path(), release)).unwrap();
            assert!(any.records_in_debug_info().is_err() && any.check_sections().is_err());
            any.add(std::fs::read(&program).unwrap()).unwrap();
            let options = RawOptions { correlation: Some(&any), ..RawOptions::default() };
            let error = profile(&bytes, &options).unwrap_err();
            assert!(error.kind() == ErrorKind::UnableToCorrelate && error.details().field != "build id", "{error}");

            let mut only = ElfFiles::any();
            only.add(std::fs::read(&program).unwrap()).unwrap();
            let found = (only.records_in_debug_info().ok(), only.check_sections().is_ok());
            let expected = if option == "--debug-info" { (Some(ours.len()), false) } else { (None, true) };
            assert_eq!(found, expected, "{name} of {release}");
            let in_debug_info = only.debug_info().map_or(0, |files| files.iter().map(|file| file.records.len()).sum());
            assert_eq!(in_debug_info, expected.0.unwrap_or(0), "{name} of {release}");
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
