//! Records of every version, seen with the eyes of every other: the stride tells.

use super::*;
use crate::format::layout::Sections;
use crate::native::{RAW_VERSION, RECORD};
use crate::span::Span;
use std::vec;
use std::vec::Vec;

/// A section of `count` records with two counters each, and the counters.
fn records(version: RawVersion, count: usize) -> (Vec<u64>, Vec<u64>) {
    let shape = RecordShape::of(version, WordSize::NATIVE);
    let size = shape.size as usize;
    let mut data = vec![0x1234_5678_9abc_def0u64; size / 8 * count];
    let counters = vec![0u64; 2 * count];
    let section = data.as_ptr() as usize;
    // SAFETY: the bytes of the records.
    let bytes = unsafe { core::slice::from_raw_parts_mut(data.as_mut_ptr().cast::<u8>(), size * count) };
    for (index, record) in bytes.chunks_exact_mut(size).enumerate() {
        let mut put = |at: usize, field: &[u8]| record[at..at + field.len()].copy_from_slice(field);
        let own = &raw const counters[2 * index] as usize;
        put(shape.counter_ptr, &own.wrapping_sub(section + index * size).to_ne_bytes());
        put(shape.num_counters, &2u32.to_ne_bytes());
    }
    (data, counters)
}

fn image(data: &[u64], counters: &[u64]) -> Image {
    let mut image = Image::EMPTY;
    image.sections.data = Span { start: data.as_ptr().cast(), len: data.len() * 8 };
    image.sections.counters = Span { start: counters.as_ptr().cast(), len: counters.len() * 8 };
    image
}

#[test]
fn the_stride_tells() {
    for count in 1..9 {
        for made in RawVersion::ALL {
            let (data, counters) = records(made, count);
            let image = image(&data, &counters);
            for seen in RawVersion::ALL {
                // 9 and 10 have records of one size; what differs is behind what this check reads.
                let same = RecordShape::of(made, WordSize::NATIVE).size == RecordShape::of(seen, WordSize::NATIVE).size;
                assert_eq!(
                    all_fit(image.data, image.counters, &stride(seen), 3),
                    same,
                    "{count} records of {made:?} as {seen:?}"
                );
            }
        }
    }
}

#[test]
fn the_variable_tells() {
    let (data, counters) = records(RAW_VERSION, 3);
    let image = image(&data, &counters);
    assert_eq!(check(&image, RAW_VERSION.number() | Variant::IR), Ok(()));
    for other in RawVersion::ALL.into_iter().filter(|v| *v != RAW_VERSION) {
        assert_eq!(check(&image, other.number()), Err(Error::mismatch(other.number() as u8)));
    }
    assert_eq!(check(&image, 77), Err(Error::mismatch(77)));
    assert_eq!(check(&Image::EMPTY, RAW_VERSION.number()), Ok(()));
}

/// What devices look at says the same.
#[test]
fn every_record_is_looked_at() {
    let own = &stride(RAW_VERSION);
    for count in 0..9 {
        for made in RawVersion::ALL {
            let (data, counters) = records(made, count);
            let Sections { data: at, counters: theirs, .. } = image(&data, &counters).sections;
            let same = RecordShape::of(made, WordSize::NATIVE).size == RECORD.size;
            assert_eq!(all_fit(at, theirs, own, 3), same || count == 0, "{count} records of {made:?}");
            if !same || count == 0 {
                continue;
            }
            // Nothing around the counters is theirs, and half a record is none.
            assert!(!all_fit(at, theirs.prefix(theirs.len - 8), own, 3) && !all_fit(at, theirs.skip(8), own, 3));
            assert!(!all_fit(at.prefix(at.len - 16), theirs, own, 3));
            assert!(all_fit(at, theirs.prefix(theirs.len - 8), own, 0), "bytes need less");
        }
    }
    let (mut data, counters) = records(RAW_VERSION, 3);
    let middle = RECORD.size as usize + RECORD.num_counters;
    data[middle / 8] = 0;
    let Sections { data: at, counters: theirs, .. } = image(&data, &counters).sections;
    assert!(!all_fit(at, theirs, own, 3), "a record without counters");
}

/// Counters of one byte, said to have eight.
#[test]
fn another_size_of_counters_is_told_from_another_version() {
    let built = RAW_VERSION;
    let bytes = built.number() | Variant::BYTE_COVERAGE;
    let other_kind = Err(Error::mismatch(built.number() as u8));
    for count in 2..9 {
        let (data, counters) = records(built, count);
        let image = image(&data, &counters);
        assert_eq!(check(&image, built.number()), Ok(()));
        let (data, section) = records_with_bytes(count);
        let mut image = self::image(&data, &[]);
        image.sections.counters = section;
        assert_eq!(check(&image, bytes), Ok(()));
        assert_eq!(check(&image, built.number()), other_kind, "{count} records with bytes");
        // Counters on whole pages.
        image.sections.counters.len = 4096;
        assert_eq!(check(&image, bytes), Ok(()));
    }
}

/// Records with two counters of one byte each, and the section of the counters: addresses, which nobody reads.
fn records_with_bytes(count: usize) -> (Vec<u64>, Span) {
    let shape = RECORD;
    let (mut data, counters) = records(RAW_VERSION, count);
    let (section, first) = (data.as_ptr() as usize, counters.as_ptr());
    let words = shape.size as usize / 8;
    for (index, record) in data.chunks_exact_mut(words).enumerate() {
        let own = first as usize + 2 * index;
        record[shape.counter_ptr / 8] = own.wrapping_sub(section + index * words * 8) as u64;
    }
    (data, Span { start: first.cast(), len: 2 * count })
}
