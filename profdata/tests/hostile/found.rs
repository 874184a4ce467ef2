//! Inputs that the fuzzer has found.

use profdata::Profile;
use profdata::finding::FindingKind;
use profdata::memprof::relocate;
use profdata::merge::{MergeOptions, Merger};
use profdata::name::name_hash;
use profdata::read;
use profdata::read::ReadOptions;
use profrt_format::{RawVersion, RecordShape, WordSize};

use crate::hostile::{header_only, one_bucket};

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
    longer[data..data + 8].copy_from_slice(&32u64.to_le_bytes());
    let after = data + 8 + 1 + 24;
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
    let moved = relocate(&section, from, 800).unwrap();
    assert_eq!(relocate(&moved, 800, from).unwrap(), section);
}
