//! Damaged object files, and those that are made to take time or memory.

use needs::is_all;
use needs_macros::needs;
use std::time::Duration;

use profdata::Profile;
use profdata::coverage::{Counts, Kind, Mapping, Regions, Rules, lines};
use profdata::error::ErrorKind;
use profdata::sink::{Flags, Format, Name, RecordRef};
use proptest::prelude::*;

use crate::coverage::made::{elf, functions, list, numbers, object, put, units};
use crate::coverage::programs::{NEWEST, PROGRAMS, clang, run, write_sources};
use crate::coverage::read_all::read_all;
use crate::hostile::processor_time;

/// Returns objects of the newest clang, as small as they are.
fn objects() -> Vec<Vec<u8>> {
    let dir = tempfile::tempdir().unwrap();
    write_sources(dir.path());
    let release = NEWEST;
    let sources = ["decisions-in-macros", "templates", "bytes"];
    let programs = PROGRAMS.iter().filter(|program| sources.contains(&program.name) && program.since <= release);
    let object = |program| {
        let path = dir.path().join("object.o");
        let mut clang = clang(dir.path(), release, program);
        run(clang.arg("-c").arg("-o").arg(&path));
        std::fs::read(path).unwrap()
    };
    programs.filter(|program| program.sources.len() == 1).map(object).collect()
}

#[needs("clangs")]
fn mutated_objects() {
    let objects = objects();
    let strategy = (
        0..objects.len(),
        proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        proptest::option::weighted(0.2, any::<prop::sample::Index>()),
    );
    let config = ProptestConfig {
        failure_persistence: None,
        cases: if is_all() { 2000 } else { 500 },
        ..ProptestConfig::default()
    };
    proptest!(config, |((object, changes, cut) in strategy)| {
        let mut bytes = objects[object].clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_all(&bytes);
    });
    assert!(objects.iter().all(|object| read_all(object) > 20));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn any_mapping(mapping in proptest::collection::vec(prop_oneof![0u8..40, any::<u8>()], 0..120), files in 1u64..4) {
        let head = numbers([files].into_iter().chain(0..files));
        let mapping = [&head[..], &mapping].concat();
        read_all(&object(&list(&[b"/d", b"a.c", b"/b.h", b"c"]), [(1, 2, &mapping[..])]));
    }

    #[test]
    fn any_sections(units in proptest::collection::vec(any::<u8>(), 0..80), functions in proptest::collection::vec(any::<u8>(), 0..120)) {
        read_all(&elf(&[("__llvm_covmap", &units), ("__llvm_covfun", &functions), ("__llvm_prf_names", &units)]));
    }
}

/// Returns the regions of a mapping in a file of one path.
fn regions(mapping: &[u8]) -> Result<Regions, profdata::Error> {
    let bytes = object(&list(&[b"/a.c"]), [(1, 2, mapping)]);
    let mut index = Mapping::new();
    assert_eq!(index.add(&bytes).unwrap().error, None);
    let function = *index.functions().next().unwrap();
    index.decode(&function)
}

/// What is not linear in 100,000 things takes longer on any machine.
pub const LIMIT: Duration = Duration::from_secs(30);

/// Returns the processor time that something takes: a busy machine does not matter.
pub fn time(what: impl FnOnce()) -> Duration {
    let start = processor_time();
    what();
    processor_time() - start
}

#[test]
fn a_hundred_thousand_expansions() {
    // Each in the one before, and each the first region there.
    let many = 100_000;
    let mut mapping = numbers([many + 1]);
    mapping.extend(std::iter::repeat_n(0, many as usize + 1));
    mapping.push(0);
    for file in 1..=many {
        mapping.extend(numbers([1, file << 3 | 4, 1, 1, 0, 5]));
    }
    mapping.extend(numbers([1, 1, 1, 1, 0, 5]));
    let spent = time(|| {
        let regions = regions(&mapping).unwrap();
        let counts = regions.counts(&[7], Flags::default(), Rules::Own).unwrap();
        assert!(counts.len() == many as usize + 1 && counts.iter().all(|count| *count == [7, 0]));
    });
    assert!(spent < LIMIT, "{spent:?}");
}

#[test]
fn expansions_and_expressions_form_no_circle() {
    let expansion = |file: u64| numbers([2, 0, 0, 0, 1, file << 3 | 4, 1, 1, 0, 5, 1, 1, 1, 1, 0, 5]);
    assert!(matches!(regions(&expansion(1)).unwrap().iter().next().unwrap().kind, Kind::Expansion { file: 1, .. }));
    assert_eq!([0, 2].map(|file| regions(&expansion(file)).unwrap_err().kind()), [ErrorKind::Malformed; 2]);
    // The expression 0 is the sum of itself and a counter.
    let circle = regions(&numbers([1, 0, 1, 3, 1, 1, 3, 1, 1, 0, 5])).unwrap();
    assert_eq!(circle.counts(&[1], Flags::default(), Rules::Own).unwrap_err().kind(), ErrorKind::Malformed);
    // A sum and a difference.
    assert!(regions(&numbers([1, 0, 1, 1, 1, 2, 2, 1, 1, 0, 5, 3, 1, 1, 0, 5])).is_err());
    // No counter 1.
    assert!(
        regions(&numbers([1, 0, 0, 1, 5, 1, 1, 0, 5])).unwrap().counts(&[1], Flags::default(), Rules::Own).is_err()
    );
}

#[test]
fn lists_that_contradict_each_other_are_dropped() {
    let [one, other] = [list(&[b"/a.c"]), list(&[b"/d", b"b.c"])];
    let mapping = numbers([1, 0, 0, 1, 1, 1, 1, 0, 5]);
    let functions = functions([(1, 2, &one[..], &mapping[..]), (2, 2, &other, &mapping)]);
    let add = |versions: &[(u32, &[u8])]| {
        let bytes = elf(&[("__llvm_covmap", &units(versions)), ("__llvm_covfun", &functions)]);
        Mapping::new().add(&bytes).map(|added| (added.functions, added.damaged, added.error.map(|error| error.kind())))
    };
    assert_eq!(add(&[(6, &one), (5, &other)]).unwrap(), (2, 0, None));
    assert_eq!(add(&[(6, &one), (5, &other), (3, &other)]).unwrap(), (2, 1, Some(ErrorKind::Malformed)));
    assert_eq!(add(&[(6, &one)]).unwrap(), (2, 1, Some(ErrorKind::Malformed)));
    assert_eq!(add(&[(6, &one), (7, &other)]).unwrap(), (2, 1, Some(ErrorKind::UnsupportedVersion)));
    assert_eq!(add(&[(2, &one), (6, &other)]).unwrap(), (2, 2, Some(ErrorKind::UnsupportedVersion)));
}

#[test]
fn long_directories_and_overlapping_sections() {
    // Each name would be as long as the directory.
    let directory = vec![b'd'; 10_000];
    let names: Vec<&[u8]> = [&directory[..]].into_iter().chain(std::iter::repeat_n(&b"x"[..], 10_000)).collect();
    let bytes = object(&list(&names), []);
    let error = Mapping::new().add(&bytes).unwrap().error.unwrap();
    assert_eq!(error.kind(), ErrorKind::TooLarge);
    // Two headers of one section.
    let mut bytes = elf(&[("__llvm_covfun", &[0; 800]), ("__llvm_covfun", &[0; 8])]);
    let table = u64::from_le_bytes(*bytes[40..].first_chunk().unwrap()) as usize;
    bytes.copy_within(table + 64 + 24..table + 128 - 24, table + 128 + 24);
    assert_eq!(Mapping::new().add(&bytes).unwrap_err().kind(), ErrorKind::Malformed);
}

#[test]
fn what_is_no_object_is_refused() {
    for bytes in [&b""[..], b"\x7fELF", b"!<thin>\n", b"text"] {
        assert!(Mapping::new().add(bytes).is_err());
    }
    assert_eq!(Mapping::new().add(&elf(&[])).unwrap().functions, 0);
    let mut long = Vec::new();
    put(&mut long, u64::MAX);
    assert!(regions(&long).is_err() && regions(&[]).is_err());
}

#[test]
fn functions_of_other_builds_are_left_out() {
    let mapping = numbers([1, 0, 0, 1, 5, 2, 1, 0, 5]);
    let bytes = object(&list(&[b"/a.c"]), [(1, 2, &mapping[..]), (2, 2, &mapping), (3, 2, &mapping), (4, 2, &[9, 9])]);
    let mut index = Mapping::new();
    assert_eq!(index.add(&bytes).unwrap().functions, 4);
    let mut profile = Profile::new();
    for (name, hash, counters) in [(1, 2, &[5, 4][..]), (2, 3, &[5, 4]), (3, 2, &[5])] {
        let name = Name::of_hash(name);
        profile.push(RecordRef { name, hash, counters, bitmap: &[], uniformity: &[], values: None }).unwrap();
    }
    let file = index.file(0, &Counts::of(&profile, Format::Text), Rules::Own);
    let left_out: Vec<_> =
        file.left_out.iter().map(|(function, error)| (function.name_hash(), error.is_some())).collect();
    assert_eq!(left_out, [(2, false), (3, true)]);
    assert_eq!(lines(&file.segments, Rules::Own).map(|run| (run.first, run.count)).collect::<Vec<_>>(), [(2, 4)]);
    assert_eq!(file.summary.functions, file.summary.lines);
}

#[test]
fn a_function_with_many_paths_is_refused() {
    let damaged = |paths: u64| {
        let names: Vec<String> = (0..paths).map(|number| format!("/{number}")).collect();
        let names: Vec<&[u8]> = names.iter().map(String::as_bytes).collect();
        // A region of a line in each.
        let head = numbers([paths].into_iter().chain(0..paths).chain([0]));
        let regions = numbers([1, 1, 1, 1, 0, 5].repeat(paths as usize));
        let bytes = object(&list(&names), [(1, 2, &[head, regions].concat()[..])]);
        Mapping::new().add(&bytes).unwrap().damaged
    };
    assert_eq!([1000, 1001].map(damaged), [0, 1]);
}

#[test]
fn bodies_of_two_builds_with_one_end_are_one() {
    let mapping = |first: u64| numbers([1, 0, 0, 1, 1, first, 1, 13 - first, 5]);
    for builds in [[1, 3], [3, 1]] {
        let objects = builds.map(|first| object(&list(&[b"/a.c"]), [(1, 2, &mapping(first)[..])]));
        let mut index = Mapping::new();
        objects.iter().for_each(|bytes| assert_eq!(index.add(bytes).unwrap().damaged, 0));
        let profile = Profile::new();
        let united = index.united(&[0], &Counts::of(&profile, Format::Text), |_, _| ());
        let lines = united.functions.iter().map(|(start, function)| (start.line, function.end.line));
        assert_eq!(lines.collect::<Vec<_>>(), [(1, 13)]);
    }
}

#[test]
fn lines_without_end_take_no_time() {
    let mapping = numbers([1, 0, 0, 1, 1, 1, 1, u32::MAX as u64 - 1, 5]);
    let bytes = object(&list(&[b"/a.c"]), [(1, 2, &mapping[..])]);
    let mut index = Mapping::new();
    index.add(&bytes).unwrap();
    let profile = Profile::new();
    let file = index.file(0, &Counts::of(&profile, Format::Text), Rules::Own);
    assert_eq!(file.summary.lines.count, u64::from(u32::MAX));
    assert_eq!(lines(&file.segments, Rules::Own).count(), 1);
}

/// A decision with so many conditions, each of which is evaluated if the one before is true.
fn chain(conditions: u64) -> Vec<u8> {
    let mut mapping = numbers([1, 0, 0, conditions + 1, 5 << 3, conditions + 1, conditions, 1, 1, 0, 9]);
    for id in 1..=conditions {
        let next = if id == conditions { 0 } else { id + 1 };
        mapping.extend(numbers([6 << 3, 1, 1, id, next, 0, 0, 1, 0, 9]));
    }
    mapping
}

#[test]
fn decisions_with_many_conditions() {
    let small = regions(&chain(70)).unwrap();
    let decision = small.decisions().remove(0);
    let vectors = small.vectors(&decision, &[0xff; 9], Format::Text).unwrap();
    assert_eq!((vectors.len(), vectors.covered().unwrap()), (71, vec![true; 70]));
    assert!(small.vectors(&decision, &[0xff; 8], Format::Text).is_err());
    assert!(small.vectors(&decision, &[0xff; 9], Format::Indexed(11)).is_err());
    let large = regions(&chain(20_000)).unwrap();
    let decision = large.decisions().remove(0);
    let spent = time(|| {
        let vectors = large.vectors(&decision, &[0xff; 2501], Format::Text).unwrap();
        assert_eq!(vectors.covered().unwrap_err().kind(), ErrorKind::TooLarge);
    });
    assert!(spent < LIMIT, "{spent:?}");
}
