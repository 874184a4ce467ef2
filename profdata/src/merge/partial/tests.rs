//! A partial result has all that a merger has; damage is found, and costs no more than its frame.

use proptest::prelude::*;

use crate::finding::Outcome;
use crate::merge::tests::{TestInput, add, facts, inputs};
use crate::merge::{MergeOptions, Merger};

fn merged(inputs: &[TestInput]) -> Merger {
    merged_from(0, inputs)
}

/// Merges inputs, the first of which has this number.
fn merged_from(first: usize, inputs: &[TestInput]) -> Merger {
    let mut merger = Merger::new(MergeOptions::default());
    (first..).zip(inputs).for_each(|(number, input)| add(&mut merger, number, input));
    merger
}

fn written(merger: &mut Merger) -> Vec<u8> {
    let mut bytes = Vec::new();
    merger.write_partial(&mut bytes).unwrap();
    bytes
}

/// The profile as text.
fn text(profile: &crate::Profile) -> Vec<u8> {
    let mut text = Vec::new();
    let options = crate::write::text::TextWriteOptions { release: crate::release::Release::NEWEST };
    crate::write::text::write(profile, &options, &mut text).unwrap();
    text
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn groups_that_went_through_files_end_in_the_same_profile(inputs in inputs(), at in any::<prop::sample::Index>()) {
        let at = at.index(inputs.len() + 1);
        let mut sum = Merger::new(MergeOptions::default());
        for (first, group) in [(0, &inputs[..at]), (at, &inputs[at..])] {
            prop_assert_eq!(sum.add_partial("part", 1, &written(&mut merged_from(first, group))), Ok(Outcome::Whole));
        }
        let whole = merged(&inputs);
        prop_assert_eq!(facts(sum), facts(whole));
    }

    #[test]
    fn parts_that_were_merged_apart_end_in_the_same_profile(
        inputs in inputs(), at in any::<prop::sample::Index>(), parts in 1u32..5,
    ) {
        let at = at.index(inputs.len() + 1);
        let mut sum: Option<Merger> = None;
        for part in 0..parts {
            let mut merger = Merger::new(MergeOptions::default());
            for (first, group) in [(0, &inputs[..at]), (at, &inputs[at..])] {
                let mut bytes = Vec::new();
                merged_from(first, group).write_part(part, parts, &mut bytes).unwrap();
                prop_assert_eq!(merger.add_partial("part", 1, &bytes), Ok(Outcome::Whole));
            }
            match &mut sum {
                Some(sum) => sum.join(merger).unwrap(),
                None => sum = Some(merger),
            }
        }
        prop_assert_eq!(facts(sum.unwrap()), facts(merged(&inputs)));
    }

    #[test]
    fn a_note_is_read_whole_and_changes_no_sum(inputs in inputs(), text in any::<Vec<u8>>(), at in any::<prop::sample::Index>()) {
        let (mut noted, mut sum) = (Vec::new(), Merger::new(MergeOptions::default()));
        merged(&inputs).write_with_note(&text, &mut noted).unwrap();
        prop_assert!(super::has_note(&noted[..super::NOTED]));
        prop_assert_eq!(super::note(&noted), Some(&text[..]));
        prop_assert_eq!(sum.add_partial("part", 1, &noted), Ok(Outcome::Whole));
        let plain = written(&mut merged(&inputs));
        prop_assert!(!super::has_note(&plain) && super::note(&plain).is_none());
        prop_assert_eq!(facts(sum), facts(merged(&inputs)));
        // A part of a note is none.
        noted.truncate(at.index(super::HEADER + 9 + text.len()));
        prop_assert_eq!(super::note(&noted), None);
    }

    #[test]
    fn condensed_reports_change_no_sum_and_no_account(inputs in inputs(), at in any::<prop::sample::Index>()) {
        let at = at.index(inputs.len() + 1);
        let mut sum = Merger::new(MergeOptions::default());
        for group in [&inputs[..at], &inputs[at..]] {
            let mut group = merged(group);
            let taken = group.condense("group");
            let own: Vec<_> = group.inputs.values().map(|input| input.account).collect();
            prop_assert_eq!(own, [taken.total]);
            sum.add_partial("part", 1, &written(&mut group)).unwrap();
            sum.condense("all");
        }
        prop_assert_eq!(sum.inputs.len(), 1);
        let (condensed, report) = sum.finish().unwrap();
        let (whole, expected) = merged(&inputs).finish().unwrap();
        prop_assert_eq!(report.total, expected.total);
        prop_assert_eq!(text(&condensed), text(&whole));
    }

    #[test]
    fn damage_is_found(inputs in inputs(), at in any::<prop::sample::Index>(), change in 1u8.., cut in any::<bool>()) {
        let mut bytes = written(&mut merged(&inputs));
        let at = at.index(bytes.len());
        if cut {
            bytes.truncate(at);
        } else {
            bytes[at] ^= change;
        }
        let mut sum = Merger::new(MergeOptions::default());
        prop_assert_ne!(sum.add_partial("part", 1, &bytes), Ok(Outcome::Whole));
    }
}

#[test]
fn the_account_of_one_input_that_stands_for_others_stays() {
    for (bytes, expected) in
        [(&b""[..], Outcome::Empty), (b"no profile", Outcome::Refused), (b"main\n1\n1\n5\n", Outcome::Whole)]
    {
        let mut merger = Merger::new(MergeOptions::default());
        assert_eq!(merger.add_bytes("input", 1, bytes).unwrap(), expected);
        let total = merger.condense("all").total;
        let mut again = Merger::new(MergeOptions::default());
        again.add_partial("part", 1, &written(&mut merger)).unwrap();
        assert_eq!(again.finish().unwrap().1.total, total);
    }
}

#[test]
fn the_version_before_is_read_and_the_next_one_is_not() {
    let mut bytes = written(&mut merged(&[]));
    for (version, is_read) in [(0, false), (1, true), (2, true), (3, false)] {
        bytes[8] = version;
        assert_eq!(Merger::new(MergeOptions::default()).add_partial("part", 1, &bytes).is_ok(), is_read, "{version}");
    }
}

#[test]
fn bytes_after_the_end_are_no_part_of_it() {
    let one = || {
        let mut merger = Merger::new(MergeOptions::default());
        merger.add_bytes("a", 1, b"main\n7\n1\n5\n").unwrap();
        written(&mut merger)
    };
    let mut merger = Merger::new(MergeOptions::default());
    let both = [one(), one()].concat();
    assert_eq!(merger.add_partial("both", 1, &both), Ok(Outcome::Salvaged));
    assert_eq!(merger.add_partial("padded", 1, &[one(), vec![0; 8]].concat()), Ok(Outcome::Whole));
    let (profile, report) = merger.finish().unwrap();
    assert_eq!(profile.record(0).unwrap().counters, [10]);
    let error = report.inputs.values().find_map(|input| input.error.clone()).unwrap().to_string();
    assert!(error.contains("bytes after the last frame"), "{error}");
    assert!(crate::read(&both, &Default::default(), &mut crate::Profile::new()).is_err());
}
