//! The form's ambiguous lines, its limits, and its damage.

use super::*;
use crate::flags::Flags;
use crate::name::Name;
use crate::profile::Profile;
use crate::release::Release;
use crate::values::Value;

fn profile(text: &str) -> Profile {
    let mut profile = Profile::new();
    read(text.as_bytes(), &ReadOptions::default(), &mut profile).unwrap();
    profile
}

fn error(text: &str) -> Error {
    read(text.as_bytes(), &ReadOptions::default(), &mut Profile::new()).unwrap_err()
}

#[test]
fn all_parts_of_a_record_are_read() {
    let text = ":csir\n:ENTRY_FIRST\n# a\nfoo\r\n0x10\n2\n1\n2\n$ 2\n0x1\n017\n\n2\n0\n2\n2\nns::f:5\n** External Symbol **:7\n0\n1\n1\n1\n8:9\n";
    let profile = profile(text);
    assert_eq!(profile.flags(), Flags::IR | Flags::CONTEXT_SENSITIVE | Flags::ENTRY_FIRST);
    let record = profile.record(0).unwrap();
    assert_eq!((record.name, record.hash), (Name::of(b"foo"), 16));
    assert_eq!((record.counters, record.bitmap), (&[1, 2][..], &[1, 15][..]));
    let values = record.values.unwrap();
    assert_eq!(values.site_counts(), [2, 1, 0]);
    let call = Value { value: name_hash(b"ns::f"), count: 5 };
    assert_eq!(values.kinds[0].site(0), [call, Value { value: 0, count: 7 }]);
    assert_eq!(values.kinds[1].site(0), [Value { value: 8, count: 9 }]);
}

#[test]
fn the_heading_says_what_the_text_says() {
    let heading = |text: &str| {
        let profile = profile(text);
        (profile.headings()[0].says_front_end, profile.headings()[0].kind_unknown)
    };
    assert_eq!(heading(":fe\n"), (true, false));
    assert_eq!(heading(":ir\n"), (false, false));
    assert_eq!(heading(":entry_first\n"), (false, true));
    assert_eq!(profile(":ir\n:entry_first\n:not_entry_first\n").flags(), Flags::IR);
}

#[test]
fn traces_name_functions() {
    let profile = profile(":ir\n:temporal_prof_traces\n2\n0x3\n1\na, b,,\n4\nb\n:entry_first\na\n1\n1\n1\n");
    assert_eq!(profile.flags(), Flags::IR | Flags::TEMPORAL | Flags::ENTRY_FIRST);
    assert_eq!(profile.trace_stream_size(), 3);
    assert_eq!(profile.traces()[0].functions, [name_hash(b"a"), name_hash(b"b")]);
    assert_eq!((profile.traces()[1].weight, profile.len()), (4, 1));
}

#[test]
fn llvm_takes_a_blank_in_a_trace_for_the_empty_name() {
    let text = b":ir\n:temporal_prof_traces\n1\n1\n1\na, b , \na\n1\n1\n1\n";
    for (release, last) in [(None, None), (Release::new(22), Some(name_hash(b"")))] {
        let mut profile = Profile::new();
        read(text, &ReadOptions { release, ..ReadOptions::default() }, &mut profile).unwrap();
        let names = [b"a", b"b"].map(|name| name_hash(name)).into_iter().chain(last);
        assert_eq!(profile.traces()[0].functions, names.collect::<Vec<_>>());
    }
}

#[test]
fn names_may_look_like_other_lines() {
    let profile = profile("foo\n1\n1\n1\n$s3foo\n2\n1\n5\n:ir\n3\n1\n1\n$0\n99999999999\n4\n1\n1\n");
    let names: Vec<_> = profile.records().map(|record| record.name.bytes.unwrap()).collect();
    assert_eq!(names, [&b"foo"[..], b"$s3foo", b":ir", b"99999999999"]);
}

#[test]
fn names_of_vtables_are_handed_over_once() {
    let profile =
        profile("foo\n1\n1\n1\n1\n2\n1\n3\nvt:1\n** External Symbol **:1\nvu:1\nbar\n1\n1\n1\n1\n2\n1\n1\nvt:1\n");
    assert_eq!(profile.vtable_names(), [b"vt", b"vu"]);
}

#[test]
fn errors_say_where() {
    let text = ":ir\n\nfoo\n16\n0\n";
    let error = error(text);
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert_eq!(
        error.to_string(),
        "number of counters at byte 12: malformed; expected a decimal number above 0; found \"0\" on line 5"
    );
}

#[test]
fn bad_lines_are_errors() {
    for (text, kind, field) in [
        ("", ErrorKind::Empty, "text"),
        (":ir \n", ErrorKind::BadHeader, "header"),
        ("foo\n", ErrorKind::Truncated, "function hash"),
        ("foo\n-1\n", ErrorKind::Malformed, "function hash"),
        ("foo\n1\n2\n1\n", ErrorKind::Truncated, "count"),
        ("foo\n1\n18446744073709551615\n1\n", ErrorKind::Truncated, "count"),
        ("foo\n1\n1\n0x5\n", ErrorKind::Malformed, "count"),
        ("foo\n1\n1\n1\n$1\n256\n", ErrorKind::Malformed, "bitmap byte"),
        ("foo\n1\n1\n1\n0\n", ErrorKind::Malformed, "number of value kinds"),
        ("foo\n1\n1\n1\n4\n", ErrorKind::Malformed, "number of value kinds"),
        ("foo\n1\n1\n1\n1\n3\n", ErrorKind::Malformed, "value kind"),
        ("foo\n1\n1\n1\n1\n0\n1\n1\nfoo\n", ErrorKind::Malformed, "value"),
        ("foo\n1\n1\n1\n1\n0\n1\n1\n:5\n", ErrorKind::Malformed, "value"),
        ("foo\n1\n1\n1\n1\n1\n1\n1\n0x8:5\n", ErrorKind::Malformed, "value"),
        ("foo\n1\n1\n1\n1\n1\n4294967296\n", ErrorKind::Malformed, "number of value sites"),
    ] {
        let error = error(text);
        assert_eq!((error.kind(), error.details().field.as_ref()), (kind, field), "{text:?}");
    }
}

#[test]
fn salvage_leaves_out_damaged_records() {
    let text = "a\n1\n1\n1\n\nb\n2\n3\n1\n2\n\nc\n3\n1\n1\n$1\n0x1\n\n1\n5\n1\n0\n\nd\n4\n1\n1\n\ne\n5\n2\n1\n";
    let mut profile = Profile::new();
    read(text.as_bytes(), &ReadOptions { salvage: true, ..ReadOptions::default() }, &mut profile).unwrap();
    let names: Vec<_> = profile.records().map(|record| record.name.bytes.unwrap()).collect();
    assert_eq!(names, [b"a", b"d"]);
    let damaged = |name: &[u8], hash| Finding::of_function(name_hash(name), hash, FindingKind::RecordDamaged);
    assert_eq!(profile.findings(), [damaged(b"b", 2), damaged(b"c", 3), damaged(b"e", 5)]);
    assert!(read(b":what\n", &ReadOptions { salvage: true, ..ReadOptions::default() }, &mut Profile::new()).is_err());
}

#[test]
fn a_release_refuses_what_it_does_not_know() {
    let reads = |text: &str, release| {
        let options = ReadOptions { release: Release::new(release), ..ReadOptions::default() };
        read(text.as_bytes(), &options, &mut Profile::new()).is_ok()
    };
    for (text, since) in [
        (":temporal_prof_traces\n0\n0\n", 17),
        (":single_byte_coverage\n", 17),
        ("foo\n1\n1\n1\n$1\n0\n", 18),
        ("foo\n1\n1\n1\n1\n2\n0\n", 19),
        (":instrument_loop_entries\n", 20),
    ] {
        assert!(reads(text, since) && !reads(text, since - 1), "{text:?}");
    }
    assert!(reads("foo\n1\n1\n1\n$s3foo\n1\n1\n1\n", 17) && !reads("foo\n1\n1\n1\n$s3foo\n1\n1\n1\n", 18));
    assert!(!reads("naïve\n1\n1\n1\n", 22) && reads("8_bytes_ï\n1\n1\n1\n", 22));
}
