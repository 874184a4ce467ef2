//! Inputs that are cut, damaged, or made to harm.

use std::sync::Arc;

use profdata::error::{Error, ErrorKind};
use profdata::finding::FindingKind;
use profdata::name::name_hash;
use profdata::read::ReadOptions;
use profdata::read::names::{NameTable, write_blob};
use profdata::read::raw::{Correlated, Correlation, RawFile};
use profdata::sink::{Name, RecordRef};
use profdata::{Finding, Profile};
use profrt_format::layout::Part;
use profrt_format::{Encoding, RecordShape};
use proptest::prelude::*;

use crate::raw::profile;
use crate::raw::recode::{ENCODINGS, Image, Record};

/// Returns a profile with everything in it. `first` tells two of them apart.
fn image(first: u64) -> Image {
    let names: Vec<String> = (0..4).map(|number| format!("f{first}_{number}")).collect();
    let vtable = format!("_ZTV{first}");
    let address = |number: u64| 0x4000 + first * 0x100 + number * 16;
    let mut records = Vec::new();
    for (number, name) in (0..).zip(&names) {
        let count = |counter| 1000 * first + 10 * number + counter;
        let mut record = Record {
            name_ref: name_hash(name.as_bytes()),
            hash: 77 + number,
            counters: (1..3 + number).map(count).collect(),
            bitmap: vec![1 + number as u8; number as usize],
            function: address(number),
            ..Record::default()
        };
        if number % 2 == 1 {
            record.values =
                [vec![vec![(address(0), 5), (address(2), 4)], vec![]], vec![vec![(3, 9)]], vec![vec![(0x9008, 2)]]];
        }
        records.push(record);
    }
    let blobs = [&names[..2], &names[2..]];
    Image {
        flags: 1 << 56,
        ids: vec![vec![first as u8; 5]],
        records,
        names: blobs.iter().flat_map(|blob| write_blob(blob.iter().map(|name| name.as_bytes()), first == 2)).collect(),
        vnames: write_blob([vtable.as_bytes()], false),
        vtables: vec![(name_hash(vtable.as_bytes()), 0x9000, 32)],
    }
}

/// Returns the bytes of an image on this machine.
fn native(image: &Image) -> Vec<u8> {
    image.encode(10, ENCODINGS[0])
}

fn strict() -> ReadOptions<'static> {
    ReadOptions::default()
}

/// Asserts that each record is one of `whole`, apart from what is missing of it.
fn assert_part_of(part: &Profile, whole: &Profile) {
    for record in part.records() {
        let found = whole.records().find(|other| other.name.hash == record.name.hash && other.hash == record.hash);
        let RecordRef { name, hash, counters, bitmap, uniformity, values } =
            found.expect("a function that the whole file has");
        assert_eq!((hash, counters, uniformity), (record.hash, record.counters, record.uniformity));
        assert!(record.name.bytes.is_none() || record.name == name);
        assert!(record.bitmap.is_empty() || record.bitmap == bitmap);
        assert!(record.values.is_none() || record.values == values);
    }
}

/// Returns the end of each function's counters in the file.
fn counter_ends(bytes: &[u8]) -> Vec<usize> {
    let file = RawFile::parse(bytes, 0).unwrap();
    let start = file.plan().chunk(Part::Counters).offset as usize;
    file.records().map(|head| start + head.counters_at as usize + head.num_counters as usize * 8).collect()
}

#[test]
fn every_cut() {
    for image in [image(1), image(2)] {
        let bytes = native(&image);
        let whole = profile(&bytes, &strict()).unwrap();
        let ends = counter_ends(&bytes);
        for cut in 0..bytes.len() {
            let bytes = &bytes[..cut];
            let error = profile(bytes, &strict()).unwrap_err();
            let expected = if cut == 0 { ErrorKind::Empty } else { error.kind() };
            assert_eq!(error.kind(), expected);
            let Ok(part) = profile(bytes, &ReadOptions::salvage()) else {
                assert!(cut < 128, "{cut}");
                continue;
            };
            assert_part_of(&part, &whole);
            assert_eq!(part.len(), ends.iter().filter(|end| **end <= cut).count(), "{cut}");
            let lost = part.findings().iter().map(|finding| match finding.kind {
                FindingKind::RecordsLost { names } => names as usize,
                kind => usize::from(matches!(kind, FindingKind::CountersLost)),
            });
            assert_eq!(part.len() + lost.sum::<usize>(), whole.len(), "{cut}");
            assert!(!part.findings().is_empty(), "{cut}");
        }
        assert_eq!(profile(&bytes, &ReadOptions::salvage()).unwrap().findings(), []);
    }
}

/// A program was killed while it wrote, and another one appended its profile.
#[test]
fn a_whole_profile_after_every_cut() {
    let (first, second) = (native(&image(1)), native(&image(2)));
    let (first_whole, second_whole) = (profile(&first, &strict()).unwrap(), profile(&second, &strict()).unwrap());
    let both = [&first[..], &second].concat();
    let both_whole = profile(&both, &strict()).unwrap();
    assert_eq!(both_whole.len(), first_whole.len() + second_whole.len());
    let ends = counter_ends(&first);
    for cut in 128..first.len() {
        let bytes = [&first[..cut], &second, &[0; 8]].concat();
        let part = profile(&bytes, &ReadOptions::salvage()).unwrap();
        assert_part_of(&part, &both_whole);
        let expected = ends.iter().filter(|end| **end <= cut).count() + second_whole.len();
        assert_eq!(part.len(), expected, "{cut}");
        assert!(!part.findings().is_empty(), "{cut}");
    }
}

#[test]
fn every_byte_changed() {
    let bytes = [native(&image(1)), native(&image(2))].concat();
    for at in 0..bytes.len() {
        // Each value at every third byte.
        {
            let change = [1, 0x80, 0xff][at % 3];
            let mut bytes = bytes.clone();
            bytes[at] ^= change;
            let strict = profile(&bytes, &strict());
            let salvaged = profile(&bytes, &ReadOptions::salvage());
            if let Ok(strict) = strict {
                assert_eq!(salvaged.unwrap().len(), strict.len());
            } else if let Ok(salvaged) = &salvaged {
                assert!(!salvaged.findings().is_empty(), "{at} {change}");
                assert!(salvaged.len() <= 8);
            } else {
                assert!(at < 128, "{at} {:?}", salvaged.err());
            }
        }
    }
}

#[test]
fn trailing_bytes() {
    let bytes = native(&image(1));
    let cases: [(&[u8], _, _); 4] = [
        (&[0; 9], None, vec![]),
        (&[1], Some("Header"), vec![FindingKind::TrailingBytes { bytes: 1 }]),
        (&[1; 200], Some("Magic"), vec![FindingKind::TrailingBytes { bytes: 200 }]),
        (&bytes[..100], Some("Header"), vec![FindingKind::TrailingBytes { bytes: 100 }]),
    ];
    for (more, field, findings) in cases {
        let bytes = [&bytes[..], more].concat();
        let mut kept = Profile::new();
        let error = profdata::read::raw::read(&bytes, &strict(), &mut kept).err();
        assert_eq!(
            error.as_ref().map(|error| (error.kind(), error.details().field.as_ref())),
            field.map(|field| (ErrorKind::Malformed, field))
        );
        assert_eq!(kept.len(), 4);
        let salvaged = profile(&bytes, &ReadOptions::salvage()).unwrap();
        assert_eq!(salvaged.findings().iter().map(|finding| finding.kind).collect::<Vec<_>>(), findings);
        assert_eq!(salvaged.len(), 4);
    }
}

#[test]
fn a_counter_that_is_too_large() {
    let mut image = image(1);
    image.records[1].counters[1] = 1 << 56;
    assert!(profile(&native(&image), &strict()).is_ok());
    image.records[1].counters[1] = (1 << 56) + 1;
    let name = image.records[1].name_ref;
    for encoding in ENCODINGS {
        let bytes = image.encode(10, encoding);
        let mut kept = Profile::new();
        let error = profdata::read::raw::read(&bytes, &strict(), &mut kept).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::CounterTooLarge);
        let at = error.details().offset.unwrap() as usize;
        assert_eq!(encoding.u64_at(&bytes, at), Some((1 << 56) + 1));
        assert_eq!(kept.len(), 4);

        let salvaged = profile(&bytes, &ReadOptions::salvage()).unwrap();
        assert_eq!(salvaged.len(), 3);
        let lost = FindingKind::CounterTooLarge { counter: 1, value: (1 << 56) + 1 };
        assert_eq!(salvaged.findings(), [Finding::of_function(name, 78, lost)]);
        // The values of later functions are where they were.
        assert!(salvaged.record(2).unwrap().values.is_some());
    }
}

/// Names from another profile of the binary.
#[derive(Debug)]
struct Names(Arc<NameTable>);

impl Correlation for Names {
    fn find(&self, _profile: &RawFile<'_>) -> Result<Arc<Correlated>, Error> {
        unreachable!("the profile has its records")
    }

    fn name(&self, hash: u64) -> Option<Name<'_>> {
        self.0.get(hash)
    }
}

#[test]
fn names_from_elsewhere() {
    let whole = image(1);
    let bytes = native(&whole);
    let file = RawFile::parse(&bytes, 0).unwrap();
    let (names, error) = file.names();
    assert_eq!(error, None);
    let without = Image { names: Vec::new(), vnames: Vec::new(), vtables: Vec::new(), ..whole };
    let bytes = native(&without);
    let nameless = profile(&bytes, &strict()).unwrap();
    assert!(nameless.records().all(|record| record.name.bytes.is_none()));
    assert_eq!(nameless.findings(), [Finding::of_input(FindingKind::NamesLost)]);
    let named = profile(&bytes, &ReadOptions { correlation: Some(&Names(names)), ..strict() }).unwrap();
    assert!(named.records().all(|record| record.name.bytes.is_some()));
}

#[test]
fn one_function_without_a_name() {
    let mut image = image(1);
    image.records[2].name_ref = 5;
    let nameless = profile(&native(&image), &strict()).unwrap();
    assert_eq!(nameless.findings(), [Finding::of_function(5, 79, FindingKind::NoName)]);
    assert_eq!(nameless.len(), 4);
}

/// Records that all have all counters would take the square of the file's size.
#[test]
fn shared_counters_are_limited() {
    let counters = 1 << 14;
    let mut image = Image { records: vec![Record::default(); 1 << 14], ..Image::default() };
    image.records[0].counters = vec![1; counters];
    let mut bytes = native(&image);
    let file = RawFile::parse(&bytes, 0).unwrap();
    let shape = RecordShape::of(file.plan().version(), file.plan().word());
    let data = file.plan().chunk(Part::Data).offset as usize;
    for index in 0..image.records.len() {
        let record = data + index * shape.size as usize;
        bytes[record + shape.num_counters..][..4].copy_from_slice(&(counters as u32).to_le_bytes());
        // Those of one name and hash are one.
        bytes[record + shape.func_hash..][..8].copy_from_slice(&(index as u64).to_le_bytes());
        let delta = 0xffff_e000 - index as u64 * shape.size;
        bytes[record + shape.counter_ptr..][..8].copy_from_slice(&delta.to_le_bytes());
    }
    let mut kept = Profile::new();
    let error = profdata::read::raw::read(&bytes, &strict(), &mut kept).unwrap_err();
    assert_eq!((error.kind(), error.details().field.as_ref()), (ErrorKind::Malformed, "NumCounters"));
    assert_eq!(kept.len(), 16);
}

/// A file that is nothing but headers whose sections reach to its end.
#[test]
fn headers_over_headers() {
    let mut image = image(1);
    image.records.clear();
    let header = &native(&image)[..128];
    let mut bytes = Vec::new();
    let number = 1 << 12;
    for left in (0..number).rev() {
        let mut header = header.to_vec();
        // No records, many names.
        header[9 * 8..10 * 8].copy_from_slice(&(left * 128u64).to_le_bytes());
        bytes.extend(header);
    }
    let salvaged = profile(&bytes, &ReadOptions::salvage()).unwrap();
    assert_eq!(salvaged.len(), 0);
    assert!(salvaged.headings().len() <= number as usize);
}

#[test]
fn fingerprints() {
    let fingerprint = |image: &Image| RawFile::parse(&native(image), 0).unwrap().fingerprint();
    let first = image(1);
    let same = {
        let mut image = image(1);
        for record in &mut image.records {
            record.function += 0x1000;
            record.counters.iter_mut().for_each(|counter| *counter += 1);
            record.bitmap.fill(0);
            record.values[0].iter_mut().for_each(Vec::clear);
        }
        image.vtables.iter_mut().for_each(|(_, address, _)| *address += 0x1000);
        image
    };
    assert_eq!(fingerprint(&first), fingerprint(&same));
    let changes: [fn(&mut Image); 10] = [
        |image| image.flags |= 1 << 58,
        |image| image.ids[0][0] ^= 1,
        |image| image.names[5] ^= 1,
        |image| image.vnames[5] ^= 1,
        |image| image.vtables[0].2 += 1,
        |image| image.records[0].hash += 1,
        |image| image.records[0].name_ref += 1,
        |image| image.records.swap(0, 1),
        |image| image.records[3].values[1].push(Vec::new()),
        |image| {
            let counter = image.records[2].counters.pop().unwrap();
            image.records[3].counters.push(counter);
        },
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut image = image(1);
        change(&mut image);
        assert_ne!(fingerprint(&first), fingerprint(&image), "{number}");
    }
    let mut moved = native(&first);
    let data = RawFile::parse(&moved, 0).unwrap().plan().chunk(Part::Data).offset as usize;
    moved[data + 16] ^= 8;
    assert_ne!(fingerprint(&first), RawFile::parse(&moved, 0).unwrap().fingerprint());
    let encoded =
        |version, encoding: Encoding| RawFile::parse(&first.encode(version, encoding), 0).unwrap().fingerprint();
    assert_ne!(encoded(9, ENCODINGS[0]), encoded(10, ENCODINGS[0]));
    assert_ne!(encoded(10, ENCODINGS[1]), encoded(10, ENCODINGS[0]));
    assert_ne!(encoded(10, ENCODINGS[2]), encoded(10, ENCODINGS[0]));
}

/// Returns few cases, unless the variable `PROPTEST_CASES` asks for more.
fn config() -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_some() { default } else { ProptestConfig { cases: 64, ..default } }
}

/// Returns the number of counters of all records.
fn counters(profile: &Profile) -> usize {
    profile.records().map(|record| record.counters.len()).sum()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        for options in [strict(), ReadOptions::salvage()] {
            prop_assert!(profile(&bytes, &options).is_err());
        }
    }

    #[test]
    fn any_bytes_after_a_magic(
        header in proptest::collection::vec(prop_oneof![8 => 0u64..40, 1 => any::<u64>()], 19),
        version in 6u64..13,
        bytes in proptest::collection::vec(prop_oneof![4 => Just(0u8), 1 => any::<u8>()], 0..2000),
        encoding in 0..4usize,
    ) {
        let encoding = ENCODINGS[encoding];
        let mut file = Vec::new();
        file.extend(encoding.u64_bytes(profrt_format::header::magic(encoding.word)));
        file.extend(encoding.u64_bytes(version | header[0] << 55));
        header[1..].iter().for_each(|word| file.extend(encoding.u64_bytes(*word)));
        file.extend(&bytes);
        for options in [strict(), ReadOptions::salvage()] {
            if let Ok(profile) = profile(&file, &options) {
                prop_assert!(counters(&profile) <= 16 * file.len());
            }
        }
    }

    #[test]
    fn any_bytes_changed(changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..20), encoding in 0..4usize) {
        let mut file = [image(1).encode(11, ENCODINGS[encoding]), image(2).encode(11, ENCODINGS[encoding])].concat();
        for (at, byte) in changes {
            let at = at.index(file.len());
            file[at] = byte;
        }
        for options in [strict(), ReadOptions::salvage()] {
            if let Ok(profile) = profile(&file, &options) {
                prop_assert!(counters(&profile) <= 16 * file.len());
            }
        }
    }
}
