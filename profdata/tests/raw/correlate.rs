//! Profiles whose records and names are in the binary or in its debug info.

use needs_macros::needs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use profdata::Profile;
use profdata::correlate::{Correlation, ObjectFiles};
use profdata::error::ErrorKind;
use profdata::finding::FindingKind;
use profdata::finding::Outcome;
use profdata::merge::{FileInput, MergeOptions, Merger, Report, merge_files};
use profdata::read;
use profdata::read::ReadOptions;

use crate::raw::programs::{kind, merged_text, raw_profile};
use crate::raw::recode::{ENCODINGS, Image};
use crate::raw::{profile, text};

#[needs("clangs")]
fn by_binary_and_by_debug_info() {
    let dir = tempfile::tempdir().unwrap();
    for release in [19, 22].into_iter() {
        for (name, option) in [("correlate-binary", "--binary-file"), ("correlate-debug-info", "--debug-info")] {
            let bytes = raw_profile(dir.path(), release, kind(name));
            let program = dir.path().join("program");
            let theirs =
                text::normal(&merged_text(dir.path(), release, &bytes, &[&format!("{option}={}", program.display())]));
            let missing = profile(&bytes, &ReadOptions::default()).unwrap_err();
            assert_eq!(missing.kind(), ErrorKind::MissingCorrelation);

            let mut files = ObjectFiles::new();
            files.add(other_program(dir.path(), release)).unwrap();
            let options = ReadOptions { correlation: Some(&files), ..ReadOptions::default() };
            assert_eq!(profile(&bytes, &options).unwrap_err().kind(), ErrorKind::UnableToCorrelate);

            files.add(std::fs::read(&program).unwrap()).unwrap();
            let options = ReadOptions { correlation: Some(&files), ..ReadOptions::default() };
            let ours = profile(&bytes, &options).unwrap();
            assert_eq!(ours.findings(), []);
            assert!(ours.len() > 3);
            assert_eq!(text::of(&ours), theirs, "{name} of {release}");

            // Whatever its build id, the first file is the binary; here one without records.
            let mut any = ObjectFiles::any();
            any.add(other_program(dir.path(), release)).unwrap();
            assert!(any.debug_info().is_err() && any.check_sections().is_err());
            any.add(std::fs::read(&program).unwrap()).unwrap();
            let options = ReadOptions { correlation: Some(&any), ..ReadOptions::default() };
            let error = profile(&bytes, &options).unwrap_err();
            assert!(error.kind() == ErrorKind::UnableToCorrelate && error.details().field != "build id", "{error}");

            let mut only = ObjectFiles::any();
            only.add(std::fs::read(&program).unwrap()).unwrap();
            let records = only.debug_info().ok().map(|files| files.iter().map(|file| file.records.len()).sum());
            let found = (records, only.check_sections().is_ok());
            let expected = if option == "--debug-info" { (Some(ours.len()), false) } else { (None, true) };
            assert_eq!(found, expected, "{name} of {release}");
            let in_debug_info = only.debug_info().map_or(0, |files| files.iter().map(|file| file.records.len()).sum());
            assert_eq!(in_debug_info, expected.0.unwrap_or(0), "{name} of {release}");
        }
    }
    assert!(ObjectFiles::new().add(vec![1; 100]).is_err());
}

/// Merges inputs from files by two threads.
fn merged(dir: &Path, inputs: &[&[u8]], correlation: Option<Arc<dyn Correlation>>) -> (Profile, Report) {
    let file = |(number, bytes): (usize, &&[u8])| {
        let path = dir.join(format!("{number}.profraw"));
        std::fs::write(&path, bytes).unwrap();
        FileInput { path, weight: 1 }
    };
    let files: Vec<_> = inputs.iter().enumerate().map(file).collect();
    let options = MergeOptions { correlation, ..MergeOptions::default() };
    merge_files(&files, 2, &options, &|_, _| {}).unwrap().finish().unwrap()
}

#[needs("clangs")]
fn a_merge_finds_the_binary_of_each_profile() {
    let dir = tempfile::tempdir().unwrap();
    for release in [19, 22].into_iter() {
        let mut files = ObjectFiles::new();
        files.add(other_program(dir.path(), release)).unwrap();
        let program = dir.path().join("program");
        let inputs =
            [("correlate-binary", "--binary-file"), ("correlate-debug-info", "--debug-info")].map(|(name, option)| {
                let bytes = raw_profile(dir.path(), release, kind(name));
                files.add(std::fs::read(&program).unwrap()).unwrap();
                let again = format!("-weighted-input=1,{}", dir.path().join("input.profraw").display());
                let program = format!("{option}={}", program.display());
                let twice = merged_text(dir.path(), release, &bytes, &[&again, &program]);
                (bytes, text::normal(&twice))
            });
        let files: Arc<dyn Correlation> = Arc::new(files);
        for (bytes, twice) in &inputs {
            let (ours, report) = merged(dir.path(), &[bytes, bytes], Some(files.clone()));
            assert!(report.is_clean(), "{report:?}");
            assert_eq!(text::of(&ours), *twice, "of {release}");

            let mut read_alone = Profile::new();
            let options = ReadOptions { correlation: Some(&*files), ..ReadOptions::default() };
            read(bytes, &options, &mut read_alone).unwrap();
            let (alone, _) = merged(dir.path(), &[bytes], Some(files.clone()));
            assert_eq!(text::of(&alone), text::of(&read_alone), "of {release}");

            let (_, report) = merged(dir.path(), &[bytes], None);
            let input = report.inputs.values().next().unwrap();
            assert_eq!(input.outcome, Outcome::Refused);
            assert_eq!(input.error.as_ref().unwrap().kind(), ErrorKind::MissingCorrelation);
        }
        // One program was compiled for both: each function has the counts of two runs.
        let [(first, _), (second, _)] = &inputs;
        let (ours, report) = merged(dir.path(), &[first, second], Some(files));
        assert!(report.is_clean(), "{report:?}");
        assert_eq!((report.total.whole, report.total.functions), (2, 2 * ours.len() as u64));
    }
}

#[needs("clangs")]
fn names_come_from_the_binary() {
    let dir = tempfile::tempdir().unwrap();
    for release in [19, 22].into_iter() {
        let whole = raw_profile(dir.path(), release, kind("ir-id"));
        let mut files = ObjectFiles::new();
        files.add(other_program(dir.path(), release)).unwrap();
        files.add(std::fs::read(dir.path().join("program")).unwrap()).unwrap();
        let files: Arc<dyn Correlation> = Arc::new(files);
        let expected = text::of(&profile(&whole, &ReadOptions::default()).unwrap());
        let torn = Image { names: Vec::new(), ..Image::of(&whole) }.encode(10, ENCODINGS[0]);

        let options = ReadOptions { salvage: true, correlation: Some(&*files), ..ReadOptions::default() };
        let mut ours = Profile::new();
        read(&torn, &options, &mut ours).unwrap();
        assert_eq!(text::of(&ours), expected, "of {release}");

        let (ours, report) = merged(dir.path(), &[&torn], Some(files.clone()));
        assert_eq!(text::of(&ours), expected, "of {release}");
        assert_eq!(report.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [FindingKind::NamesLost]);
        assert_eq!(report.total.functions_lost, 0);

        // A partial result has them for those who have not the binary.
        let mut merger = Merger::new(MergeOptions { correlation: Some(files.clone()), ..MergeOptions::default() });
        merger.add_bytes("torn", 1, &torn).unwrap();
        let mut partial = Vec::new();
        merger.write_partial(&mut partial).unwrap();
        assert_eq!(text::of(&profile_of_partial(&partial, None)), expected, "of {release}");

        let mut merger = Merger::new(MergeOptions::default());
        merger.add_bytes("torn", 1, &torn).unwrap();
        let mut partial = Vec::new();
        merger.write_partial(&mut partial).unwrap();
        assert_eq!(profile_of_partial(&partial, None).len(), 0);
        assert_eq!(text::of(&profile_of_partial(&partial, Some(&*files))), expected, "of {release}");
    }
}

fn profile_of_partial(bytes: &[u8], correlation: Option<&dyn Correlation>) -> Profile {
    let mut profile = Profile::new();
    read(bytes, &ReadOptions { correlation, ..ReadOptions::default() }, &mut profile).unwrap();
    profile
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
