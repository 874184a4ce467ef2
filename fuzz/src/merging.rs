//! Merges the profiles in an input in several groups and orders, and asserts that the results are equal.

use profdata::Target;
use profdata::compat::{self, FailureMode};
use profdata::finding::FindingKind;
use profdata::merge::{MergeOptions, Merger};
use profdata::read::{ReadOptions, indexed, raw, text};
use profdata::sink::Format;
use profdata::write::Release;
use profdata::write::indexed::{HashEras, WriteOptions};
use profdata::{Error, Profile, write};

use crate::readers::Record;

/// Returns the profiles in an input: after the first byte, each with a `u16` length before it. The last one has what is left.
pub fn split(input: &[u8]) -> Vec<&[u8]> {
    let mut rest = input.get(1..).unwrap_or(&[]);
    let mut files = Vec::new();
    while let Some((len, others)) = rest.split_first_chunk() {
        let (file, others) = others.split_at(usize::from(u16::from_le_bytes(*len)).min(others.len()));
        files.push(file);
        rest = others;
        if files.len() == 6 {
            break;
        }
    }
    files
}

/// Returns the input that is split into these profiles.
pub fn join(mode: u8, files: &[&[u8]]) -> Vec<u8> {
    let mut input = vec![mode];
    for file in files {
        input.extend((file.len() as u16).to_le_bytes());
        input.extend_from_slice(file);
    }
    input
}

/// What does not depend on the order of inputs.
#[derive(PartialEq, Debug)]
struct Facts {
    profile: Vec<String>,
    findings: Vec<FindingKind>,
    total: String,
}

fn options() -> MergeOptions {
    MergeOptions { max_traces: 2, max_trace_length: 9, ..MergeOptions::default() }
}

/// Adds files to a merger. Errors: their kinds do not merge.
fn merge<'a>(files: impl IntoIterator<Item = (usize, &'a [u8])>, mode: u8) -> Result<Merger, Error> {
    let mut merger = Merger::new(options());
    for (number, file) in files {
        merger.add_bytes("file", weight(mode, number), file)?;
    }
    Ok(merger)
}

fn weight(mode: u8, number: usize) -> u64 {
    match (mode >> 2 & 3, number % 3) {
        (1, 1) => 3,
        (2, 0) => u64::MAX,
        _ => 1,
    }
}

fn facts(merger: Merger) -> (Facts, Profile) {
    let (profile, report) = merger.finish().expect("few names");
    let mut findings: Vec<_> = report.findings.iter().map(|finding| finding.kind).collect();
    findings.sort();
    (Facts { profile: lines(&profile), findings, total: format!("{:?}", report.total) }, profile)
}

/// Returns what a profile has, in an order that the order of inputs does not decide.
fn lines(profile: &Profile) -> Vec<String> {
    let mut headings: Vec<String> = profile.headings().iter().map(|heading| format!("{heading:?}")).collect();
    headings.sort();
    let records = profile.records().map(|record| format!("{record:?}"));
    headings
        .into_iter()
        .chain(records)
        .chain([format!(
            "{:?} {:?} {} {:?} {:?} {:?}",
            profile.flags(),
            profile.traces(),
            profile.trace_stream_size(),
            profile.vtable_names(),
            profile.binary_ids(),
            profile.memprof_sections(),
        )])
        .collect()
}

/// Merges the profiles in an input in every way, and writes the sum in every format.
pub fn check(input: &[u8]) {
    let Some(mode) = input.first().copied() else { return };
    let files = split(input);
    run_compat(&files, mode);
    let numbered = || files.iter().copied().enumerate();
    let Ok(one) = merge(numbered(), mode) else { return };
    let (facts_of_one, profile) = facts(one);
    // What does not merge in one order does not merge in another.
    let backward = merge(numbered().rev(), mode).expect("the kinds merge forward");
    assert_eq!(facts(backward).0, facts_of_one);
    if mode & 1 == 0 {
        grouped(&files, mode, &facts_of_one);
    } else {
        through_files(&files, mode, &facts_of_one);
    }
    record_by_record(&files, mode, &facts_of_one);
    written(&profile);
}

fn group<'a>(files: &[&'a [u8]], mode: u8, of: usize) -> Merger {
    let files = files.iter().copied().enumerate().filter(|(number, _)| (number ^ usize::from(mode >> 4)) % 2 == of);
    merge(files, mode).expect("the kinds merge")
}

/// Two groups that are then added.
fn grouped(files: &[&[u8]], mode: u8, facts_of_one: &Facts) {
    let (mut first, second) = (group(files, mode, 0), group(files, mode, 1));
    first.absorb(second).expect("the kinds merge");
    assert_eq!(facts(first).0, *facts_of_one);
}

/// Two groups that are then added as partial results.
fn through_files(files: &[&[u8]], mode: u8, facts_of_one: &Facts) {
    let mut sum = Merger::new(options());
    for of in 0..2 {
        let (mut bytes, mut group) = (Vec::new(), group(files, mode, of));
        group.write_partial(&mut bytes).expect("memory");
        let outcome = sum.add_partial("part", 1, &bytes).expect("the kinds merge");
        assert_eq!(outcome, profdata::finding::Outcome::Whole);
    }
    assert_eq!(facts(sum).0, *facts_of_one);
}

/// Raw profiles that are not added section to section.
fn record_by_record(files: &[&[u8]], mode: u8, facts_of_one: &Facts) {
    let mut merger = Merger::new(options());
    for (number, file) in files.iter().enumerate() {
        if raw::is_raw(file) {
            let mut input = merger.input("file", weight(mode, number));
            let read = raw::read(file, &ReadOptions::salvage(), &mut input);
            input.finish(file.len() as u64, read).expect("the kinds merge");
        } else {
            merger.add_bytes("file", weight(mode, number), file).expect("the kinds merge");
        }
    }
    assert_eq!(facts(merger).0, *facts_of_one);
}

/// Merges as LLVM does: any result is right that is no panic.
fn run_compat(files: &[&[u8]], mode: u8) {
    let release = Release::new(13 + u32::from(mode) % 11).expect("13 to 23");
    let mut merger = compat::CompatMerger::new(release, FailureMode::Warn, 1 + files.len() % 2).keep_vtable_names(true);
    for (number, file) in files.iter().enumerate() {
        let options = ReadOptions { salvage: mode & 2 != 0, release: Some(release), ..ReadOptions::default() };
        merger.add(weight(mode, number), |sink| profdata::read(file, &options, sink));
    }
    if let Ok(mut merged) = merger.finish() {
        compat::drop_dead_names(&mut merged.profile);
        let options = WriteOptions { sparse: false, vtable_names: true, hash_eras: HashEras::AsIs };
        let _ = write::indexed::write(&merged.profile, Target::of_release(release), &options, &mut Vec::new());
    }
}

fn records(profile: &Profile) -> Vec<Record> {
    let mut records: Vec<Record> = profile.records().map(Record::from).collect();
    records.sort_by(|a, b| (&a.name.1, a.hash).cmp(&(&b.name.1, b.hash)));
    records
}

/// Writes a profile in every format that can have all of it, and reads it back.
fn written(profile: &Profile) {
    let expected = records(profile);
    for version in 7..=14 {
        let options = WriteOptions { sparse: false, vtable_names: true, hash_eras: HashEras::AsIs };
        let mut bytes = Vec::new();
        let target = Target::of_indexed(version).expect("7 to 14");
        let Ok(written) = write::indexed::write(profile, target, &options, &mut bytes) else { continue };
        assert_eq!(written.bytes, bytes.len() as u64);
        let mut again = Profile::new();
        indexed::read(&bytes, &ReadOptions::default(), &mut again).expect("a sound profile");
        assert_eq!(again.headings()[0].format, Format::Indexed(version));
        if written.findings.is_empty() {
            assert_eq!(records(&again), expected, "version {version}");
            assert_eq!(again.traces(), profile.traces());
            assert_eq!(again.binary_ids(), profile.binary_ids());
        }
    }
    let release = Release::NEWEST;
    let mut bytes = Vec::new();
    write::text::write(profile, &write::text::TextWriteOptions { release }, &mut bytes).expect("memory");
    let is_plain = |name: &[u8]| {
        name.first().is_some_and(u8::is_ascii_alphabetic) && name.is_ascii() && !name.iter().any(u8::is_ascii_control)
    };
    if expected.iter().all(|record| record.name.1.as_deref().is_some_and(is_plain)) && !bytes.is_empty() {
        let mut again = Profile::new();
        let read = text::read(&bytes, &ReadOptions::default(), &mut again);
        // Neither a record without counters nor a trace without functions has a text form.
        let has_all = profile.traces().iter().all(|trace| !trace.functions.is_empty());
        if has_all && expected.iter().all(|record| !record.counters.is_empty()) {
            read.expect("a sound profile");
            let counters = |records: Vec<Record>| -> Vec<_> {
                records.into_iter().map(|record| (record.name, record.hash, record.counters, record.bitmap)).collect()
            };
            assert_eq!(counters(records(&again)), counters(expected));
        }
    }
}
