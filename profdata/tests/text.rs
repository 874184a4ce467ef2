//! The text form: what is written reads back, and the installed `llvm-profdata` takes each text as we do.

use crate::support;
use needs_macros::needs;
use profdata::Profile;
use profdata::finding::{Finding, FindingKind, MemProfLoss};
use profdata::name::name_hash;
use profdata::read::{ReadOptions, text as read_text};
use profdata::sink::Flags;
use profdata::sink::Name;
use profdata::sink::{KindSites, Value, ValueSites};
use profdata::sink::{RecordRef, Sink, Trace};
use profdata::write::Release;
use profdata::write::text as write_text;
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

/// Returns a profile as the text of a release.
fn text(profile: &Profile, release: Release) -> Vec<u8> {
    let mut text = Vec::new();
    let written = write_text::write(profile, &write_text::TextWriteOptions { release }, &mut text).unwrap();
    assert_eq!(written.findings, []);
    text
}

/// Returns a profile as the text of a release, as LLVM writes it.
fn text_of_llvm(profile: &Profile, release: Release) -> Vec<u8> {
    let mut text = Vec::new();
    write_text::write_as_llvm(profile, &write_text::TextWriteOptions { release }, &mut text).unwrap();
    text
}

fn read(text: &[u8], release: Option<Release>) -> Result<Profile, profdata::Error> {
    let mut profile = Profile::new();
    read_text::read(text, &ReadOptions { release, ..ReadOptions::default() }, &mut profile)?;
    Ok(profile)
}

/// The parts of a record that the text form has.
#[derive(Clone, Debug)]
struct Body {
    counters: Vec<u64>,
    bitmap: Vec<u8>,
    values: ValueSites,
}

/// Names of functions: with other meanings of the form's characters, but for those that it cannot have.
fn name() -> impl Strategy<Value = String> {
    "[a-zA-Z_;. ][a-zA-Z0-9_:;$#. é]{0,12}"
}

fn body() -> impl Strategy<Value = Body> {
    let site = |named: bool| {
        let value = (any::<u64>(), any::<u64>()).prop_map(move |(value, count)| Value {
            // A named value is one of the names that `profile` adds, or 0.
            value: if named { [0, name_hash(b"target:1"), name_hash(b"target 2")][value as usize % 3] } else { value },
            count,
        });
        vec(value, 0..4)
    };
    let kind = move |named: bool| {
        vec(site(named), 0..3).prop_map(|sites| {
            let mut kind = KindSites::default();
            sites.into_iter().for_each(|site| assert!(kind.push_site(site)));
            kind
        })
    };
    let values = [kind(true).boxed(), kind(false).boxed(), kind(true).boxed()].prop_map(|kinds| ValueSites { kinds });
    (vec(any::<u64>(), 1..5), vec(any::<u8>(), 0..300), values).prop_map(|(counters, bitmap, values)| Body {
        counters,
        bitmap,
        values,
    })
}

fn profile() -> impl Strategy<Value = Profile> {
    let flags = [Flags::IR, Flags::CONTEXT_SENSITIVE, Flags::ENTRY_FIRST, Flags::LOOP_ENTRIES, Flags::BYTE_COVERAGE];
    let flags = proptest::sample::subsequence(flags.to_vec(), 0..=5).prop_map(|all| {
        let flags = all.into_iter().fold(Flags::NONE, |flags, flag| flags | flag);
        if flags.has(Flags::CONTEXT_SENSITIVE) { flags | Flags::IR } else { flags }
    });
    let traces = vec((any::<u64>(), vec(0usize..2, 1..5)), 0..4);
    (flags, btree_map((name(), any::<u64>()), body(), 0..6), traces, any::<u64>()).prop_map(
        |(flags, records, traces, stream_size)| {
            let mut profile = Profile::new();
            let targets = ["target 2", "target:1"];
            let none = Body { counters: vec![0], bitmap: Vec::new(), values: ValueSites::default() };
            let targets = targets.map(|target| ((target.to_string(), 1), none.clone()));
            for ((name, hash), body) in records.into_iter().chain(targets) {
                let values = if body.values.is_empty() { None } else { Some(&body.values) };
                let (counters, bitmap) = (&body.counters[..], &body.bitmap[..]);
                let name = Name::of(name.as_bytes());
                let record = RecordRef { name, hash, counters, bitmap, uniformity: &[], values };
                profile.push(record).unwrap();
            }
            profile.sort();
            profile.set_flags(flags);
            if stream_size % 2 == 0 {
                profile.set_flags(flags | Flags::TEMPORAL);
                let functions = [name_hash(b"target 2"), name_hash(b"target:1")];
                let trace = |(weight, trace): (u64, Vec<usize>)| Trace {
                    weight,
                    functions: trace.into_iter().map(|place| functions[place]).collect(),
                };
                profile.set_traces(traces.into_iter().map(trace).collect(), stream_size);
            }
            profile
        },
    )
}

#[test]
fn names_that_would_read_back_as_something_else_are_left_out() {
    // In the order of names. `:ir` could follow another record.
    for (names, kept) in [
        (&["#hash", "$3", "123", ":first", ":ir", "a:b", "line\nend", "main"][..], &["a:b", "main"][..]),
        (&[" space", "#hash", ":ir", "1a"], &[" space", "1a", ":ir"]),
    ] {
        let mut profile = Profile::new();
        for name in names {
            let name = Name::of(name.as_bytes());
            let record = RecordRef { name, hash: 7, counters: &[5], bitmap: &[], uniformity: &[], values: None };
            profile.push(record).unwrap();
        }
        let mut text = Vec::new();
        let options = write_text::TextWriteOptions { release: Release::NEWEST };
        let written = write_text::write(&profile, &options, &mut text).unwrap();
        let left_out = written.findings.iter().filter(|finding| finding.kind == FindingKind::NameNotInForm).count();
        assert_eq!((written.records, left_out), (kept.len() as u64, names.len() - kept.len()));
        assert_eq!(written.counts_lost, 5 * left_out as u128);
        let again = read(&text, None).unwrap();
        let found: Vec<_> =
            again.records().filter_map(|record| record.name.bytes).map(String::from_utf8_lossy).collect();
        assert_eq!(found, kept);
    }
}

/// Each name is the first of a front-end profile, which has no header line of its own.
#[test]
fn every_reader_recognizes_the_text_whatever_its_first_name_is() {
    let release = Release::NEWEST;
    for name in [&b"\x02ab"[..], b"\x0bab", b"\xffab", "é".as_bytes(), b"---", b"\x7fELF", b"plain", b"a:1:2", b"a\0b"]
    {
        let mut profile = Profile::new();
        for name in [name, b"\xff\xffz"] {
            let name = Name::of(name);
            let record = RecordRef { name, hash: 7, counters: &[5], bitmap: &[], uniformity: &[], values: None };
            profile.push(record).unwrap();
        }
        let mut text = Vec::new();
        let written = write_text::write(&profile, &write_text::TextWriteOptions { release }, &mut text).unwrap();
        assert_eq!(written.findings.len(), usize::from(name.contains(&0)), "{}", name.escape_ascii());
        assert_eq!(text.starts_with(b"plain\n"), name == b"plain");
        let mut again = Profile::new();
        profdata::read(&text, &Default::default(), &mut again).unwrap();
        assert_eq!(again.len() as u64, written.records, "{}", name.escape_ascii());
        for tool in [14, 16, 19, 22].into_iter().map(|release| format!("llvm-profdata-{release}")) {
            let directory = tempfile::tempdir().unwrap();
            std::fs::write(directory.path().join("in"), &text).unwrap();
            let arguments = ["merge", "-text", "-o", "out", "in"].map(str::to_string);
            assert!(support::run(&tool, &arguments, directory.path()).status.success());
            let theirs = std::fs::read(directory.path().join("out")).unwrap();
            assert_eq!(read(&theirs, None).unwrap().len() as u64, written.records, "{}", name.escape_ascii());
        }
    }
}

/// It would make a front-end profile of an IR profile, whose header were a name.
#[test]
fn a_byte_order_mark_is_refused() {
    let text = b"\xef\xbb\xbf:ir\nmain\n7\n1\n5\n\nother\n7\n1\n5\n\n";
    for salvage in [false, true] {
        let options = ReadOptions { salvage, ..ReadOptions::default() };
        assert!(read_text::read(text, &options, &mut Profile::new()).is_err());
    }
}

#[test]
fn records_without_counters_are_left_out() {
    let mut profile = Profile::new();
    for (name, counters) in [(&b"empty"[..], &[][..]), (b"f", &[1])] {
        let record = RecordRef { name: Name::of(name), hash: 1, counters, bitmap: &[], uniformity: &[], values: None };
        profile.push(record).unwrap();
    }
    let (mut text, release) = (Vec::new(), Release::NEWEST);
    let written = write_text::write(&profile, &write_text::TextWriteOptions { release }, &mut text).unwrap();
    assert_eq!(written.findings, [Finding::of_function(name_hash(b"empty"), 1, FindingKind::NoCounters)]);
    assert_eq!(read(&text, None).unwrap().len(), 1);
}

#[test]
fn traces_have_only_names_that_fit_a_list() {
    let mut profile = Profile::new();
    let names = [&b"d,e/t.c;helper"[..], b" blank", b"blank\x0b", b"main"];
    for name in names {
        let name = Name::of(name);
        let record = RecordRef { name, hash: 1, counters: &[1], bitmap: &[], uniformity: &[], values: None };
        profile.push(record).unwrap();
    }
    profile.set_flags(Flags::IR | Flags::TEMPORAL);
    let functions: Vec<u64> = names.into_iter().map(name_hash).collect();
    profile.set_traces(vec![Trace { weight: 1, functions: vec![] }, Trace { weight: 2, functions }], 2);
    let (mut text, release) = (Vec::new(), Release::NEWEST);
    let written = write_text::write(&profile, &write_text::TextWriteOptions { release }, &mut text).unwrap();
    assert_eq!(written.findings, [Finding::of_input(FindingKind::TargetsLeftOut { targets: 3 })]);
    let again = read(&text, None).unwrap();
    let kept = [vec![], vec![name_hash(b"main")]].map(|functions: Vec<u64>| functions);
    assert_eq!(again.traces().iter().map(|trace| trace.functions.clone()).collect::<Vec<_>>(), kept);
    assert_eq!(again.len(), 4);
}

#[test]
fn a_record_alone_is_written_as_in_the_whole_text() {
    let whole = b":ir\nmain\n7\n1\n5\n1\n0\n1\n2\nmain:3\nfar:2\n\n";
    let release = Release::NEWEST;
    let profile = read(whole, None).unwrap();
    let mut symbols = write_text::Symbols::of(&profile);
    symbols.add(b"far");
    let mut record = Vec::new();
    let options = write_text::TextWriteOptions { release };
    write_text::write_record(profile.record(0).unwrap(), &symbols, &options, &mut record).unwrap();
    let expected = String::from_utf8(text_of_llvm(&profile, release)).unwrap().replace("** External Symbol **", "far");
    assert!(expected.ends_with(std::str::from_utf8(&record).unwrap()) && record.starts_with(b"main\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[needs("clangs")]
    fn what_is_written_reads_back(profile in profile()) {
        let text = text(&profile, Release::NEWEST);
        let again = read(&text, None).unwrap();
        prop_assert_eq!(again.flags(), profile.flags());
        prop_assert_eq!(again.traces(), profile.traces());
        prop_assert_eq!(again.trace_stream_size(), profile.trace_stream_size());
        prop_assert!(again.records().eq(profile.records()));
    }

    #[test]
    fn no_text_is_too_strange(text in "(\\PC|[:$#\n0-9]){0,200}") {
        let _ = read(text.as_bytes(), None);
        let options = ReadOptions { salvage: true, ..ReadOptions::default() };
        let _ = read_text::read(text.as_bytes(), &options, &mut Profile::new());
    }
}

/// Returns a profile with everything that some text does not have: a function without a name, and a named one.
fn with_all_parts() -> Profile {
    let mut profile = Profile::new();
    let mut values = ValueSites::default();
    for (kind, value) in [(0, name_hash(b"unknown")), (1, 8), (2, name_hash(b"vtable"))] {
        assert!(values.kinds[kind].push_site([Value { value, count: 3 }]));
    }
    let unnamed =
        RecordRef { name: Name::of_hash(5), hash: 1, counters: &[2], bitmap: &[], uniformity: &[], values: None };
    let named = RecordRef { name: Name::of(b"f"), bitmap: &[7], uniformity: &[1], values: Some(&values), ..unnamed };
    profile.push(unnamed).unwrap();
    profile.push(named).unwrap();
    profile.vtable_name(b"vtable");
    profile.vtable_name(b"unused");
    profile.binary_id(b"id");
    profile.memprof(b"section", 0);
    profile.set_flags(Flags::IR | Flags::LOOP_ENTRIES | Flags::FUNCTION_ENTRY_ONLY | Flags::TEMPORAL);
    profile.set_traces(vec![Trace { weight: 1, functions: vec![name_hash(b"f"), 5] }], 1);
    profile
}

#[test]
fn what_is_left_out_is_found() {
    let profile = with_all_parts();
    let written = |release| {
        let (mut out, release) = (Vec::new(), Release::new(release).unwrap());
        let written = write_text::write(&profile, &write_text::TextWriteOptions { release }, &mut out).unwrap();
        assert_eq!(written.records, 1);
        // The function with a name is there, with all that the release knows.
        assert_eq!(read(&out, Some(release)).unwrap().records().len(), 1);
        written.findings
    };
    let no_name = Finding::of_function(5, 1, FindingKind::NoName);
    let of_all = |kinds: &[FindingKind]| -> Vec<Finding> {
        [no_name.clone()].into_iter().chain(kinds.iter().map(|kind| Finding::of_input(*kind))).collect()
    };
    assert_eq!(
        written(22),
        of_all(&[
            FindingKind::FlagsLeftOut { flags: Flags::FUNCTION_ENTRY_ONLY.bits() },
            FindingKind::UniformityLeftOut { records: 1 },
            FindingKind::TargetsLeftOut { targets: 2 },
            FindingKind::VtableNamesLeftOut { names: 1 },
            FindingKind::BinaryIdsLeftOut { ids: 1 },
            FindingKind::MemProfLeftOut { why: MemProfLoss::NotInFormat },
        ])
    );
    assert_eq!(
        written(16),
        of_all(&[
            FindingKind::FlagsLeftOut { flags: (Flags::FUNCTION_ENTRY_ONLY | Flags::LOOP_ENTRIES).bits() },
            FindingKind::BitmapsLeftOut { records: 1 },
            FindingKind::UniformityLeftOut { records: 1 },
            FindingKind::ValueKindLeftOut { kind: 2, records: 1 },
            FindingKind::TracesLeftOut { traces: 1 },
            FindingKind::TargetsLeftOut { targets: 1 },
            FindingKind::VtableNamesLeftOut { names: 2 },
            FindingKind::BinaryIdsLeftOut { ids: 1 },
            FindingKind::MemProfLeftOut { why: MemProfLoss::NotInFormat },
        ])
    );
    // LLVM writes no record at all when one has no name.
    assert_eq!(
        String::from_utf8(text_of_llvm(&profile, Release::new(16).unwrap())).unwrap(),
        "# IR level Instrumentation Flag\n:ir\n"
    );
}

/// Each text is one profile. `llvm-profdata` merges it alone; we read and write it.
#[needs("clangs")]
fn llvm_reads_alike() {
    for release in needs::releases() {
        let tool = format!("llvm-profdata-{release}");
        let directory = tempfile::tempdir().unwrap();
        for text_in in TEXTS {
            std::fs::write(directory.path().join("in"), text_in).unwrap();
            let arguments = ["merge", "-text", "-num-threads=1", "-o", "out", "in"].map(str::to_string);
            let output = support::run(&tool, &arguments, directory.path());
            let theirs = std::fs::read_to_string(directory.path().join("out")).ok().filter(|_| output.status.success());
            let _ = std::fs::remove_file(directory.path().join("out"));
            let release = Release::new(release).unwrap();
            let ours = read(text_in.as_bytes(), Some(release)).ok();
            let ours = ours.map(|mut profile| {
                // As without `-keep-vtable-symbols`.
                profile.set_vtable_names(Vec::new());
                String::from_utf8(text_of_llvm(&profile, release)).unwrap()
            });
            assert_eq!(ours, theirs, "{release}: {text_in:?}");
        }
    }
}

/// Texts that the form allows or forbids in a way that is not obvious.
const TEXTS: &[&str] = &[
    ":ir\r\n\r\nfoo\r\n16\r\n\r\n1\r\n1\r\n\r\n",
    ":ir\nfo\ro\n16\n1\n1\n",
    ":ir\nfoo\n16\n1\n1\n \nbar\n1\n1\n1\n",
    ":ir \nfoo\n16\n1\n1\n",
    ":IR\n:ENTRY_FIRST\nfoo\n16\n1\n1\n",
    ":entry_first\nfoo\n16\n1\n1\n",
    ":ir\n:entry_first\n:not_entry_first\nfoo\n16\n1\n1\n",
    ":fe\n:ir\nfoo\n16\n1\n1\n",
    ":csir\n:fe\nfoo\n1\n1\n1\n",
    ":xyz\nfoo\n1\n1\n1\n",
    ":ir\nfoo\n0b11\n1\n1\n",
    ":ir\nfoo\n0o17\n1\n1\n",
    ":ir\nfoo\n017\n1\n1\n",
    ":ir\nfoo\n0XAf\n1\n1\n",
    ":ir\nfoo\n0O1\n1\n1\n",
    ":ir\nfoo\n0x\n1\n1\n",
    ":ir\nfoo\n09\n1\n1\n",
    ":ir\nfoo\n-1\n1\n1\n",
    ":ir\nfoo\n+1\n1\n1\n",
    ":ir\nfoo\n18446744073709551616\n1\n1\n",
    ":ir\nfoo\n1 \n1\n1\n",
    ":ir\nfoo\n1\n0\n",
    ":ir\nfoo\n1\n01\n007\n",
    ":ir\nfoo\n1\n1\n0x5\n",
    ":ir\nfoo\n",
    ":ir\nfoo\n1\n2\n1\n",
    ":ir\n foo\n1\n1\n1\n",
    ":ir\nfoo\n1\n1\n1\n$0\n",
    ":ir\nfoo\n1\n1\n1\n$  0x2 \n0x1\n2\n",
    ":ir\nfoo\n1\n1\n1\n$\t2\n01\n0b11\n",
    ":ir\nfoo\n1\n1\n1\n$1\n256\n",
    ":ir\nfoo\n1\n1\n1\n0\nbar\n1\n1\n1\n",
    ":ir\nfoo\n1\n1\n1\n4\n0\n0\n1\n0\n2\n0\n",
    ":ir\nfoo\n1\n1\n1\n1\n3\n0\n",
    ":ir\nfoo\n1\n1\n1\n2\n0\n1\n1\nfoo:3\n0\n1\n1\nfoo:4\n",
    ":ir\nfoo:x\n1\n1\n1\n1\n0\n1\n1\nfoo:x:3\n",
    ":ir\nfoo\n1\n1\n1\n1\n0\n1\n1\nfoo\n",
    ":ir\nfoo\n1\n1\n1\n1\n0\n1\n1\n:5\n",
    ":ir\nfoo\n1\n1\n1\n1\n0\n1\n2\n** external symbol **:5\n** External Symbol ** :3\n",
    ":ir\nfoo\n1\n1\n1\n1\n1\n1\n1\n0x8:5\n",
    ":ir\nfoo\n1\n1\n1\n1\n1\n1\n1\n18446744073709551615:18446744073709551615\n",
    ":ir\nfoo\n1\n1\n1\n4294967296\nfoo\n1\n",
    ":ir\nfoo\n1\n1\n1\n99999999999999999999\n1\n1\n5\n",
    ":ir\nfoo\n1\n1\n1\n2\n0\n2\n0\n0\n1\n0\n",
    ":ir\nfoo\n1\n1\n1\n:ir\n1\n1\n1\n",
    ":ir\nfoo\n1\n1\n1\n$s3foo\n2\n1\n5\n",
    ":ir\nfoo\n1\n1\n1\n3\n0\n0\n1\n0\n2\n0\n",
    ":ir\nfoo\n1\n1\n1\n1\n2\n1\n2\nvt:5\nfoo:3\n",
    "éfoo\n1\n1\n1\n",
    "fooooooé\n1\n1\n1\n",
    ":ir\n",
    "hello world",
    "\n\n",
    "# x\n",
    ":ir\n#foo\n1\n1\n1\n",
    ":ir\n:single_byte_coverage\nfoo\n1\n3\n5\n0\n1\n",
    ":ir\n:instrument_loop_entries\nfoo\n1\n1\n1\n",
    ":ir\n:temporal_prof_traces\n0\n0\nfoo\n1\n1\n1\n",
    ":ir\n:temporal_prof_traces\n1\n1\n1\nfoo\n:entry_first\nfoo\n1\n1\n1\n",
    ":ir\n:temporal_prof_traces\n1\n1\n1\nfoo,bar,,baz\nfoo\n1\n1\n1\n",
    ":ir\n:temporal_prof_traces\n0x1\n01\n0x2\n foo, bar\nbar\n1\n1\n1\nfoo\n1\n1\n1\n",
];
