//! The plan against a naive reference that appends parts to a byte vector one after the other and then looks where they are.

use super::*;
use crate::header::fields;
use proptest::prelude::*;
use proptest::sample::select;
use std::vec::Vec;

/// Appends each part as the format's description says, with no knowledge of offsets.
fn naive(shape: &Shape) -> (Vec<(Part, usize, usize)>, usize) {
    let version = RawVersion::from_number(shape.version & 0xffff_ffff).unwrap();
    let mut file: Vec<u8> = Vec::new();
    let mut places = Vec::new();
    let unit = match shape.padding {
        Padding::Words => 8,
        Padding::Pages(n) => n as usize,
    };
    let counter = if shape.version >> 60 & 1 == 1 { 1 } else { 8 };
    let record = match (version.number(), shape.word) {
        (8, WordSize::W64) => 48,
        (8, WordSize::W32) => 40,
        (9 | 10, WordSize::W64) => 64,
        (9 | 10, WordSize::W32) => 48,
        (_, WordSize::W64) => 72,
        (_, WordSize::W32) => 56,
    };
    let vtable = if shape.word == WordSize::W64 { 24 } else { 16 };
    let mut put = |part, len: u64, whole: usize, align: usize, file: &mut Vec<u8>| {
        let len = (len as usize).div_ceil(whole) * whole;
        places.push((part, file.len(), len));
        file.resize(file.len() + len, 1);
        // Padding counts from the part's own start where the file is in words, from the file's where it is mapped: both
        // are the same, since each part begins aligned.
        let from = if align > 8 { file.len() } else { len };
        file.resize(file.len() + from.next_multiple_of(align) - from, 0);
    };
    let has = |yes: bool, len: u64| if yes { len } else { 0 };
    let n = version.number();
    put(Part::Header, [88, 112, 128, 152][n as usize - 8], 1, 1, &mut file);
    put(Part::BinaryIds, shape.binary_ids, 1, 1, &mut file);
    put(Part::Data, shape.sections.data.len, record, 1, &mut file);
    if unit > 8 {
        file.resize(file.len().next_multiple_of(unit), 0);
    }
    put(Part::Counters, shape.sections.counters.len, counter, if n == 8 && unit == 8 { 1 } else { unit }, &mut file);
    put(Part::Bitmap, has(n > 8, shape.sections.bitmap.len), 1, if n > 8 { unit } else { 1 }, &mut file);
    put(Part::UniformCounters, has(n == 11, shape.sections.uniform.len), counter, 8, &mut file);
    put(Part::Names, shape.sections.names.len, 1, 8, &mut file);
    put(Part::VTables, has(n > 9, shape.sections.vtables.len), vtable, 8, &mut file);
    put(Part::VNames, has(n > 9, shape.sections.vnames.len), 1, 8, &mut file);
    (places, file.len())
}

fn at(address: u64, len: u64) -> Extent {
    Extent { address, len }
}

fn shapes() -> impl Strategy<Value = Shape> {
    let lens = proptest::array::uniform8(0u64..5000);
    (
        select(&RawVersion::NUMBERS[..]).prop_map(u64::from),
        any::<bool>(),
        any::<bool>(),
        prop_oneof![Just(None), Just(Some(4096u64)), Just(Some(65536))],
        lens,
    )
        .prop_map(|(version, wide, bytes, page, l)| Shape {
            version: version | u64::from(bytes) << 60,
            word: if wide { WordSize::W64 } else { WordSize::W32 },
            binary_ids: l[0] / 8 * 8,
            sections: Sections {
                data: at(0x1000, l[1]),
                counters: at(0x8000, l[2]),
                bitmap: at(0x9000, l[3]),
                uniform: at(0xa000, l[4]),
                names: at(0xb000, l[5]),
                vtables: at(0xc000, l[6]),
                vnames: at(0xd000, l[7]),
            },
            padding: page.map_or(Padding::Words, Padding::Pages),
        })
}

proptest! {
    #[test]
    fn agrees_with_the_naive_one(shape in shapes()) {
        let plan = Plan::of_image(&shape).unwrap();
        let (places, size) = naive(&shape);
        for (chunk, place) in plan.chunks().zip(places) {
            prop_assert_eq!((chunk.part, chunk.offset as usize, chunk.len as usize), place);
        }
        prop_assert_eq!(plan.fixed_size() as usize, size);
        prop_assert!(plan.version == RawVersion::V8 || plan.fixed_size().is_multiple_of(8));
        // A reader that knows just the header makes the same plan.
        let mut read = Plan::of_header(plan.header, plan.version, plan.word).unwrap();
        prop_assert_eq!(read, plan);
        // And can pad it as this one is.
        read.set_padding(Padding::Pages(1 << 20)).unwrap();
        read.set_padding(shape.padding).unwrap();
        prop_assert_eq!(read, plan);
    }

    #[test]
    fn any_header_is_a_plan_or_an_error(fields in proptest::array::uniform32(any::<u64>()), version in select(&RawVersion::ALL[..])) {
        let header = Header {
            version: fields[0],
            binary_ids_size: fields[1],
            num_data: fields[2],
            padding_before_counters: fields[3],
            num_counters: fields[4],
            padding_after_counters: fields[5],
            num_bitmap_bytes: fields[6],
            padding_after_bitmap: fields[7],
            num_uniform_counters: fields[8],
            padding_after_uniform_counters: fields[9],
            names_size: fields[10],
            num_vtables: fields[11],
            vnames_size: fields[12],
            ..Header::default()
        };
        if let Ok(plan) = Plan::of_header(header, version, WordSize::W64) {
            let mut at = 0u64;
            for chunk in plan.chunks() {
                prop_assert_eq!(chunk.offset, at);
                at = at.checked_add(chunk.len).unwrap().checked_add(chunk.padding).unwrap();
            }
            prop_assert_eq!(at, plan.fixed_size());
        }
    }
}

#[test]
fn sums_that_wrap_are_errors() {
    let header = Header { num_counters: u64::MAX / 8, names_size: 64, ..Header::default() };
    assert_eq!(Plan::of_header(header, RawVersion::V10, WordSize::W64), Err(FormatError::Overflow));
    let header = Header { num_data: u64::MAX / 2, ..Header::default() };
    assert_eq!(Plan::of_header(header, RawVersion::V10, WordSize::W64), Err(FormatError::Overflow));
    let header = Header { names_size: u64::MAX, ..Header::default() };
    assert_eq!(Plan::of_header(header, RawVersion::V8, WordSize::W32), Err(FormatError::Overflow));
}

#[test]
fn a_header_whose_sums_wrap_is_refused_when_read() {
    let version = RawVersion::V10;
    let read = |names_size| {
        let header = Header { version: version.number(), names_size, ..Header::default() };
        let bytes: Vec<u8> =
            fields(version).flat_map(|field| header.number(field, WordSize::NATIVE).to_ne_bytes()).collect();
        let (number, encoding) = kind(&bytes).unwrap();
        assert_eq!(number, version.number());
        Plan::<All>::empty(version, WordSize::NATIVE).read(encoding, &bytes)
    };
    assert_eq!(read(8), Ok(()));
    assert_eq!(read(u64::MAX), Err(FormatError::Overflow));
}

#[test]
fn correlation_has_no_addresses() {
    let shape = Shape {
        version: 10,
        word: WordSize::W64,
        binary_ids: 0,
        sections: Sections { counters: at(0x4000, 24), ..Sections::default() },
        padding: Padding::Words,
    };
    let plan = Plan::of_image(&shape).unwrap();
    assert_eq!((plan.header.num_counters, plan.header.counters_delta), (3, 0));
    // A record or a name in memory brings the addresses back.
    let plan = Plan::of_image(&Shape { sections: Sections { names: at(0, 3), ..shape.sections }, ..shape }).unwrap();
    assert_eq!(plan.header.counters_delta, 0x4000);
}

#[test]
fn sizes_without_a_plan() {
    for (len, size) in [(0, 8), (1, 16), (8, 16), (20, 32), (u64::MAX, u64::MAX - 7)] {
        assert_eq!(binary_id_size(len), size);
    }
    for (len, unit, zeros) in [(0, 8, 0), (20, 8, 4), (1, 4096, 4095), (u64::MAX, 8, 1)] {
        assert_eq!(super::padding(len, unit), zeros);
    }
}
