//! Files of an image are added; what is anything else is refused and changes nothing.

#![allow(unsafe_code)]

use super::*;
use crate::layout::Padding;
use crate::raw;
use crate::sections::Image;
use crate::sink::buffer::Buffer;
use crate::span::Span;
use crate::value::node::records;
use std::vec;
use std::vec::Vec;

const NAMES: &[u8] = b"\x03\0one";
const WORDS: usize = RecordShape::NATIVE.size as usize / 8;

/// Two functions of two counters each: names, hashes, distances to the counters, which begin right behind the records.
fn data(hash: u64) -> Vec<u64> {
    let mut data = vec![0; 2 * WORDS];
    for (index, record) in data.chunks_mut(WORDS).enumerate() {
        record[0] = index as u64 + 1;
        record[1] = hash;
        record[2] = (2 * WORDS * 8 + index * 16 - index * WORDS * 8) as u64;
        let counters = RecordShape::NATIVE.num_counters;
        record[counters / 8] |= 2 << (counters % 8 * 8);
    }
    data
}

fn image<'a>(data: &'a [u64], counters: &'a [u8], bitmap: &'a [u8]) -> Image {
    let data = Span { start: data.as_ptr().cast(), len: size_of_val(data) };
    Image {
        data,
        counters: Span { start: counters.as_ptr(), len: counters.len() },
        bitmap: Span::of(bitmap),
        names: Span::of(NAMES),
        ..Image::EMPTY
    }
}

/// The shape in which the counters stand right behind the records, whatever address the test's have.
fn plan(image: &Image, flags: u64, padding: Padding) -> Plan {
    let mut shape = raw::shape(image, RawVersion::BUILT.number() | flags, padding);
    shape.counters_address = shape.data_address + shape.data;
    shape.bitmap_address = shape.counters_address + shape.counters;
    Plan::of_image(&shape).unwrap()
}

fn file(image: &Image, plan: &Plan) -> Vec<u8> {
    let mut file = vec![0; plan.fixed_size() as usize];
    // SAFETY: spans of live slices; the buffer is as long as said.
    unsafe { raw::write(image, plan, &mut Buffer::new(file.as_mut_ptr(), file.len())).unwrap() };
    file
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_ne_bytes()).collect()
}

/// What comes of adopting a file with `old` counters into `ours`.
fn adopted(
    flags: u64,
    padding: Padding,
    old: &[u8],
    ours: &[u8],
    change: impl Fn(&mut Vec<u8>),
) -> (Result<(), Refusal>, Vec<u8>, Vec<u8>) {
    let data = data(7);
    let theirs = image(&data, old, &[1, 2]);
    let mut there = file(&theirs, &plan(&theirs, flags, padding));
    change(&mut there);
    let (mut counters, mut bitmap) = (ours.to_vec(), vec![4, 2]);
    let here = image(&data, ours, &[4, 2]);
    let plan = plan(&here, flags, Padding::Pages(4096));
    // SAFETY: the records above.
    let own = Own { plan: &plan, records: unsafe { records(here.data) }, names: NAMES, binary_ids: &[] };
    let result = adopt(&there, &own, &mut counters, &mut bitmap);
    (result, counters, bitmap)
}

const PADDINGS: [Padding; 2] = [Padding::Words, Padding::Pages(4096)];

#[test]
fn counters_are_added_and_bits_set() {
    for padding in PADDINGS {
        let old = bytes(&[1, u64::MAX, 3, 4]);
        let (result, counters, bitmap) = adopted(0, padding, &old, &bytes(&[10, 2, 0, 0]), |_| {});
        assert_eq!((result, counters), (Ok(()), bytes(&[11, 1, 3, 4])));
        assert_eq!(bitmap, if RawVersion::BUILT.has_bitmap() { [5, 2] } else { [4, 2] });
    }
}

#[test]
fn covered_once_is_covered() {
    let (result, counters, _) =
        adopted(Variant::BYTE_COVERAGE, PADDINGS[1], &[0, 255, 0, 255], &[255, 255, 0, 0], |_| {});
    assert_eq!((result, counters), (Ok(()), vec![0, 255, 0, 0]));
}

#[test]
fn the_first_time_counts() {
    let (old, ours) = (bytes(&[5, 1, 0, 2]), bytes(&[3, 10, 9, 20]));
    let (result, counters, _) = adopted(Variant::TEMPORAL, PADDINGS[1], &old, &ours, |_| {});
    assert_eq!((result, counters), (Ok(()), bytes(&[3, 11, 9, 22])));
    let (_, counters, _) =
        adopted(Variant::TEMPORAL, PADDINGS[1], &bytes(&[5, 1, 6, 0]), &bytes(&[0, 0, 7, 0]), |_| {});
    assert_eq!(counters, bytes(&[5, 1, 6, 0]));
}

#[test]
fn others_are_refused_and_nothing_changes() {
    let ours = bytes(&[10, 2, 0, 0]);
    let refusal = |change: &dyn Fn(&mut Vec<u8>)| {
        let (result, counters, bitmap) = adopted(0, PADDINGS[1], &ours, &ours, change);
        assert_eq!((counters, bitmap), (ours.clone(), vec![4, 2]));
        result.err()
    };
    let data = RawVersion::BUILT.header_words() * 8;
    assert_eq!(refusal(&|file| file.truncate(40)), Some(Refusal::Damaged));
    assert_eq!(refusal(&|file| file[0] ^= 1), Some(Refusal::Damaged));
    assert_eq!(refusal(&|file| file.truncate(file.len() - 1)), Some(Refusal::Damaged));
    // Another version, another number of counters, another function, another name, something behind.
    assert_eq!(refusal(&|file| file[8] = if file[8] == 8 { 9 } else { 8 }), Some(Refusal::Other));
    assert_eq!(refusal(&|file| file[8 * 5] -= 1), Some(Refusal::Other));
    assert_eq!(refusal(&|file| file[data + 8] ^= 1), Some(Refusal::Other));
    assert_eq!(refusal(&|file| file.push(0)), Some(Refusal::Other));
    // Numbers that do not fit together.
    assert_eq!(refusal(&|file| file[8 * 5..8 * 6].fill(0xff)), Some(Refusal::Damaged));
}

#[test]
fn without_records_the_build_id_decides() {
    const IDS: [&[u8]; 2] = [b"\x04\0\0\0\x04\0\0\0\x03\0\0\0GNU\0one.", b"\x04\0\0\0\x04\0\0\0\x03\0\0\0GNU\0two."];
    let counters = bytes(&[1, 2]);
    let image = |id: usize| {
        let mut notes = Image::EMPTY.notes;
        notes[0] = Span::of(IDS[id]);
        Image { counters: Span::of(&counters), notes, ..Image::EMPTY }
    };
    let there = file(&image(0), &plan(&image(0), Variant::DEBUG_CORRELATE, PADDINGS[1]));
    let plan = plan(&image(0), Variant::DEBUG_CORRELATE, PADDINGS[1]);
    for (binary_ids, expected) in
        [(*b"\x04\0\0\0\0\0\0\0one.\0\0\0\0", Ok(())), (*b"\x04\0\0\0\0\0\0\0two.\0\0\0\0", Err(Refusal::Other))]
    {
        let own = Own { plan: &plan, records: &[], names: &[], binary_ids: &binary_ids };
        assert_eq!(adopt(&there, &own, &mut bytes(&[0, 0]), &mut []), expected);
    }
}
