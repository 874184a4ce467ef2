//! Every order and every grouping of inputs gives the same profile, and the same findings.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::finding::FindingKind;
use crate::flags::Flags;
use crate::name::Name;
use crate::profile::Profile;
use crate::read::names::NameTable;
use crate::read::raw::{Correlated, RawFile};
use crate::sink::{Format, Heading, Sink, Trace};
use crate::values::Value;

/// A record of an input, in a form that owns its parts.
#[derive(Clone, Debug)]
pub(crate) struct TestRecord {
    name: u8,
    named: bool,
    hash: u64,
    counters: Vec<u64>,
    bitmap: Vec<u8>,
    uniformity: Vec<u8>,
    values: Vec<Vec<Vec<Value>>>,
}

fn samples() -> impl Strategy<Value = Vec<TestRecord>> {
    let count = prop_oneof![
        0..3u64,
        Just(RecordRef::MAX_COUNT - 1),
        Just(RecordRef::MAX_COUNT),
        Just(RecordRef::PSEUDO_HOT),
        Just(RecordRef::PSEUDO_WARM)
    ];
    let value = (0..4u64, prop_oneof![0..3u64, Just(u64::MAX)]).prop_map(|(value, count)| Value { value, count });
    let sites = vec(vec(value, 0..4), 0..3);
    let record =
        (0..2u8, any::<bool>(), 0..2u64, vec(count, 1..4), vec(any::<u8>(), 0..3), any::<bool>(), vec(sites, 3));
    let record = record.prop_map(|(name, named, hash, counters, bitmap, uniform, values)| TestRecord {
        uniformity: if uniform { vec![0b1010_1010] } else { vec![] },
        // Only the first counter is ever a pseudo count.
        counters: (0..)
            .zip(counters)
            .map(|(at, count)| if at == 0 { count } else { count.min(RecordRef::MAX_COUNT) })
            .collect(),
        name,
        named,
        hash,
        bitmap,
        values,
    });
    vec(record, 0..4)
}

fn heading() -> Heading {
    Heading { format: Format::Text, flags: Flags::IR, says_front_end: false, kind_unknown: false }
}

/// An input: its records, and its weight.
pub(crate) type TestInput = (Vec<TestRecord>, u64);

pub(crate) fn inputs() -> impl Strategy<Value = Vec<TestInput>> {
    vec((samples(), prop_oneof![Just(1u64), Just(3)]), 1..6)
}

pub(crate) fn add(merger: &mut Merger, number: usize, (samples, weight): &TestInput) {
    merger.number_next(number as u32);
    let mut input = merger.input(number.to_string(), *weight);
    input.heading(&heading()).unwrap();
    for sample in samples {
        let mut values = ValueSites::default();
        for (kind, sites) in values.kinds.iter_mut().zip(&sample.values) {
            sites.iter().for_each(|site| assert!(kind.push_site(site.iter().copied())));
        }
        let bytes = [b'f', sample.name];
        let name = if sample.named { Name::of(&bytes) } else { Name::of_hash(crate::name::name_hash(&bytes)) };
        let record = RecordRef {
            name,
            hash: sample.hash,
            counters: &sample.counters,
            bitmap: &sample.bitmap,
            uniformity: &sample.uniformity,
            values: Some(&values).filter(|values| !values.is_empty()),
        };
        input.record(record).unwrap();
    }
    let trace = Trace { weight: 1, functions: samples.iter().map(|sample| sample.name.into()).collect() };
    input.traces(&[trace], 1);
    input.finish(0, Ok(())).unwrap();
}

/// The profile, and the findings with the names of their inputs.
pub(crate) type Facts = (String, Vec<(String, Option<(u64, u64)>, FindingKind)>);

pub(crate) fn facts(merger: Merger) -> Facts {
    let (profile, report) = merger.finish().unwrap();
    let counts = report.total;
    let named = |finding: &Finding| (report.name_of(finding.input).to_owned(), finding.function, finding.kind);
    let mut findings: Vec<_> = report.findings.iter().map(named).collect();
    findings.sort();
    (format!("{:?} {:?} {counts:?}", profile.records().collect::<Vec<_>>(), profile.traces()), findings)
}

/// Returns a merge of these groups of inputs.
fn merge_groups(inputs: &[TestInput], groups: &[Vec<usize>], options: &MergeOptions) -> Merger {
    let mut sum = Merger::new(options.clone());
    for group in groups {
        let mut merger = Merger::new(options.clone());
        group.iter().for_each(|number| add(&mut merger, *number, &inputs[*number]));
        sum.absorb_numbered(merger, |id| id).unwrap();
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn order_and_grouping_do_not_matter(
        inputs in inputs(),
        order in any::<proptest::sample::Index>(),
        groups in vec(0..3usize, 6),
        swapped in any::<bool>(),
    ) {
        let options = MergeOptions { max_traces: 2, ..MergeOptions::default() };
        let one = merge_groups(&inputs, &[(0..inputs.len()).collect()], &options);
        let mut grouped = vec![Vec::new(); 3];
        let start = order.index(inputs.len());
        for number in (start..inputs.len()).chain(0..start) {
            grouped[groups[number]].push(number);
        }
        if swapped {
            grouped.swap(0, 1);
        }
        let sum = merge_groups(&inputs, &grouped, &options);
        prop_assert_eq!(facts(sum), facts(one));
    }
}

#[test]
fn a_finding_names_the_first_input_that_has_the_part() {
    let full = TestRecord {
        name: 0,
        named: true,
        hash: 1,
        counters: vec![RecordRef::MAX_COUNT],
        bitmap: vec![1, 2],
        uniformity: vec![],
        values: vec![vec![], vec![vec![Value { value: 8, count: u64::MAX }]], vec![]],
    };
    let two_sites = vec![vec![], vec![vec![], vec![]], vec![]];
    let empty = TestRecord { counters: vec![1, 2], bitmap: vec![], values: vec![], ..full.clone() };
    let other = TestRecord { counters: vec![], bitmap: vec![1], values: two_sites, ..full.clone() };
    let input = |sample: &TestRecord| (vec![sample.clone()], 1);
    // The function comes with input 0, its counters, bitmap and values later.
    let inputs = [&empty, &other, &full, &full].map(input);
    let expected = [
        ("0", FindingKind::CounterMismatch { kept: 1, left_out: 2 }),
        ("1", FindingKind::BitmapMismatch { kept: 2, left_out: 1 }),
        ("1", FindingKind::ValueSiteMismatch { kind: 1, kept: 1, left_out: 2 }),
        ("2", FindingKind::CounterOverflow { counter: 0 }),
        ("2", FindingKind::ValueOverflow { kind: 1, site: 0 }),
    ];
    for groups in [vec![vec![0, 1, 2, 3]], vec![vec![3], vec![2], vec![1], vec![0]], vec![vec![1, 3], vec![0, 2]]] {
        let (_, found) = facts(merge_groups(&inputs, &groups, &MergeOptions::default()));
        let found: Vec<_> = found.iter().map(|(input, _, kind)| (input.as_str(), *kind)).collect();
        assert_eq!(found, expected, "{groups:?}");
    }
}

fn merge(inputs: &[(&[u64], u64)]) -> (Profile, Report) {
    let mut merger = Merger::new(MergeOptions::default());
    for (number, (counters, weight)) in inputs.iter().enumerate() {
        let sample = TestRecord {
            name: 0,
            named: true,
            hash: 1,
            counters: counters.to_vec(),
            bitmap: vec![],
            uniformity: vec![],
            values: vec![],
        };
        add(&mut merger, number, &(vec![sample], *weight));
    }
    merger.finish().unwrap()
}

#[test]
fn counts_stop_at_the_largest() {
    let (profile, report) = merge(&[(&[1, RecordRef::MAX_COUNT], 1), (&[2, 7], 10)]);
    assert_eq!(profile.record(0).unwrap().counters, [21, RecordRef::MAX_COUNT]);
    assert_eq!(
        report.findings.iter().map(|finding| finding.kind).collect::<Vec<_>>(),
        [FindingKind::CounterOverflow { counter: 1 }]
    );
    assert_eq!((report.total.counts, report.total.counts_lost), ((1 << 64) + 88, 70));
}

#[test]
fn the_size_of_most_inputs_wins_and_the_others_are_findings() {
    let (profile, report) = merge(&[(&[1, 2, 3], 1), (&[4], 1), (&[5], 1)]);
    assert_eq!(profile.record(0).unwrap().counters, [9]);
    assert_eq!(report.findings.len(), 1);
    assert_eq!(report.findings[0].kind, FindingKind::CounterMismatch { kept: 1, left_out: 3 });
    assert_eq!(report.total.counts_lost, 6);
    let (profile, _) = merge(&[(&[1, 2, 3], 1), (&[4], 1)]);
    assert_eq!(profile.record(0).unwrap().counters.len(), 3);
}

#[test]
fn kinds_that_have_no_meaning_together_are_refused() {
    for flags in [Flags::NONE, Flags::IR | Flags::BYTE_COVERAGE] {
        for mix_kinds in [false, true] {
            let mut merger = Merger::new(MergeOptions { mix_kinds, ..MergeOptions::default() });
            add(&mut merger, 0, &(vec![], 1));
            let sample = TestRecord {
                name: 0,
                named: true,
                hash: 0,
                counters: vec![1],
                bitmap: vec![],
                uniformity: vec![],
                values: vec![],
            };
            add(&mut merger, 1, &(vec![sample], 1));
            let mut input = merger.input("other", 1);
            input.heading(&Heading { flags, ..heading() }).unwrap();
            let record =
                RecordRef { name: Name::of(b"f"), hash: 0, counters: &[1], bitmap: &[], uniformity: &[], values: None };
            let error = input.record(record);
            assert_eq!(error.is_err(), !mix_kinds, "{flags:?}");
            assert_eq!(input.finish(0, error).is_err(), !mix_kinds);
        }
    }
}

#[test]
fn inputs_are_whole_salvaged_empty_or_refused() {
    use crate::finding::Outcome;
    let mut merger = Merger::new(MergeOptions::default());
    let text = ":ir\nfoo\n1\n1\n7\n\nbar\n1\n2\n1\n2\n";
    let mut outcome = |bytes: &str| merger.add_bytes("input", 1, bytes.as_bytes()).unwrap();
    assert_eq!(outcome(text), Outcome::Whole);
    assert_eq!(outcome(&text[..text.len() - 2]), Outcome::Salvaged);
    assert_eq!(outcome(""), Outcome::Empty);
    assert_eq!(outcome("junk\n"), Outcome::Refused);
    assert_eq!(outcome("\0\u{1}"), Outcome::Refused);
    let (_, report) = merger.finish().unwrap();
    let total = report.total;
    assert_eq!((total.whole, total.salvaged, total.empty, total.refused), (1, 1, 1, 2));
    assert_eq!((total.inputs(), total.functions, total.counts), (5, 3, 17));
}

/// Names from another profile of the binary.
#[derive(Debug)]
struct OtherNames(NameTable);

impl Correlation for OtherNames {
    fn find(&self, _profile: &RawFile<'_>) -> Result<Arc<Correlated>, Error> {
        unreachable!("the profile has its records")
    }

    fn name(&self, hash: u64) -> Option<Name<'_>> {
        self.0.get(hash)
    }
}

#[test]
fn names_come_from_elsewhere() {
    use crate::name::name_hash;
    use crate::read::names::write_blob;
    let names = NameTable::read(&write_blob([&b"other"[..], b"known"], false)).unwrap();
    let options = MergeOptions { correlation: Some(Arc::new(OtherNames(names))), ..MergeOptions::default() };
    let mut merger = Merger::new(options);
    let mut input = merger.input("a", 1);
    input.heading(&heading()).unwrap();
    for name in [&b"known"[..], b"unknown"] {
        let name = Name::of_hash(name_hash(name));
        input.record(RecordRef { name, hash: 7, counters: &[3], ..RecordRef::EMPTY }).unwrap();
    }
    input.finish(10, Ok(())).unwrap();
    let (profile, report) = merger.finish().unwrap();
    assert_eq!(profile.records().map(|record| record.name.bytes.unwrap()).collect::<Vec<_>>(), [b"known"]);
    assert_eq!(report.findings.len(), 1);
}

#[test]
fn an_unknown_name_is_left_out_and_found() {
    let mut merger = Merger::new(MergeOptions::default());
    let mut input = merger.input("a", 1);
    input.heading(&heading()).unwrap();
    let record =
        RecordRef { name: Name::of_hash(5), hash: 7, counters: &[1, 2], bitmap: &[], uniformity: &[], values: None };
    input.record(record).unwrap();
    input.finish(10, Ok(())).unwrap();
    let (profile, report) = merger.finish().unwrap();
    assert!(profile.is_empty());
    assert_eq!(report.findings[0].kind, FindingKind::NoName);
    assert_eq!((report.total.functions_lost, report.total.counts_lost), (1, 3));
}

fn merge_texts(texts: &[&str]) -> (Profile, Report) {
    let mut merger = Merger::new(MergeOptions::default());
    for text in texts {
        merger.add_bytes("input", 1, text.as_bytes()).unwrap();
    }
    merger.finish().unwrap()
}

fn kinds_of(report: &Report) -> Vec<FindingKind> {
    report.findings.iter().map(|finding| finding.kind).collect()
}

#[test]
fn a_pseudo_record_keeps_its_other_counters() {
    const HOT: u64 = RecordRef::PSEUDO_HOT;
    const WARM: u64 = RecordRef::PSEUDO_WARM;
    let text = |first: u64, rest: &str| format!(":ir\nf\n1\n3\n{first}\n{rest}");
    let (profile, report) = merge_texts(&[&text(HOT, "5\n6\n")]);
    assert_eq!(profile.record(0).unwrap().counters, [HOT, 5, 6]);
    assert!(report.is_clean());
    assert_eq!(report.total.counts, 0);
    let (profile, report) = merge_texts(&[&text(WARM, "5\n6\n"), &text(HOT, "1\n18446744073709551613\n")]);
    assert_eq!(profile.record(0).unwrap().counters, [HOT, 6, RecordRef::MAX_COUNT]);
    assert_eq!(kinds_of(&report), [FindingKind::CounterOverflow { counter: 2 }]);
    // Counts are more than a pseudo count.
    let (profile, report) = merge_texts(&[&text(HOT, "5\n6\n"), &text(1, "2\n3\n")]);
    assert_eq!(profile.record(0).unwrap().counters, [1, 2, 3]);
    assert_eq!(kinds_of(&report), [FindingKind::PseudoMismatch]);
    assert_eq!((report.total.counts, report.total.counts_lost), (6, 0));
}

#[test]
fn a_pseudo_record_keeps_its_uniformity() {
    let sample = TestRecord {
        name: 0,
        named: true,
        hash: 1,
        counters: vec![RecordRef::PSEUDO_WARM, 5, 6],
        bitmap: vec![],
        uniformity: vec![0b1111_1010],
        values: vec![],
    };
    let mut merger = Merger::new(MergeOptions::default());
    add(&mut merger, 0, &(vec![sample], 3));
    let profile = merger.finish().unwrap().0;
    let record = profile.record(0).unwrap();
    assert_eq!((record.counters, record.uniformity), (&[RecordRef::PSEUDO_WARM, 15, 18][..], &[0b1111_1010][..]));
}

#[test]
fn a_pseudo_record_of_another_size_is_found() {
    let warm = ":ir\nf\n1\n2\n18446744073709551614\n1\n";
    let (profile, report) = merge_texts(&[warm, warm, ":ir\nf\n1\n3\n18446744073709551615\n5\n6\n"]);
    assert_eq!(profile.record(0).unwrap().counters, [RecordRef::PSEUDO_WARM, 2]);
    assert_eq!(kinds_of(&report), [FindingKind::CounterMismatch { kept: 2, left_out: 3 }]);
    assert_eq!(report.findings[0].input, InputId::of(2));
    assert_eq!((report.total.counts, report.total.counts_lost), (0, 0));
}

#[test]
fn llvm_15_and_earlier_saturate_at_what_are_pseudo_counts_later() {
    use crate::release::Target;
    use crate::write::indexed::{WriteOptions, write};
    for version in 7..=14 {
        for first in [RecordRef::PSEUDO_HOT, RecordRef::PSEUDO_WARM] {
            let mut profile = Profile::new();
            profile.heading(&heading()).unwrap();
            let record = RecordRef { name: Name::of(b"f"), hash: 1, counters: &[first, 5], ..RecordRef::EMPTY };
            profile.push(record).unwrap();
            let mut bytes = Vec::new();
            let target = Target::of_indexed(version).unwrap();
            write(&profile, target, &WriteOptions::default(), &mut bytes).unwrap();
            let mut merger = Merger::new(MergeOptions::default());
            merger.add_bytes("saturated", 1, &bytes).unwrap();
            merger.add_bytes("counts", 1, b":ir\nf\n1\n2\n7\n5\n").unwrap();
            let (profile, report) = merger.finish().unwrap();
            let (counters, found) = match version {
                ..=8 => ([RecordRef::MAX_COUNT, 10], FindingKind::CounterOverflow { counter: 0 }),
                _ => ([7, 5], FindingKind::PseudoMismatch),
            };
            assert_eq!(profile.record(0).unwrap().counters, counters, "version {version}");
            assert_eq!(kinds_of(&report), [found], "version {version}");
        }
    }
}
