//! What LLVM's merge does differently from the default merge.

use super::*;
use crate::maps::small_map_order;
use crate::merge::{MergeOptions, Merger};
use crate::read::{ReadOptions, read};
use crate::release::HashMix;

fn merge(release: u32, mode: FailureMode, threads: usize, inputs: &[(u64, &str)]) -> Result<Merged, Failed> {
    let mut merger = CompatMerger::new(Release::new(release).unwrap(), mode, threads);
    for (weight, text) in inputs {
        merger.add(*weight, |sink| read(text.as_bytes(), &ReadOptions::default(), sink));
    }
    merger.finish()
}

fn counters(merged: Merged) -> Vec<u64> {
    merged.profile.record(0).unwrap().counters.to_vec()
}

#[test]
fn a_new_value_is_added_without_the_weight() {
    let one = "foo\n1\n1\n1\n1\n1\n1\n2\n8:5\n16:7\n";
    let two = "foo\n1\n1\n1\n1\n1\n1\n2\n8:1\n32:3\n";
    let merged = merge(22, FailureMode::Any, 1, &[(1, one), (10, two)]).unwrap();
    let record = merged.profile.record(0).unwrap();
    let values: Vec<_> =
        record.values.unwrap().kinds[1].site(0).iter().map(|value| (value.value, value.count)).collect();
    assert_eq!((values, record.counters), (vec![(8, 15), (16, 7), (32, 3)], &[11][..]));
}

#[test]
fn the_limits_of_traces_can_be_set() {
    let text = b":temporal_prof_traces\n3\n3\n1\na,b,c\n1\nb\n1\nc\na\n1\n1\n1\n";
    let mut merger = CompatMerger::new(Release::new(22).unwrap(), FailureMode::Any, 2).trace_limits(2, 1);
    merger.add(1, |sink| read(text, &ReadOptions::default(), sink));
    let merged = merger.finish().unwrap();
    assert_eq!((merged.profile.traces().len(), merged.profile.trace_stream_size()), (2, 3));
    assert!(merged.profile.traces().iter().all(|trace| trace.functions.len() == 1));
}

#[test]
fn a_front_end_profile_does_not_merge_with_others() {
    let failed = merge(22, FailureMode::Any, 1, &[(1, ":fe\nfoo\n1\n1\n1\n"), (1, ":ir\nfoo\n1\n1\n1\n")]).unwrap_err();
    assert_eq!(failed.errors.len(), 1);
    assert_eq!(failed.errors[0].0, InputId::of(1));
    assert_eq!(failed.errors[0].1.kind(), ErrorKind::Incompatible);
    let two = [(1, ":fe\nfoo\n1\n1\n1\n"), (1, ":ir\nfoo\n1\n1\n1\n")];
    assert_eq!(merge(22, FailureMode::Warn, 2, &two).unwrap_err().fold.unwrap().kind(), ErrorKind::Incompatible);
    assert_eq!(counters(merge(14, FailureMode::Any, 2, &two).unwrap()), [2]);
}

#[test]
fn llvm_15_knows_no_pseudo_counts() {
    const MAX: u64 = u64::MAX;
    let text = |first: u64| format!("foo\n1\n2\n{first}\n5\n");
    let sum = |release, [one, two]: [u64; 2]| {
        counters(merge(release, FailureMode::Any, 1, &[(1, &text(one)), (1, &text(two))]).unwrap())
    };
    for release in [13, 14, 15] {
        assert_eq!(sum(release, [MAX, 7]), [MAX, 10]);
        assert_eq!(sum(release, [7, MAX]), [MAX, 10]);
        assert_eq!(sum(release, [MAX - 1, 0]), [MAX - 1, 10]);
        assert_eq!(sum(release, [MAX - 2, MAX - 2]), [MAX, 10]);
        assert_eq!(counters(merge(release, FailureMode::Any, 1, &[(2, &text(MAX - 1))]).unwrap()), [MAX, 10]);
    }
    assert_eq!(sum(16, [MAX, 7]), [MAX, 5]);
    assert_eq!(sum(16, [7, MAX]), [7, 5]);
    assert_eq!(sum(16, [MAX - 2, MAX - 2]), [MAX - 2, 10]);
}

#[test]
fn llvm_15_folds_no_kinds() {
    let front_end = [(1, ":fe\nfoo\n1\n1\n1\n")];
    for release in [13, 14, 15] {
        assert_eq!(counters(merge(release, FailureMode::Any, 3, &front_end).unwrap()), [1], "LLVM {release}");
    }
    assert!(merge(16, FailureMode::Any, 3, &front_end).unwrap_err().fold.is_some());
}

#[test]
fn llvm_13_takes_a_text_without_kind_for_one_of_the_front_end() {
    let merged = |release, kinds: [&str; 2], threads| {
        let texts = kinds.map(|kind| format!("{kind}foo\n1\n1\n1\n"));
        merge(release, FailureMode::Any, threads, &[(1, &texts[0]), (1, &texts[1])])
            .ok()
            .map(|merged| merged.profile.flags())
    };
    for [one, two] in [["", ":ir\n"], ["", ":csir\n"], [":entry_first\n", ":ir\n"]] {
        assert_eq!(merged(13, [one, two], 1), None);
        assert_eq!(merged(13, [two, one], 1), None);
        assert!(merged(14, [one, two], 1).is_some());
        assert!(merged(13, [one, two], 2).is_some());
    }
    assert_eq!(merged(13, [":fe\n", ""], 1), Some(Flags::NONE));
    assert_eq!(merged(14, [":fe\n", ""], 1), None);
    assert_eq!(merged(13, [":csir\n", ":ir\n"], 1), Some(Flags::IR | Flags::CONTEXT_SENSITIVE));
    assert_eq!(merged(13, ["", ":fe\n"], 1), Some(Flags::NONE));
}

#[test]
fn llvm_13_takes_entry_first_from_the_last_input() {
    let flags = |release, kinds: &[&str]| {
        let texts: Vec<_> = kinds.iter().map(|kind| format!("{kind}foo\n1\n1\n1\n")).collect();
        let inputs: Vec<_> = texts.iter().map(|text| (1, text.as_str())).collect();
        merge(release, FailureMode::All, 1, &inputs).unwrap().profile.flags()
    };
    let (with, without) = (":ir\n:entry_first\n", ":ir\n");
    assert_eq!(flags(13, &[with, without]), Flags::IR);
    assert_eq!(flags(13, &[without, with]), Flags::IR | Flags::ENTRY_FIRST);
    // An input that is refused has no say.
    assert_eq!(flags(13, &[with, ":fe\n"]), Flags::IR | Flags::ENTRY_FIRST);
    assert_eq!(flags(14, &[with, without]), Flags::IR | Flags::ENTRY_FIRST);
}

#[test]
fn of_one_input_llvm_16_keeps_the_binary_ids_of_the_last_profile() {
    let ids = |release: u32| {
        let mut merger = CompatMerger::new(Release::new(release).unwrap(), FailureMode::Any, 1);
        let format = Format::Text;
        let heading = Heading { format, flags: Flags::NONE, says_front_end: false, kind_unknown: true };
        for input in [&[1, 2][..], &[3]] {
            merger.add(1, |sink| {
                for id in input {
                    sink.heading(&heading)?;
                    sink.binary_id(&[*id]);
                }
                Ok(())
            });
        }
        let ids = merger.finish().unwrap().profile.binary_ids().clone();
        ids.into_iter().flatten().collect::<Vec<u8>>()
    };
    assert_eq!(ids(16), [2, 3]);
    assert_eq!(ids(19), [1, 2, 3]);
}

#[test]
fn modes_differ_in_what_fails() {
    let (good, cut) = ("foo\n1\n1\n1\n", "foo\n1\n1\n2\nbar\n");
    let inputs = [(1, good), (1, cut), (1, "")];
    assert!(merge(22, FailureMode::Any, 1, &inputs).is_err());
    let merged = merge(22, FailureMode::All, 1, &inputs).unwrap();
    assert_eq!(merged.errors.len(), 1);
    assert_eq!(counters(merged), [3]);
    assert!(merge(22, FailureMode::All, 1, &[(1, cut)]).is_err());
    assert_eq!(counters(merge(22, FailureMode::Warn, 1, &[(1, cut)]).unwrap()), [2]);
    assert!(merge(22, FailureMode::Any, 1, &[(1, "")]).unwrap().profile.is_empty());
}

#[test]
fn mismatches_are_findings() {
    let found = |one: &str, two: &str| {
        let merged = merge(22, FailureMode::Any, 1, &[(1, one), (1, two)]).unwrap();
        merged.profile.findings().iter().map(|finding| (finding.input, finding.kind)).collect::<Vec<_>>()
    };
    let second = |kind| vec![(InputId::of(1), kind)];
    assert_eq!(
        found("foo\n1\n1\n1\n", "foo\n1\n2\n1\n1\n"),
        second(FindingKind::CounterMismatch { kept: 1, left_out: 2 })
    );
    assert_eq!(
        found("foo\n1\n1\n1\n$1\n1\n", "foo\n1\n1\n1\n$2\n1\n1\n"),
        second(FindingKind::BitmapMismatch { kept: 1, left_out: 2 })
    );
    assert_eq!(
        found("foo\n1\n1\n1\n1\n0\n1\n0\n", "foo\n1\n1\n1\n"),
        second(FindingKind::ValueSiteMismatch { kind: 0, kept: 1, left_out: 0 })
    );
    assert_eq!(found("foo\n1\n1\n18446744073709551615\n", "foo\n1\n1\n1\n"), second(FindingKind::PseudoMismatch));
    assert_eq!(
        found("foo\n1\n1\n18446744073709551613\n", "foo\n1\n1\n1\n"),
        second(FindingKind::CounterOverflow { counter: 0 })
    );
    for kind in [FindingKind::PseudoMismatch, FindingKind::CounterOverflow { counter: 0 }] {
        assert!(llvm_message(&kind).is_some());
    }
}

#[test]
fn a_profile_in_memory_is_an_input() {
    let text = ":csir\n:temporal_prof_traces\n1\n1\n2\nfoo\nfoo\n1\n1\n5\n1\n0\n1\n1\nfoo:3\n";
    let direct = merge(22, FailureMode::Any, 1, &[(3, text)]).unwrap().profile;
    let mut profile = Profile::new();
    read(text.as_bytes(), &ReadOptions::default(), &mut profile).unwrap();
    let mut merger = CompatMerger::new(Release::new(22).unwrap(), FailureMode::Any, 1);
    merger.add(3, |sink| profile.send_to(sink));
    let merged = merger.finish().unwrap().profile;
    assert!(merged.records().eq(direct.records()));
    assert_eq!((merged.flags(), merged.traces()), (direct.flags(), direct.traces()));
    assert_eq!(merged.record(0).unwrap().counters, [15]);
}

#[test]
fn only_dead_names_are_dropped() {
    let mut merged =
        merge(22, FailureMode::Any, 1, &[(1, "a\n1\n1\n0\na\n2\n1\n1\nb\n1\n1\n0\nc\n1\n1\n0\n$1\n2\n")]).unwrap();
    drop_dead_names(&mut merged.profile);
    let names: Vec<_> = merged.profile.records().map(|record| record.name.bytes.unwrap()).collect();
    assert_eq!(names, [b"a", b"a", b"c"]);
}

/// The order of records differs from that of memory.
#[test]
fn dead_names_of_a_sorted_profile_are_dropped() {
    let mut merger = Merger::new(MergeOptions::default());
    merger.add_bytes("input", 1, b"z\n1\n1\n5\n\nb\n1\n1\n0\n\ny\n1\n1\n6\n\na\n1\n1\n0\n\na\n2\n1\n7\n").unwrap();
    let (mut merged, _) = merger.finish().unwrap();
    assert_eq!(merged.record(0).unwrap().name.bytes, Some(&b"a"[..]));
    drop_dead_names(&mut merged);
    let records: Vec<_> = merged.records().map(|record| (record.name.bytes.unwrap(), record.counters[0])).collect();
    assert_eq!(records, [(&b"a"[..], 0), (b"a", 7), (b"y", 6), (b"z", 5)]);
}

#[test]
fn uniform_blocks_stay_uniform_with_nine_of_ten_counts() {
    let bits = |one: u64, two: u64| {
        let mut merger = CompatMerger::new(Release::NEWEST, FailureMode::Any, 1);
        for (count, uniformity) in [(one, 0xff), (two, 0xfe)] {
            merger.add(1, |sink| {
                let name = crate::name::Name::of(b"f");
                let (counters, uniformity) = (&[count][..], &[uniformity][..]);
                sink.record(RecordRef { name, hash: 1, counters, bitmap: &[], uniformity, values: None })
            });
        }
        merger.finish().unwrap().profile.record(0).unwrap().uniformity.to_vec()
    };
    assert_eq!((bits(9, 1), bits(8, 1)), (vec![0xff], vec![0xfe]));
}

/// Returns the hashes of the records of a name in the order in which `llvm-profdata` has put them into an indexed file.
fn hashes_of_llvm(release: u32, threads: usize, inputs: &[(u64, &str)]) -> Option<Vec<u64>> {
    use std::process::Command;
    let tool = format!("llvm-profdata-{release}");
    let directory = tempfile::tempdir().unwrap();
    let mut command = Command::new(&tool);
    command.current_dir(&directory).args(["merge", "-o", "out", &format!("-num-threads={threads}")]);
    for (index, (_, text)) in inputs.iter().enumerate() {
        std::fs::write(directory.path().join(index.to_string()), text).unwrap();
        command.arg(index.to_string());
    }
    command.output().ok()?;
    let shown = Command::new(tool).current_dir(&directory).args(["show", "-all-functions", "out"]).output().ok()?;
    let lines = String::from_utf8(shown.stdout).unwrap();
    let hashes = lines.lines().filter_map(|line| line.trim().strip_prefix("Hash: 0x"));
    Some(hashes.map(|hash| u64::from_str_radix(hash, 16).unwrap()).collect())
}

#[test]
fn records_stand_in_the_order_of_llvm() {
    [13, 14, 15, 16, 19, 22].into_iter().for_each(compare_orders);
}

fn compare_orders(release: u32) {
    let mut state = 12345u64;
    for threads in [1, 2, 3, 5] {
        let texts: Vec<_> = (0..5)
            .map(|_| {
                let mut text = String::new();
                for _ in 0..30 {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    text += &format!("foo\n{}\n1\n1\n", state >> 33 & 0x7f);
                }
                text
            })
            .collect();
        let inputs: Vec<_> = texts.iter().map(|text| (1, text.as_str())).collect();
        let merged = merge(release, FailureMode::Any, threads, &inputs).unwrap();
        let hashes: Vec<_> = merged.profile.records().map(|record| record.hash).collect();
        let ours: Vec<_> = small_map_order(&hashes, HashMix::of(release), |hash| *hash);
        // With several threads two inputs of one context may change places in LLVM.
        let attempts = if threads > 1 { 10 } else { 1 };
        let mut theirs = Vec::new();
        for _ in 0..attempts {
            let Some(hashes) = hashes_of_llvm(release, threads, &inputs) else {
                println!("skipped: no llvm-profdata-{release}");
                return;
            };
            theirs = hashes;
            if theirs == ours {
                break;
            }
        }
        assert_eq!(ours, theirs, "LLVM {release}, {threads} threads");
    }
}
