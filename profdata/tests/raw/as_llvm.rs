//! Raw files that `llvm-profdata` takes in its own way: several profiles of different kinds, damage, large counters.

use profdata::compat::{CompatMerger, FailureMode, Merged};
use profdata::error::ErrorKind;
use profdata::name::name_hash;
use profdata::read::ReadOptions;
use profdata::read::names::write_blob;
use profdata::read::raw::{RawFile, read};
use profdata::sink::Flags;
use profdata::write::Release;
use profrt_format::layout::Part;

use crate::raw::profile;
use crate::raw::recode::{ENCODINGS, Image, Record};

const IR: u64 = 1 << 56;
const TEMPORAL: u64 = 1 << 63;

/// Returns a program with two functions, of which the second has a value site. The first counter of each is a time stamp if the flags say so.
fn image(flags: u64, counters: [u64; 2]) -> Image {
    let record = |name: &str, function| Record {
        name_ref: name_hash(name.as_bytes()),
        hash: 7,
        counters: counters.to_vec(),
        function,
        ..Record::default()
    };
    let (first, mut second) = (record("first", 0x4000), record("second", 0x5000));
    second.values[0] = vec![vec![(0x4000, 5)]];
    Image {
        flags,
        ids: vec![vec![9; 20]],
        records: vec![first, second],
        names: write_blob(["first", "second"].map(str::as_bytes), false),
        ..Image::default()
    }
}

fn strict(release: u32) -> ReadOptions<'static> {
    ReadOptions { release: Release::new(release), ..ReadOptions::default() }
}

fn merged(bytes: &[u8]) -> Merged {
    let mut merger = CompatMerger::new(Release::new(22).unwrap(), FailureMode::Warn, 1);
    merger.add(1, |sink| read(bytes, &strict(22), sink));
    merger.finish().unwrap()
}

#[test]
fn the_first_profile_of_a_file_decides_its_kind() {
    let [front_end, ir] = [0, IR].map(|flags| image(flags, [1, 2]).encode(10, ENCODINGS[0]));
    for (file, flags) in [([&front_end[..], &ir], Flags::NONE), ([&ir[..], &front_end], Flags::IR)] {
        let merged = merged(&file.concat());
        assert_eq!(merged.profile.flags(), flags);
        assert_eq!(merged.profile.counts(), 12);
    }
}

#[test]
fn the_last_profile_of_a_file_decides_whether_there_is_a_trace() {
    let [plain, temporal] = [IR, IR | TEMPORAL].map(|flags| image(flags, [1, 2]).encode(10, ENCODINGS[0]));
    let traces = |file: &[&[u8]]| merged(&file.concat()).profile.traces().len();
    assert_eq!(traces(&[&temporal, &plain, &temporal]), 1);
    assert_eq!(traces(&[&temporal, &plain]), 0);
    // The first one says that there is no place for traces.
    assert_eq!(traces(&[&plain, &temporal]), 0);
}

#[test]
fn a_cut_in_the_values_keeps_the_trace_and_no_binary_id() {
    let whole = image(IR | TEMPORAL, [3, 8]).encode(10, ENCODINGS[0]);
    let cut = &whole[..whole.len() - 8];
    let functions = ["first", "second"].map(|name| name_hash(name.as_bytes()));
    let mut expected = functions.to_vec();
    expected.sort_unstable();
    let merged = merged(cut);
    assert_eq!((merged.errors.len(), merged.profile.len()), (1, 1));
    assert_eq!(merged.profile.traces()[0].functions, expected);
    assert!(merged.profile.binary_ids().is_empty());
    let salvaged = profile(cut, &ReadOptions::salvage()).unwrap();
    assert_eq!(salvaged.traces()[0].functions, expected);
    assert_eq!((salvaged.len(), salvaged.binary_ids().len()), (2, 1));
}

#[test]
fn old_releases_take_large_counters() {
    for (release, version, takes) in [(14, 8, true), (16, 8, true), (19, 10, false), (22, 10, false)] {
        let read = profile(&image(IR, [1 << 57, 1]).encode(version, ENCODINGS[0]), &strict(release));
        assert_eq!(
            read.map(|read| read.len()).map_err(|error| error.kind()),
            match takes {
                true => Ok(2),
                false => Err(ErrorKind::CounterTooLarge),
            }
        );
    }
}

#[test]
fn bad_binary_ids_are_an_error_before_the_heading() {
    let mut bytes = image(IR, [1, 2]).encode(10, ENCODINGS[0]);
    let ids = RawFile::parse(&bytes, 0).unwrap().plan().chunk(Part::BinaryIds).offset as usize;
    bytes[ids] = 99;
    let mut profile = profdata::Profile::new();
    assert_eq!(read(&bytes, &ReadOptions::default(), &mut profile).unwrap_err().kind(), ErrorKind::Malformed);
    assert!(profile.headings().is_empty());
}
