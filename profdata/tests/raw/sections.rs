//! Files of one binary are added section to section: with the same result as record by record.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU32, Ordering};

use profdata::Profile;
use profdata::finding::{FindingKind, InputId, Outcome};
use profdata::merge::{MergeOptions, Merger, Report, merge_parallel};
use profdata::name::name_hash;
use profdata::read::ReadOptions;
use profdata::read::names::write_blob;
use profdata::read::raw::read;
use profdata::sink::Value;
use proptest::collection::vec;
use proptest::prelude::*;

use crate::raw::recode::{ENCODINGS, Image, Record};

/// Returns the profile of one run of a binary with `functions` functions: its counts come from `counts`, over and over, and its addresses
/// begin at `base`.
fn run(functions: usize, base: u64, counts: &[u64]) -> Image {
    let mut counts = counts.iter().copied().cycle();
    let names: Vec<String> = (0..functions).map(|number| format!("f{number}")).collect();
    let address = |number: usize| base + 16 * number as u64;
    let record = |(number, name): (usize, &String)| {
        let mut record = Record {
            name_ref: name_hash(name.as_bytes()),
            hash: 7 + number as u64,
            counters: counts.by_ref().take(1 + number % 3).collect(),
            bitmap: vec![counts.next().unwrap() as u8; number % 2],
            function: address(number),
            ..Record::default()
        };
        if number % 2 == 1 {
            let mut pair = |value: u64| (value, counts.next().unwrap() % 100);
            let calls = vec![pair(address(0)), pair(address(functions - 1)), pair(3)];
            record.values = [vec![calls, vec![]], vec![vec![pair(8), pair(1 + base % 5)]], vec![]];
        }
        record
    };
    Image {
        flags: 1 << 56,
        ids: vec![vec![5; 20]],
        records: names.iter().enumerate().map(record).collect(),
        names: write_blob(names.iter().map(|name| name.as_bytes()), false),
        ..Image::default()
    }
}

fn by_records(files: &[Vec<u8>]) -> (Profile, Report) {
    let mut merger = Merger::new(MergeOptions::default());
    for file in files {
        let mut input = merger.input("file", 1);
        let result = read(file, &ReadOptions::salvage(), &mut input);
        input.finish(file.len() as u64, result).unwrap();
    }
    merger.finish().unwrap()
}

/// Merges whole files, and returns whether some were added section to section.
fn by_sections(files: &[Vec<u8>]) -> ((Profile, Report), bool) {
    let mut merger = Merger::new(MergeOptions::default());
    for file in files {
        merger.add_bytes("file", 1, file).unwrap();
    }
    let used = format!("{merger:?}").contains("Binary {");
    (merger.finish().unwrap(), used)
}

fn assert_equal(files: &[Vec<u8>], sections: bool) {
    let ((profile, report), used) = by_sections(files);
    let (expected, expected_report) = by_records(files);
    assert_eq!(used, sections);
    assert!(profile.records().eq(expected.records()));
    assert_eq!(profile.binary_ids(), expected.binary_ids());
    assert_eq!(profile.flags(), expected.flags());
    assert_eq!(report.total, expected_report.total);
    assert_eq!(report.findings, expected_report.findings);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn sums_are_those_of_records(
        runs in vec((0..1u64 << 40, vec(0..1u64 << 56, 1..9), 1..4usize), 1..6),
        functions in 1..6usize,
        encoding in 0..4usize,
    ) {
        let encode = |(base, counts, more): &(u64, Vec<u64>, usize)| {
            // Two binaries: most runs are of the first.
            let functions = if *more == 1 { functions + 1 } else { functions };
            let base = if ENCODINGS[encoding].word.bytes() == 4 { base & 0xff_fff0 } else { base & !15 };
            run(functions, 0x1000 + base, counts).encode(10, ENCODINGS[encoding])
        };
        assert_equal(&runs.iter().map(encode).collect::<Vec<_>>(), true);
    }
}

fn encoded(image: &Image) -> Vec<u8> {
    image.encode(10, ENCODINGS[0])
}

#[test]
fn without_names_the_counts_are_the_same() {
    let merge = |file: &[u8], unnamed: bool| {
        let mut merger = Merger::new(MergeOptions { unnamed, ..MergeOptions::default() });
        (0..3).for_each(|_| assert_eq!(merger.add_bytes("file", 1, file).unwrap(), Outcome::Whole));
        let (profile, report) = merger.finish().unwrap();
        let has_names = profile.records().any(|record| record.name.bytes.is_some());
        let counters = profile.records().map(|record| ((record.name.hash, record.hash), record.counters.to_vec()));
        (counters.collect::<BTreeMap<_, _>>(), has_names, report.total.counts_lost)
    };
    let image = run(4, 0x1000, &[1, 2, 3]);
    let named = merge(&encoded(&image), false);
    assert_eq!((named.0.len(), named.1, named.2), (4, true, 0));
    // Names that nobody wants may be damaged.
    for names in [image.names.clone(), vec![200, 1, 0]] {
        assert_eq!(merge(&encoded(&Image { names, ..image.clone() }), true), (named.0.clone(), false, 0));
    }
}

#[test]
fn files_that_are_not_simple_are_read_by_records() {
    let plain = encoded(&run(4, 0x1000, &[1, 2, 3]));
    let two = [plain.clone(), plain.clone()].concat();
    let cut = plain[..plain.len() - 8].to_vec();
    for file in [two, cut, encoded(&Image { flags: 1 << 63 | 1 << 56, ..run(2, 0, &[5]) })] {
        assert_equal(std::slice::from_ref(&file), false);
        assert_equal(&[plain.clone(), file, plain.clone()], true);
    }
}

#[test]
fn records_that_share_a_long_name_are_added_by_records() {
    // Up to a megabyte, and else each byte of names 64 times.
    for (len, records, sections) in [(20_000, 100, false), (20_000, 60, true), (1, 1000, true)] {
        let name = vec![b'n'; len];
        let record =
            |number| Record { name_ref: name_hash(&name), hash: number, counters: vec![1], ..Record::default() };
        let names = write_blob([name.as_slice()], true);
        let image = Image { flags: 1 << 56, records: (0..records).map(record).collect(), names, ..Image::default() };
        assert_equal(&[encoded(&image)], sections);
    }
}

#[test]
fn sums_of_few_binaries_are_kept_apart() {
    let binary = |number: u8| encoded(&Image { ids: vec![vec![number; 20]], ..run(4, 0x1000, &[1, 2, 3]) });
    let files: Vec<_> = (0..40).chain(20..40).chain(0..40).map(binary).collect();
    assert_equal(&files, true);
    let mut merger = Merger::new(MergeOptions::default());
    files.iter().for_each(|file| assert_eq!(merger.add_bytes("file", 1, file).unwrap(), Outcome::Whole));
    assert_eq!(format!("{merger:?}").matches("Binary {").count(), 16);
}

#[test]
fn binaries_that_make_room_leave_no_memory_behind() {
    let binary = |number: u8| {
        let mut image = Image { ids: vec![vec![number; 20]], ..run(2, 0x1000, &[1]) };
        image.records[0].counters = vec![5; 300];
        image.records[1].bitmap = vec![0; 300];
        encoded(&image)
    };
    let size = |rounds: usize| {
        let mut merger = Merger::new(MergeOptions::default());
        for binary in (0..20).map(binary).cycle().take(20 * rounds) {
            // Under one number, so that the report does not grow.
            merger.number_next(0);
            merger.add_bytes("file", 1, &binary).unwrap();
        }
        format!("{merger:?}").len()
    };
    let (few, many) = (size(2), size(20));
    assert!(many < 2 * few, "{few} and {many} bytes of text");
}

#[test]
fn a_file_of_which_nothing_can_be_used_decides_nothing() {
    // Of another kind than the text, with a build id.
    let mut image = Image { flags: 0, ..run(1, 0x1000, &[1 << 57]) };
    let bad = encoded(&image);
    image.flags = 1 << 56;
    let bad_too = encoded(&image);
    let text = b":ir\nf9\n8\n1\n3\n";
    for (bad, weight) in [(&bad, 1), (&bad, 2), (&bad_too, 1), (&bad_too, 2)] {
        let mut merger = Merger::new(MergeOptions::default());
        assert_eq!(merger.add_bytes("bad", weight, bad).unwrap(), Outcome::Refused);
        assert_eq!(merger.add_bytes("text", 1, text).unwrap(), Outcome::Whole);
        assert_eq!(merger.add_bytes("bad", weight, bad).unwrap(), Outcome::Refused);
        let (profile, _) = merger.finish().unwrap();
        assert_eq!((profile.len(), profile.binary_ids().len(), profile.headings().len()), (1, 0, 1));
    }
}

#[test]
fn findings_name_a_file_that_has_the_function() {
    // The first one is the first of the binary, and has not this function.
    let first = encoded(&run(3, 0x1000, &[1, 1, (1 << 56) + 1, 1]));
    let second = encoded(&run(3, 0x1000, &[1]));
    let text = b":ir\nf1\n8\n1\n3\n";
    for files in [[&first, &second], [&second, &first]] {
        assert!(by_sections(&files.map(Vec::clone)).1);
        let mut merger = Merger::new(MergeOptions::default());
        let mut others = Merger::new(MergeOptions::default());
        for file in files {
            merger.add_bytes("file", 1, file).unwrap();
            let mut input = others.input("file", 1);
            let result = read(file, &ReadOptions::salvage(), &mut input);
            input.finish(file.len() as u64, result).unwrap();
        }
        for merger in [&mut merger, &mut others] {
            (0..3).for_each(|_| assert_eq!(merger.add_bytes("text", 1, text).unwrap(), Outcome::Whole));
        }
        let found = merger.finish().unwrap().1.findings;
        assert_eq!(found, others.finish().unwrap().1.findings);
        assert!(found.iter().any(|finding| matches!(finding.kind, FindingKind::CounterMismatch { .. })));
    }
}

#[test]
fn threads_end_in_the_same_sums() {
    // More binaries than are kept apart: a thread lets go of one while others add to it. Sums of the last one reach the largest.
    let binary = |number: u8, counts: &[u64]| {
        encoded(&Image { ids: vec![vec![number; 20]], ..run(4 + usize::from(number % 3), 0x1000, counts) })
    };
    let few = (0..400u64).map(|number| binary((number * 7 % 20) as u8, &[1 + number, 2, number % 5]));
    let files: Vec<_> = few.chain((0..300).map(|_| binary(20, &[1 << 56, 0]))).collect();
    let (expected, expected_report) = by_records(&files);
    for threads in [1, 2, 3, 8].repeat(3) {
        let next = AtomicU32::new(0);
        let add = |merger: &mut Merger, _: &mut Vec<u8>| {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(file) = files.get(number as usize) else { return Ok(false) };
            merger.number_next(number);
            merger.add_bytes("file", 1, file).map(|_| true)
        };
        let (profile, report) = merge_parallel(threads, &MergeOptions::default(), &add).unwrap().finish().unwrap();
        assert!(profile.records().eq(expected.records()), "{threads} threads");
        assert_eq!(report.total, expected_report.total);
        let found = |report: &Report| {
            let found = report.findings.iter().map(|finding| format!("{:?} {:?}", finding.function, finding.kind));
            found.collect::<BTreeSet<_>>()
        };
        assert_eq!(found(&report), found(&expected_report));
        assert!(!report.findings.is_empty());
    }
}

#[test]
fn sums_of_few_counters_are_kept_apart() {
    let binary = |number: u8| {
        let mut image = Image { ids: vec![vec![number; 20]], ..run(1, 0x1000, &[0]) };
        image.records[0].counters = vec![0; 3_000_000];
        encoded(&image)
    };
    let mut merger = Merger::new(MergeOptions::default());
    for number in 0..3 {
        assert_eq!(merger.add_bytes("file", 1, &binary(number)).unwrap(), Outcome::Whole);
    }
    // At most 8,388,608 counters.
    assert_eq!(format!("{merger:?}").matches("Binary {").count(), 2);
}

#[test]
fn a_profile_without_its_header_is_a_loss() {
    let whole = encoded(&run(2, 0x1000, &[1]));
    let mut bytes = [whole.clone(), whole.clone()].concat();
    bytes[whole.len()] ^= 1;
    let mut merger = Merger::new(MergeOptions::default());
    assert_eq!(merger.add_bytes("file", 1, &bytes).unwrap(), Outcome::Salvaged);
    let (_, report) = merger.finish().unwrap();
    assert_eq!(report.findings[0].kind, FindingKind::TrailingBytes { bytes: whole.len() as u64 });
}

#[test]
fn a_function_that_another_input_names_is_not_without_a_name() {
    let whole = run(2, 0x1000, &[1]);
    let names = write_blob([&b"f0"[..]], false);
    let files = [encoded(&Image { names, ..whole.clone() }), encoded(&whole)];
    let ((_, report), _) = by_sections(&files);
    assert_eq!(report.findings, []);
    let ((_, report), _) = by_sections(&files[..1]);
    let lost: Vec<_> = report.findings.iter().map(|finding| &finding.kind).collect();
    assert_eq!(lost, [&FindingKind::NoName]);
}

#[test]
fn findings_name_the_first_file() {
    let whole = encoded(&run(2, 0x1000, &[1]));
    let text = b":ir\nf1\n8\n1\n3\n";
    let mut by_sections = Merger::new(MergeOptions::default());
    by_sections.add_bytes("file", 1, &whole).unwrap();
    by_sections.add_bytes("text", 1, text).unwrap();
    let mut by_records = Merger::new(MergeOptions::default());
    let mut input = by_records.input("file", 1);
    let result = read(&whole, &ReadOptions::salvage(), &mut input);
    input.finish(whole.len() as u64, result).unwrap();
    by_records.add_bytes("text", 1, text).unwrap();
    let (_, report) = by_sections.finish().unwrap();
    assert_eq!(report.findings[0].kind, FindingKind::CounterMismatch { kept: 2, left_out: 1 });
    assert_eq!(report.findings[0].input, InputId::of(1));
    assert_eq!(report.findings, by_records.finish().unwrap().1.findings);

    // The text has the function first, the file its counters.
    let most = 18_446_744_073_709_551_613u64;
    let text = format!(":ir\nf1\n8\n2\n{most}\n1\n");
    let mut merger = Merger::new(MergeOptions::default());
    merger.number_next(3);
    merger.add_bytes("text", 1, text.as_bytes()).unwrap();
    merger.number_next(1);
    merger.add_bytes("file", 1, &whole).unwrap();
    let (_, report) = merger.finish().unwrap();
    let overflow = FindingKind::CounterOverflow { counter: 0 };
    assert_eq!((report.findings[0].kind, report.findings[0].input), (overflow, InputId::of(1)));
}

#[test]
fn a_counter_that_is_too_large_costs_its_function_in_one_file() {
    let files: Vec<_> = [3, (1 << 56) + 1, 1 << 56, 4].map(|count| encoded(&run(3, 0x1000, &[1, 1, count]))).into();
    assert_equal(&files, true);
}

#[test]
fn sums_that_could_overflow_are_added_by_records() {
    let file = encoded(&run(3, 0x1000, &[1 << 56, 0]));
    assert_equal(&vec![file; 300], true);
}

#[test]
fn a_value_that_is_there_twice_is_a_finding() {
    let mut image = run(2, 0x1000, &[1]);
    image.records[1].values[1][0] = vec![(8, 1), (8, 2)];
    assert_equal(&[encoded(&image)], true);
    let ((profile, _), _) = by_sections(&[encoded(&image)]);
    let values = profile.record(1).unwrap().values.unwrap();
    assert_eq!(values.kinds[1].site(0), [Value { value: 8, count: 3 }]);
}
