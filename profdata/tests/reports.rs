//! What a merge says of its inputs: nothing is lost without a line.

use std::path::PathBuf;

use profdata::error::ErrorKind;
use profdata::finding::{FindingKind, InputId, Outcome};
use profdata::merge::{FileInput, MergeOptions, Merger, Report, merge_files};
use profdata::write::Release;

const WHOLE: &str = ":ir\nf\n1\n1\n5\n";

fn merger() -> Merger {
    Merger::new(MergeOptions::default())
}

fn kinds(report: &Report) -> Vec<&FindingKind> {
    report.findings.iter().map(|finding| &finding.kind).collect()
}

#[test]
fn inputs_after_those_of_threads_are_in_the_report() {
    let dir = tempfile::tempdir().unwrap();
    let files: Vec<FileInput> = (0..6)
        .map(|number| {
            let path: PathBuf = dir.path().join(format!("{number}.proftext"));
            std::fs::write(&path, WHOLE).unwrap();
            FileInput { path, weight: 1 }
        })
        .collect();
    for threads in 1..5 {
        let mut merger = merge_files(&files, threads, &MergeOptions::default(), &|_, _| {}).unwrap();
        merger.add_bytes("late", 1, WHOLE.as_bytes()).unwrap();
        merger.add_bytes("later", 1, WHOLE.as_bytes()).unwrap();
        let (profile, report) = merger.finish().unwrap();
        assert_eq!((report.inputs.len(), report.total.whole, report.total.counts), (8, 8, 40), "{threads} threads");
        assert_eq!(profile.record(0).unwrap().counters, [40]);
    }
}

#[test]
fn byte_coverage_text_does_not_merge_with_counts() {
    let mut all = merger();
    all.add_bytes("coverage", 1, b":single_byte_coverage\nf\n1\n1\n1\n").unwrap();
    let error = all.add_bytes("counts", 1, b"f\n1\n1\n500\n").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Incompatible);
}

#[test]
fn text_of_no_kind_beside_ir_is_a_finding() {
    const UNKNOWN: &str = "f\n1\n1\n1\n";
    let merged = |texts: [&str; 2]| {
        let mut all = merger();
        for text in texts {
            all.add_bytes("text", 1, text.as_bytes()).unwrap();
        }
        all.finish().unwrap().1
    };
    for texts in [[UNKNOWN, WHOLE], [WHOLE, UNKNOWN]] {
        let report = merged(texts);
        assert_eq!(kinds(&report), [&FindingKind::KindAssumed]);
        assert_eq!(report.findings[0].input, InputId::MERGE);
    }
    for texts in [[WHOLE, WHOLE], [UNKNOWN, UNKNOWN], [UNKNOWN, ":fe\nf\n1\n1\n1\n"]] {
        assert!(merged(texts).is_clean(), "{texts:?}");
    }
}

#[test]
fn functions_beyond_the_length_of_a_trace_are_a_finding() {
    let text = ":ir\n:temporal_prof_traces\n3\n3\n1\na,b,c,d\n1\na,b\n1\na,b,c\na\n1\n1\n1\n";
    let mut all = Merger::new(MergeOptions { max_trace_length: 2, ..MergeOptions::default() });
    all.add_bytes("before", 1, WHOLE.as_bytes()).unwrap();
    assert_eq!(all.add_bytes("long", 5, text.as_bytes()), Ok(Outcome::Whole));
    let mut part = Vec::new();
    all.write_partial(&mut part).unwrap();
    let mut sum = merger();
    sum.add_partial("part", 1, &part).unwrap();
    for merger in [all, sum] {
        let (profile, report) = merger.finish().unwrap();
        assert_eq!(profile.traces().iter().map(|trace| trace.functions.len()).collect::<Vec<_>>(), [2]);
        assert_eq!(kinds(&report), [&FindingKind::TraceFunctionsLeftOut { functions: 3 }]);
        assert_eq!(report.name_of(report.findings[0].input), "long");
    }
}

/// What one merge was allowed to mix, and how many traces it kept, stands in its partial result.
#[test]
fn a_partial_result_is_read_as_it_is() {
    let options = MergeOptions { max_traces: 200, mix_kinds: true, ..MergeOptions::default() };
    let mut all = Merger::new(options);
    let mut text = String::from(":ir\n:temporal_prof_traces\n150\n150\n");
    (0..150).for_each(|number| text.push_str(&format!("1\nf{number},\n")));
    all.add_bytes("ir", 1, (text + "f\n1\n1\n1\n").as_bytes()).unwrap();
    all.add_bytes("fe", 1, b":fe\ng\n1\n1\n1\n").unwrap();
    let mut part = Vec::new();
    all.write_partial(&mut part).unwrap();
    let mut profile = profdata::Profile::new();
    profdata::read(&part, &Default::default(), &mut profile).unwrap();
    assert_eq!((profile.len(), profile.traces().len(), profile.findings().len()), (2, 150, 0));
}

#[test]
fn an_input_without_an_end_is_not_whole() {
    let mut all = merger();
    {
        let mut input = all.input("dropped", 1);
        profdata::read(WHOLE.as_bytes(), &Default::default(), &mut input).unwrap();
    }
    let (_, report) = all.finish().unwrap();
    assert_eq!(report.inputs.values().next().unwrap().outcome, Outcome::Salvaged);
    assert!(!report.is_clean());
}

#[test]
fn a_release_refuses_newer_indexed_profiles() {
    use profdata::Target;
    use profdata::read;
    use profdata::read::ReadOptions;
    use profdata::write::indexed::{WriteOptions, write};

    let mut profile = profdata::Profile::new();
    read(WHOLE.as_bytes(), &ReadOptions::default(), &mut profile).unwrap();
    let mut bytes = Vec::new();
    write(&profile, Target::of_name("clang-22").unwrap(), &WriteOptions::default(), &mut bytes).unwrap();
    let read_by = |release| {
        let options = ReadOptions { release: Release::new(release), ..ReadOptions::default() };
        read(&bytes, &options, &mut profdata::Profile::new())
    };
    assert_eq!(read_by(16).unwrap_err().kind(), ErrorKind::UnsupportedVersion);
    read_by(22).unwrap();
}

#[test]
fn releases_that_take_pseudo_counts_for_counts_are_reported() {
    use profdata::Profile;
    use profdata::Target;
    use profdata::read;
    use profdata::read::ReadOptions;
    use profdata::write::{indexed, text};

    let mut profile = Profile::new();
    let records = ":ir\nhot\n1\n2\n18446744073709551615\n5\n\nwarm\n1\n1\n18446744073709551614\n\ncounted\n1\n1\n9\n";
    read(records.as_bytes(), &ReadOptions::default(), &mut profile).unwrap();
    for number in 13..=23 {
        let release = Release::new(number).unwrap();
        let target = Target::of_release(release);
        let mut bytes = Vec::new();
        let written = indexed::write(&profile, target, &indexed::WriteOptions::default(), &mut bytes).unwrap();
        let as_text = text::write(&profile, &text::TextWriteOptions { release }, &mut Vec::new()).unwrap();
        for findings in [written.findings, as_text.findings] {
            let kinds: Vec<_> = findings.iter().map(|finding| finding.kind).collect();
            let expected: &[FindingKind] =
                if number < 16 { &[FindingKind::PseudoAsCounts { records: 2 }] } else { &[] };
            assert_eq!(kinds, expected, "LLVM {number}");
        }
        // What comes from such a release are counts that have stopped.
        let mut again = Profile::new();
        read(&bytes, &ReadOptions::default(), &mut again).unwrap();
        let target = Target::of_indexed(8).unwrap();
        let written = indexed::write(&again, target, &indexed::WriteOptions::default(), &mut Vec::new()).unwrap();
        assert_eq!(written.findings.is_empty(), number < 16, "LLVM {number}");
    }
}
