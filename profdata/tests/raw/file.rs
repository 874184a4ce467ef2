//! `File` says the same of every format, and reads no more than it is asked for.

use profdata::Target;
use profdata::merge::{MergeOptions, Merger};
use profdata::name::name_hash;
use profdata::read::names::write_blob;
use profdata::read::{Lookup, ReadOptions};
use profdata::sink::{Flags, Format, RecordRef};
use profdata::write::Release;
use profdata::write::indexed::WriteOptions;
use profdata::write::text::TextWriteOptions;
use profdata::{File, Profile, Record, read, write};

use crate::raw::recode::{ENCODINGS, Image, Record as RawRecord};

const NAMES: [&[u8]; 3] = [b"main", b"a.c;helper", b"cold"];

/// A binary that ran once, with its names compressed.
fn image() -> Image {
    let record = |(number, name): (u64, &&[u8])| RawRecord {
        name_ref: name_hash(name),
        hash: 7 + number,
        counters: vec![10 * number, 3],
        ..RawRecord::default()
    };
    Image {
        flags: Flags::IR.bits() >> 56 << 56,
        ids: vec![vec![5; 20]],
        records: (0..).zip(&NAMES).map(record).collect(),
        names: write_blob(NAMES, true),
        ..Image::default()
    }
}

/// The same profile in each format, with its version.
fn forms() -> Vec<(Vec<u8>, Option<u32>)> {
    let mut forms: Vec<_> = ENCODINGS.map(|encoding| (image().encode(9, encoding), Some(9))).into();
    let raw = forms[0].0.clone();
    let mut profile = Profile::new();
    read(&raw, &ReadOptions::default(), &mut profile).unwrap();
    let mut indexed = Vec::new();
    write::indexed::write(&profile, Target::of_name("llvm-19").unwrap(), &WriteOptions::default(), &mut indexed)
        .unwrap();
    forms.push((indexed, Some(12)));
    let mut text = Vec::new();
    let options = TextWriteOptions { release: Release::NEWEST };
    write::text::write(&profile, &options, &mut text).unwrap();
    forms.push((text, None));
    let (mut merger, mut partial) = (Merger::new(MergeOptions::default()), Vec::new());
    merger.add_bytes("raw", 1, &raw).unwrap();
    merger.write_partial(&mut partial).unwrap();
    forms.push((partial, Some(2)));
    forms
}

#[test]
fn every_format_says_the_same() {
    for (bytes, version) in forms() {
        let mut file = File::parse(&bytes).unwrap();
        let format = file.format();
        assert_eq!((file.version(), file.kind().has(Flags::IR)), (version, true), "{format:?}");
        let plain = |record: Record<'_>| {
            (record.name().unwrap().unwrap().to_vec(), record.get().hash, record.get().counters.to_vec())
        };
        let mut records: Vec<_> = file.records().unwrap().map(plain).collect();
        records.sort();
        let expected = [(1u64, NAMES[1]), (2, NAMES[2]), (0, NAMES[0])];
        let expected: Vec<_> = expected.map(|(at, name)| (name.to_vec(), 7 + at, vec![10 * at, 3])).into();
        assert_eq!(records, expected, "{format:?}");
        let summary = file.summary().unwrap().plain.unwrap();
        assert_eq!((summary.functions, summary.max_count, summary.total_count), (3, 20, 39), "{format:?}");
        let ids = usize::from(!matches!(format, Format::Text));
        assert_eq!(file.binary_ids().unwrap().len(), ids, "{format:?}");
        assert_eq!(file.to_profile().unwrap().names().len(), 3);
        for (number, name) in (0..).zip(NAMES) {
            let mut found = Vec::new();
            let is_known = file.records_of(name, |record| {
                found.push((record.hash, record.counters[0]));
                Ok(())
            });
            assert_eq!((is_known, found), (Ok(true), vec![(7 + number, 10 * number)]), "{format:?}");
            let Lookup::Found(RecordRef { counters, .. }) = file.find(name, 7 + number).unwrap() else {
                panic!("{format:?}: {name:?} is not found");
            };
            assert_eq!(counters, [10 * number, 3]);
            assert_eq!(file.find(name, 99).unwrap(), Lookup::HashMismatch, "{format:?}");
            assert_eq!(file.find(name, 1 << 60 | 7).unwrap(), Lookup::Unknown, "{format:?}");
        }
        assert_eq!(file.find(b"none", 7).unwrap(), Lookup::Unknown, "{format:?}");
    }
}

/// Names of a raw profile that cannot be unpacked do not matter to whom needs none.
#[test]
fn names_of_raw_profiles_wait() {
    let mut image = image();
    image.names[5..].fill(0xff);
    let bytes = [image.encode(9, ENCODINGS[0]), image.encode(9, ENCODINGS[0])].concat();
    let mut file = File::parse(&bytes).unwrap();
    assert_eq!(
        file.records().unwrap().map(|record| record.get().counters[0]).collect::<Vec<_>>(),
        [0, 10, 20, 0, 10, 20]
    );
    assert!(matches!(file.find(b"cold", 9).unwrap(), Lookup::Found(record) if record.counters == [20, 3]));
    assert!(file.records().unwrap().all(|record| record.name().is_err()));
    assert!(file.to_profile().is_err());
    let salvaged = File::parse_with(&bytes, ReadOptions { salvage: true, ..ReadOptions::default() }).unwrap();
    assert!(salvaged.records().unwrap().all(|record| record.name().unwrap().is_none()));
}

/// A compiler finds a function of an indexed profile whatever stands elsewhere.
#[test]
fn indexed_profiles_are_looked_up_without_the_rest() {
    let (mut bytes, _) = forms().swap_remove(ENCODINGS.len());
    let at = bytes.windows(4).position(|window| window == b"cold").unwrap();
    bytes[at + 12..at + 20].fill(0xff);
    let mut file = File::parse(&bytes).unwrap();
    assert!(matches!(file.find(b"main", 7).unwrap(), Lookup::Found(record) if record.counters == [0, 3]));
    assert_eq!(file.summary().unwrap().plain.unwrap().functions, 3);
    assert!(file.records().is_err());
    bytes.truncate(at);
    assert!(File::parse(&bytes).is_err());
}
