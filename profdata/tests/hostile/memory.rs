//! Inputs that are made to take more memory than they have bytes.

use profdata::name::name_hash;
use profdata::read;
use profdata::read::ReadOptions;
use profdata::read::names::for_each;
use profdata::read::names::{NameTable, write_blob};
use profdata::sink::RecordRef;
use profdata::sink::{Heading, Sink};
use profdata::{Error, Profile};

use crate::hostile::{assert_not_quadratic, header_only, merged, one_bucket};

#[test]
fn one_name_over_and_over() {
    let make = |count: usize| {
        let names = vec![&b"f"[..]; 100 * count];
        write_blob(names, true)
    };
    let blob = make(10_000);
    assert!(blob.len() < 4000);
    assert_eq!(NameTable::read(&blob).unwrap().len(), 1);
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
    let mut bytes = b"\xffprofpt\x81\x01\0\0\0".to_vec();
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
