//! Inputs that are made to take quadratic time or more memory than they have bytes.
//!
//! No test knows how fast a machine is. Each compares the processor time of a job with that of the same job of sixteen times the size, which
//! takes 16 times as long where time is linear, and 256 times where it is quadratic.

use std::time::Duration;

use profdata::compat::{self, FailureMode};
use profdata::memprof::relocate;
use profdata::merge::{MergeOptions, Merger};
use profdata::name::name_hash;
use profdata::partial::{MAGIC, VERSION};
use profdata::read::names::{NameTable, for_each, write_blob};
use profdata::read::{ReadOptions, read};
use profdata::release::{Release, Target};
use profdata::sink::{Heading, Sink};
use profdata::write::indexed::{HashEras, WriteOptions, write};
use profdata::{Error, FindingKind, Flags, Format, Name, Profile, RecordRef};
use profrt_format::{RawVersion, RecordShape, WordSize};

/// How many times larger the second job is.
const TIMES: u32 = 16;
/// More than this many times the time of the small job is more than noise.
const LIMIT: u32 = 100;

/// Asserts that `work` does not take quadratic time. `make` makes what it works on, whose time does not count.
fn assert_not_quadratic<T>(small: usize, make: impl Fn(usize) -> T, mut work: impl FnMut(&T)) {
    let mut fastest = |made: &T, runs: u32| {
        let times = (0..runs).map(|_| {
            let start = processor_time();
            work(made);
            processor_time().saturating_sub(start)
        });
        times.min().unwrap_or_default()
    };
    let (few, many) = (make(small), make(small * TIMES as usize));
    // The small job is noisy, and a test that fails because of noise is worse than one that sees a little less.
    let few = fastest(&few, 5).max(Duration::from_micros(200));
    let many = fastest(&many, 2);
    assert!(many < few * LIMIT, "{few:?} for {small}, {many:?} for {TIMES} times as many");
}

/// Returns how long this thread has run, without the time in which others ran.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn salvaged(bytes: &[u8]) -> Profile {
    let mut profile = Profile::new();
    let _ = read(bytes, &ReadOptions { salvage: true, ..ReadOptions::default() }, &mut profile);
    profile
}

fn read_both(bytes: &[u8]) {
    let mut profile = Profile::new();
    let _ = read(bytes, &ReadOptions::default(), &mut profile);
    salvaged(bytes);
}

fn merged(bytes: &[u8]) -> Profile {
    let mut merger = Merger::new(MergeOptions::default());
    merger.add_bytes("input", 1, bytes).unwrap();
    merger.finish().unwrap().0
}

/// Returns an indexed profile of version 2 with one bucket, which has these names, each with records without counters.
fn one_bucket(names: &[(u64, &[u8])], records: impl Fn(usize) -> Vec<u64>) -> Vec<u8> {
    let mut payload = (names.len() as u16).to_le_bytes().to_vec();
    for (number, (hash, name)) in names.iter().enumerate() {
        let data: Vec<u8> = records(number).into_iter().flat_map(|hash| [hash, 0]).flat_map(u64::to_le_bytes).collect();
        for word in [*hash, name.len() as u64, data.len() as u64] {
            payload.extend(word.to_le_bytes());
        }
        payload.extend_from_slice(name);
        payload.extend(data);
    }
    payload.resize(payload.len().next_multiple_of(8), 0);
    let mut bytes = b"\xfflprofi\x81".to_vec();
    let entries = names.len() as u64;
    for word in [2, 0, 0, 40 + payload.len() as u64] {
        bytes.extend(u64::to_le_bytes(word));
    }
    bytes.extend(payload);
    for word in [1, entries, 40] {
        bytes.extend(u64::to_le_bytes(word));
    }
    bytes
}

/// A profile of functions with these names and hashes.
fn profile_of<'a>(functions: impl Iterator<Item = (&'a [u8], u64)>) -> Profile {
    let mut profile = Profile::new();
    let heading = Heading { format: Format::Text, flags: Flags::IR, says_front_end: false, kind_unknown: false };
    profile.heading(&heading).unwrap();
    for (name, hash) in functions {
        let record =
            RecordRef { name: Name::of(name), hash, counters: &[1], bitmap: &[], uniformity: &[], values: None };
        profile.push(record).unwrap();
    }
    profile
}

/// Returns different names that all have Bernstein's hash 0: `bB` and `ab`... weigh the same in it.
fn colliding_names(count: usize) -> Vec<Vec<u8>> {
    // "b" times 33 plus "A" is "a" times 33 plus "b".
    let bits = usize::BITS - count.leading_zeros();
    (0..count)
        .map(|number| (0..bits).flat_map(|bit| if number >> bit & 1 == 1 { *b"ab" } else { *b"bA" }).collect())
        .collect()
}

fn write_for(profile: &Profile, version: u32) {
    let options = WriteOptions { hash_eras: HashEras::AsIs, ..WriteOptions::default() };
    write(profile, Target::of_indexed(version).unwrap(), &options, &mut Vec::new()).unwrap();
}

#[test]
fn names_that_collide_in_llvms_map() {
    let names = colliding_names(9);
    assert!(names.iter().all(|name| {
        let hash =
            |name: &[u8]| name.iter().fold(0u32, |hash, byte| hash.wrapping_mul(33).wrapping_add((*byte).into()));
        hash(name) == hash(&names[0])
    }));
    let make = |count| {
        let names = colliding_names(count);
        profile_of(names.iter().map(|name| (name.as_slice(), 1)))
    };
    assert_not_quadratic(2000, make, |profile| write_for(profile, 7));
    let release = Release::new(16).unwrap();
    assert_not_quadratic(2000, make, |profile| {
        let mut merger = compat::Merger::new(release, FailureMode::Any, 2);
        (0..2).for_each(|_| {
            merger.add(1, |sink| profile.send_to(sink));
        });
        merger.finish().unwrap();
    });
}

#[test]
fn hashes_that_collide_in_llvms_small_map() {
    for version in [11, 13] {
        // All are 0 in the bits that the smaller tables use.
        let inverse = 0x96de_1b17_3f11_9089u64;
        let hash = move |number: usize| match version {
            11 => (number as u64) << 32,
            _ => ((number as u64) << 40).wrapping_mul(inverse),
        };
        let make = |count| profile_of((0..count).map(|number| (&b"f"[..], hash(number))));
        assert_not_quadratic(1500, make, |profile| write_for(profile, version));
    }
}

#[test]
fn hashes_that_would_collide_in_our_own_table() {
    let make = |count| {
        let names: Vec<Vec<u8>> = (0..count).map(|number| format!("f{number}").into_bytes()).collect();
        // The number of a name and the hash of its record cancel out.
        profile_of((0u64..).zip(&names).map(|(number, name)| (name.as_slice(), number << 32)))
    };
    assert_not_quadratic(4000, make, |profile| {
        let mut merger = Merger::new(MergeOptions::default());
        profile.send_to(&mut merger.input("input", 1)).unwrap();
        assert_eq!(merger.finish().unwrap().0.len(), profile.len());
    });
}

#[test]
fn names_of_one_hash() {
    let make = |count: usize| {
        let names: Vec<Vec<u8>> = (0..count).map(|number| number.to_le_bytes().to_vec()).collect();
        one_bucket(&names.iter().map(|name| (0, name.as_slice())).collect::<Vec<_>>(), |_| vec![1])
    };
    let mut profile = Profile::new();
    read(&make(9), &ReadOptions::default(), &mut profile).unwrap();
    assert_eq!(profile.len(), 9);
    assert_not_quadratic(4000, make, |bytes| read_both(bytes));
}

#[test]
fn a_long_name_with_many_records() {
    let make = |count: usize| {
        let name = vec![b'n'; 16 * count];
        let hashes = (0..count as u64).rev().collect::<Vec<_>>();
        one_bucket(&[(name_hash(&name), &name)], |_| hashes.clone())
    };
    let profile = merged(&make(200));
    assert_eq!(profile.len(), 200);
    assert!(profile.records().all(|record| record.name.bytes.is_some_and(|name| name.len() == 3200)));
    assert_not_quadratic(3000, make, |bytes| {
        read_both(bytes);
        merged(bytes);
    });
}

#[test]
fn long_chains_of_the_function_table() {
    let make = |count: usize| {
        let names: Vec<Vec<u8>> = (0..count).map(|number| format!("f{number}").into_bytes()).collect();
        let named: Vec<_> = names.iter().map(|name| (name_hash(name), name.as_slice())).collect();
        one_bucket(&named, |_| vec![1])
    };
    assert_eq!(salvaged(&make(100)).len(), 100);
    assert_not_quadratic(3000, make, |bytes| {
        read_both(bytes);
        merged(bytes);
    });
}

#[test]
fn text_whose_names_are_numbers() {
    // Each record would take all that follows for its counts.
    let make = |count: usize| "09\n1\n99999999\n1\n\n".repeat(count).into_bytes();
    assert_not_quadratic(2000, make, |text| read_both(text));
    let make = |count: usize| "0x9\n1\n1\n1\n$99999999\n1\n\n".repeat(count).into_bytes();
    assert_not_quadratic(2000, make, |text| read_both(text));
}

#[test]
fn text_of_many_records_that_cannot_be_read() {
    for record in [
        "f\n",
        "f\n\n",
        "f:1\n0\n1\n0\n1\n0\n4000000000\n1\n\n",
        "f\n1\n99999\n\n",
        "$\n\n",
        "f\n1\n1\n1\n1\n0\n9\n0\n",
    ] {
        let make = |count: usize| record.repeat(count).into_bytes();
        assert_not_quadratic(1000, make, |text| read_both(text));
    }
}

#[test]
fn long_lines_of_text() {
    let make = |count: usize| {
        [vec![b'n'; 100 * count], b"\n1\n1\n".to_vec(), vec![b'0'; 100 * count], b"7\n".to_vec()].concat()
    };
    assert_eq!(salvaged(&make(10_000)).record(0).map(|record| record.counters.to_vec()), Some(vec![7]));
    assert_not_quadratic(1000, make, |text| read_both(text));
}

#[test]
fn alternates_of_one_function() {
    let make = |count: usize| {
        let mut text = b":ir\n".to_vec();
        for number in 0..count {
            text.extend(format!("f\n1\n{}\n{}\n", number % 500 + 1, "1\n".repeat(number % 500 + 1)).into_bytes());
        }
        text
    };
    assert_not_quadratic(500, make, |text| {
        merged(text);
    });
    // As many sizes as inputs, through partial results.
    let make = |count: usize| -> Vec<Vec<u8>> {
        (1..=count)
            .map(|number| format!(":ir\nf\n1\n1\n1\n1\n1\n{number}\n{}", "0\n".repeat(number)).into_bytes())
            .collect()
    };
    let texts = make(300);
    let mut sum = Merger::new(MergeOptions::default());
    for text in &texts {
        let (mut merger, mut bytes) = (Merger::new(MergeOptions::default()), Vec::new());
        merger.add_bytes("input", 1, text).unwrap();
        merger.write_partial(&mut bytes).unwrap();
        sum.add_partial("part", 1, &bytes).unwrap();
    }
    assert_eq!(sum.finish().unwrap().1.findings.len(), 299);
}

/// Returns a raw profile of version 10 without counters and records, with these names.
fn header_only(flags: u64, names: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let word = |number: u64| number.to_ne_bytes();
    let magic = u64::from_be_bytes(*b"\xfflprofr\x81");
    for number in [magic, 10 | flags, 0, 0, 0, 0, 0, 0, 0, names.len() as u64, 0, 0, 0, 0, 0, 2] {
        bytes.extend(word(number));
    }
    bytes.extend_from_slice(names);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

#[test]
fn many_headers_in_a_raw_file() {
    let make = |count: usize| header_only(0, &[]).repeat(count);
    assert_eq!(salvaged(&make(10)).headings().len(), 10);
    assert_not_quadratic(500, make, |bytes| read_both(bytes));
    // Headers that promise more than there is, so that each is searched for.
    let make = |count: usize| {
        let mut header = header_only(0, &[]);
        header[9 * 8..10 * 8].copy_from_slice(&u64::MAX.wrapping_shr(8).to_ne_bytes());
        header.repeat(count)
    };
    assert_not_quadratic(500, make, |bytes| read_both(bytes));
    let make = |count: usize| header_only(0, &write_blob([&b"f"[..]], true)).repeat(count);
    assert_not_quadratic(300, make, |bytes| {
        read_both(bytes);
        merged(bytes);
    });
}

#[test]
fn one_name_over_and_over() {
    let make = |count: usize| {
        let names = vec![&b"f"[..]; 100 * count];
        write_blob(names, true)
    };
    let blob = make(10_000);
    assert!(blob.len() < 4000);
    // 24 bytes a name would be 24 MB; only so many are kept.
    assert!(NameTable::read(&blob).unwrap().len() <= 1 << 16);
    assert_not_quadratic(200, make, |blob| {
        NameTable::read(blob).unwrap();
    });
    // As names of vtables of a raw profile.
    let mut bytes = header_only(0, &[]);
    bytes[14 * 8..15 * 8].copy_from_slice(&(blob.len() as u64).to_ne_bytes());
    bytes.extend_from_slice(&blob);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let mut profile = Profile::new();
    read(&bytes, &ReadOptions::default(), &mut profile).unwrap();
    assert_eq!(profile.vtable_names(), [b"f"]);
}

#[test]
fn a_compressed_blob_that_promises_more() {
    let mut blob = write_blob([&[b'n'; 300][..]], true);
    assert_eq!(blob[..2], [0xac, 0x02]);
    // Terabytes: more than zlib can make of it. And a little more than there is.
    let rest = blob.split_off(2);
    for len in [&[0xac, 0xff, 0xff, 0xff, 0xff, 0x7f][..], &[0xad, 0x02], &[0xab, 0x02]] {
        let blob = [len, &rest].concat();
        assert!(NameTable::read(&blob).is_err());
        let mut text = Vec::new();
        assert!(for_each(&blob, &mut text, |_| ()).is_err());
        assert!(text.capacity() < 1 << 20, "{}", text.capacity());
    }
}

/// Returns a partial result with one frame.
fn partial(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    for (tag, content) in [(tag, content), (255, &[1])] {
        let mut header = vec![tag];
        header.extend((content.len() as u32).to_le_bytes());
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&header);
        hasher.update(content);
        bytes.extend(header);
        bytes.extend(hasher.finalize().to_le_bytes());
        bytes.extend_from_slice(content);
    }
    bytes
}

#[test]
fn a_partial_result_that_promises_pseudo_counters() {
    let mut record = name_hash(b"f").to_le_bytes().to_vec();
    record.extend([2, b'f']);
    record.extend(7u64.to_le_bytes());
    // One contribution of input 0, no counters, no bitmap, and more: no sites, no uniformity.
    record.extend([1, 0, 0, 0, 1, 0, 0, 0, 0]);
    // One alternate: pseudo counters, 2^32 - 1 of them, of one contribution of input 0, hot; and none of them there.
    record.extend([1, 2, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0, 1, 0, 0, 0, 0]);
    let profile = merged(&partial(3, &record));
    assert_eq!(profile.records().map(|record| record.counters.len()).max(), None);
}

/// A sink that counts.
#[derive(Default)]
struct Counting {
    records: usize,
    counters: usize,
    bytes_of_names: usize,
}

impl Sink for Counting {
    fn heading(&mut self, _: &Heading) -> Result<(), Error> {
        Ok(())
    }

    fn record(&mut self, record: RecordRef<'_>) -> Result<(), Error> {
        self.records += 1;
        self.counters += record.counters.len();
        self.bytes_of_names += record.name.bytes.map_or(0, <[u8]>::len);
        Ok(())
    }
}

#[test]
fn a_million_tiny_records() {
    let text = "f\n1\n1\n1\n".repeat(1_000_000);
    let mut counting = Counting::default();
    read(text.as_bytes(), &ReadOptions::default(), &mut counting).unwrap();
    assert_eq!((counting.records, counting.counters, counting.bytes_of_names), (1_000_000, 1_000_000, 1_000_000));
    let name = [b'n'; 1000];
    let hashes: Vec<u64> = (0..1_000_000).collect();
    let bytes = one_bucket(&[(name_hash(&name), &name)], |_| hashes.clone());
    let mut counting = Counting::default();
    read(&bytes, &ReadOptions::default(), &mut counting).unwrap();
    assert_eq!(counting.records, 1_000_000);
    assert!(counting.bytes_of_names <= 64 * bytes.len());
}

/// Returns the kinds of the findings of a merge.
fn found(bytes: &[u8]) -> Vec<FindingKind> {
    let mut merger = Merger::new(MergeOptions::default());
    merger.add_bytes("input", 1, bytes).unwrap();
    merger.finish().unwrap().1.findings.iter().map(|finding| finding.kind).collect()
}

#[test]
fn sections_that_are_added_whole_hide_no_damage() {
    // Binary ids of which the first has no bytes.
    let mut bytes = header_only(0, &[]);
    bytes[2 * 8..3 * 8].copy_from_slice(&8u64.to_ne_bytes());
    bytes.extend([0; 8]);
    assert_eq!(found(&bytes), [FindingKind::SectionLost]);
    // A function without a name.
    let shape = RecordShape::of(RawVersion::V10, WordSize::W64);
    let mut record = vec![0; shape.size as usize];
    record[shape.name_ref] = 7;
    record[shape.num_counters..][..4].copy_from_slice(&1u32.to_ne_bytes());
    let mut bytes = header_only(0, &[]);
    for word in [3, 5] {
        bytes[word * 8..][..8].copy_from_slice(&1u64.to_ne_bytes());
    }
    bytes.extend(record);
    bytes.extend([5, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(found(&bytes), [FindingKind::NamesLost, FindingKind::NoName]);
}

#[test]
fn what_is_read_strictly_is_salvaged_too() {
    let name = (name_hash(b"f"), &b"f"[..]);
    for version in [2, 5] {
        let mut bytes = one_bucket(&[name], |_| vec![1]);
        // Before the bucket array stand bytes that mean nothing.
        let end = u64::from_le_bytes(*bytes[32..].first_chunk().unwrap()) as usize;
        assert_eq!(bytes[end - 1], 0);
        bytes[end - 1] = 1;
        if version == 5 {
            // A summary without fields, shorter than any that LLVM writes.
            bytes[8] = 5;
            bytes = with_short_summary(&bytes, end);
        }
        let (mut strict, mut salvage) = (Profile::new(), Profile::new());
        let read_with = |salvage, sink: &mut Profile| {
            read(&bytes, &ReadOptions { salvage, ..ReadOptions::default() }, sink).unwrap();
        };
        read_with(false, &mut strict);
        read_with(true, &mut salvage);
        assert_eq!((strict.len(), salvage.len()), (1, 1), "version {version}");
        assert_eq!(salvage.findings(), []);
    }
}

/// Inserts the two numbers of an empty summary before the payload, which ends at `end`; its data gets the values of version 3.
fn with_short_summary(bytes: &[u8], end: usize) -> Vec<u8> {
    let mut longer = bytes[..40].to_vec();
    longer.extend([0; 16]);
    longer.extend_from_slice(&bytes[40..end]);
    // The count of the bucket, hash, key length; then the length of the data.
    let data = 56 + 2 + 16;
    longer[data..data + 8].copy_from_slice(&24u64.to_le_bytes());
    let after = data + 8 + 1 + 16;
    longer.truncate(after);
    longer.extend([8, 0, 0, 0, 0, 0, 0, 0]);
    longer.resize(longer.len().next_multiple_of(8), 1);
    let hash_offset = longer.len() as u64;
    longer[32..40].copy_from_slice(&hash_offset.to_le_bytes());
    for word in [1, 1, 56] {
        longer.extend(u64::to_le_bytes(word));
    }
    longer
}

#[test]
fn memprof_at_the_end_of_all_addresses() {
    let from = u64::MAX - 7;
    // Offsets of version 4: the third leads to a table of four buckets, the last one to data accesses.
    let section: Vec<u8> = [4, from, from, from, from, 0, 0, 0].into_iter().flat_map(u64::to_le_bytes).collect();
    assert!(relocate(&section, from, 800).is_err());
}
