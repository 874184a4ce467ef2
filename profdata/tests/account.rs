//! The loss account: what its numbers promise, for random inputs, for damaged ones, and for cut partial results.

use crate::common::{Shape, random};
use profdata::Profile;
use profdata::Target;
use profdata::finding::{FindingKind, LossAccount, Outcome};
use profdata::merge::{MergeOptions, Merger, Report};
use profdata::sink::Sink;
use profdata::sink::{Flags, Format, Heading, Name, RecordRef};
use profdata::write::indexed::{WriteOptions, write};

fn merged(inputs: &[(u64, &Profile)]) -> Merger {
    let mut merger = Merger::new(MergeOptions::default());
    for (weight, profile) in inputs {
        let mut input = merger.input("input", *weight);
        let read = profile.send_to(&mut input);
        input.finish(0, read).unwrap();
    }
    merger
}

fn profile(records: &[(Name<'_>, &[u64])]) -> Profile {
    let mut profile = Profile::new();
    for (name, counters) in records {
        let record = RecordRef { name: *name, hash: 1, counters, bitmap: &[], uniformity: &[], values: None };
        profile.push(record).unwrap();
    }
    profile
}

fn sum(profile: &Profile) -> u128 {
    let sum = profile.records().flat_map(|record| record.counters).map(|count| u128::from(*count)).sum();
    assert_eq!(profile.counts(), sum);
    sum
}

fn account(report: &Report) -> [u128; 4] {
    let LossAccount { functions, functions_lost, counts, counts_lost, .. } = report.total;
    [functions.into(), functions_lost.into(), counts, counts_lost]
}

/// Records of one name and hash with other counters, and records without a name, are what a merge itself loses.
#[test]
fn the_result_has_the_counts_that_are_not_lost() {
    let (main, other, nameless) = (Name::of(b"main"), Name::of(b"other"), Name::of_hash(5));
    let one = profile(&[(main, &[1, 2]), (other, &[3]), (nameless, &[100])]);
    let two = profile(&[(main, &[10, 20]), (other, &[30])]);
    let three = profile(&[(main, &[1000]), (nameless, &[200])]);
    let (result, report) = merged(&[(1, &one), (5, &two), (2, &three)]).finish().unwrap();
    assert_eq!(account(&report), [7, 1, 6 + 100 + 5 * 60 + 2 * 1200, 2 * 1000 + 100 + 2 * 200]);
    assert_eq!(sum(&result), 6 + 5 * 60);
    assert_eq!(report.total.inputs(), 3);
    assert!(!report.is_clean());
}

/// Returns a profile with some of so many functions: the same names for each seed, with other numbers of other counts.
fn some(seed: u64, functions: u64) -> Profile {
    let mut numbers = fastrand::Rng::with_seed(seed);
    let mut profile = Profile::new();
    for function in (0..functions).filter(|function| !(function + seed).is_multiple_of(5)) {
        let name = format!("function_{function}");
        let counters: Vec<u64> = (0..1 + numbers.u64(..3)).map(|_| numbers.u64(..1000)).collect();
        let name = if numbers.u8(..9) == 0 { Name::of_hash(function) } else { Name::of(name.as_bytes()) };
        let record = RecordRef { name, hash: 1, counters: &counters, bitmap: &[], uniformity: &[], values: None };
        profile.push(record).unwrap();
    }
    profile
}

#[test]
fn random_inputs_have_the_counts_that_are_not_lost() {
    for seed in 0..8 {
        let inputs = [some(seed, 30), some(seed + 1, 40), some(seed + 2, 20)];
        let weighted = [(1, &inputs[0]), (3, &inputs[1]), (1, &inputs[2])];
        let (result, report) = merged(&weighted).finish().unwrap();
        let [functions, functions_lost, counts, counts_lost] = account(&report);
        assert_eq!(functions, inputs.iter().map(Profile::len).sum::<usize>() as u128);
        assert_eq!(counts, weighted.iter().map(|(weight, input)| u128::from(*weight) * sum(input)).sum());
        assert_eq!(counts - counts_lost, sum(&result), "seed {seed}");
        assert!(functions_lost > 0 && counts_lost > 0);
    }
}

/// Functions that were read and those that were lost are those that the file had.
#[test]
fn a_damaged_indexed_profile_has_each_function_in_its_account() {
    let original = random(4, &Shape { functions: 100, ir: true, kinds: 2, ..Shape::default() }).profile;
    let mut whole = Vec::new();
    write(&original, Target::of_indexed(13).unwrap(), &WriteOptions::default(), &mut whole).unwrap();
    let mut lost = 0;
    for place in (800..9000).step_by(131) {
        let mut bytes = whole.clone();
        bytes[place..place + 16].fill(0xee);
        let mut merger = Merger::new(MergeOptions::default());
        merger.add_bytes("damaged", 1, &bytes).unwrap();
        let (_, report) = merger.finish().unwrap();
        let [functions, functions_lost, counts, counts_lost] = account(&report);
        assert_eq!(functions + functions_lost, 100, "damage at {place}: {:?}", report.findings);
        assert!(counts_lost == 0 && counts > 0);
        lost += functions_lost;
    }
    assert!(lost > 0);
}

#[test]
fn a_cut_partial_result_has_each_record_and_count_in_its_account() {
    let inputs: Vec<_> = (0..3).map(|seed| some(seed, 12_000)).collect();
    let records = inputs.iter().map(Profile::len).sum::<usize>() as u128;
    let counts: u128 = inputs.iter().map(sum).sum();
    let mut bytes = Vec::new();
    merged(&[(1, &inputs[0]), (1, &inputs[1]), (1, &inputs[2])]).write_partial(&mut bytes).unwrap();
    let mut salvaged = 0;
    for len in [bytes.len() / 5, bytes.len() / 2, bytes.len() * 4 / 5, bytes.len() - 5, bytes.len()] {
        let mut merger = Merger::new(MergeOptions::default());
        let outcome = merger.add_partial("partial", 2, &bytes[..len]).unwrap();
        assert_eq!(outcome == Outcome::Whole, len == bytes.len());
        salvaged += u64::from(outcome == Outcome::Salvaged);
        let (result, report) = merger.finish().unwrap();
        let [functions, functions_lost, all, lost] = account(&report);
        let nameless = report.findings.iter().filter(|finding| finding.kind == FindingKind::NoName).count() as u128;
        assert_eq!((functions, all), (records, 2 * counts), "{len} of {}", bytes.len());
        assert_eq!(functions_lost > nameless, len < bytes.len() - 5, "{len} of {}", bytes.len());
        assert_eq!(all - lost, sum(&result), "{len} of {}", bytes.len());
    }
    assert!(salvaged >= 2, "{salvaged}");
}

/// A partial result whose header cannot be read is an input like any other: the rest is merged.
#[test]
fn a_partial_result_of_another_version_is_refused() {
    let mut newer = Vec::new();
    merged(&[(1, &some(0, 9))]).write_partial(&mut newer).unwrap();
    newer[8] = 99;
    let mut merger = Merger::new(MergeOptions::default());
    for bytes in [&newer[..], &newer[..10]] {
        assert_eq!(merger.add_bytes("newer", 1, bytes).unwrap(), Outcome::Refused);
    }
    assert_eq!(merger.add_bytes("text", 1, b":ir\nmain\n7\n1\n5\n").unwrap(), Outcome::Whole);
    let (result, report) = merger.finish().unwrap();
    assert_eq!((sum(&result), report.total.inputs(), report.total.refused), (5, 3, 2));
    let errors: Vec<_> = report.inputs.values().filter_map(|input| input.error.as_ref()).collect();
    assert_eq!(errors[0].to_string(), "newer: version at byte 8: unsupported version; expected at most 2; found 99");
}

/// What was taken of a damaged input is in its outcome: traces are.
#[test]
fn an_input_whose_traces_count_is_not_refused() {
    let text = b":ir\n:temporal_prof_traces\n1\n1\n7\nf,g,\n\nf\nx\n";
    let mut merger = Merger::new(MergeOptions::default());
    assert_eq!(merger.add_bytes("damaged", 1, text).unwrap(), Outcome::Salvaged);
    let (profile, report) = merger.finish().unwrap();
    assert_eq!((profile.len(), profile.traces().len()), (0, 1));
    assert_eq!((report.total.salvaged, report.total.refused), (1, 0));
}

/// LLVM's tools end with a signal when they read a record without counters.
#[test]
fn a_record_without_counters_is_left_out() {
    let mut merger = Merger::new(MergeOptions::default());
    let mut input = merger.input("input", 1);
    input
        .heading(&Heading { format: Format::Text, flags: Flags::IR, says_front_end: false, kind_unknown: false })
        .unwrap();
    let values = None;
    for (name, counters) in [("f", &[][..]), ("g", &[5])] {
        let record =
            RecordRef { name: Name::of(name.as_bytes()), hash: 7, counters, bitmap: &[], uniformity: &[], values };
        input.record(record).unwrap();
    }
    input.finish(0, Ok(())).unwrap();
    let (profile, report) = merger.finish().unwrap();
    assert_eq!((profile.len(), report.total.functions, report.total.functions_lost), (1, 2, 1));
    assert_eq!(report.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>(), [FindingKind::NoCounters]);
}
