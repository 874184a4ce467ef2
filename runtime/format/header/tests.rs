//! Header: round trip for every version, word size and byte order; refusal of what is not a header.

use super::*;
use std::vec::Vec;

fn words(header: &Header, version: RawVersion, word: WordSize) -> Vec<u64> {
    assert_eq!(fields(version).count(), version.header_words());
    fields(version).map(|field| header.number(field, word)).collect()
}

/// As in the headers of LLVM's releases.
#[test]
fn versions_have_so_many_words() {
    assert_eq!(RawVersion::ALL.map(RawVersion::header_words), [11, 14, 16, 19]);
}

fn sample() -> Header {
    Header {
        version: 0,
        binary_ids_size: 32,
        num_data: 3,
        padding_before_counters: 5,
        num_counters: 7,
        padding_after_counters: 11,
        num_bitmap_bytes: 13,
        padding_after_bitmap: 17,
        num_uniform_counters: 19,
        padding_after_uniform_counters: 23,
        uniform_counters_delta: 29,
        names_size: 31,
        counters_delta: 37,
        bitmap_delta: 41,
        names_delta: 43,
        num_vtables: 47,
        vnames_size: 53,
        value_kind_last: 2,
    }
}

#[test]
fn round_trip() {
    for version in RawVersion::ALL {
        for word in [WordSize::W32, WordSize::W64] {
            for endian in [Endian::Little, Endian::Big] {
                let encoding = Encoding { word, endian };
                let mut header = sample();
                header.version = version.number() | Variant::IR;
                let written = words(&header, version, word);
                let bytes: Vec<u8> = written.iter().flat_map(|w| encoding.u64_bytes(*w)).collect();
                let (read, v, e) = Header::decode(&bytes).unwrap();
                assert_eq!((v, e), (version, encoding));
                // What the version lacks reads as 0: writing it again gives the same words.
                assert_eq!(words(&read, version, word), written);
                for cut in 0..bytes.len() {
                    assert_eq!(Header::decode(&bytes[..cut]), Err(FormatError::Truncated), "cut at {cut}");
                }
            }
        }
    }
}

#[test]
fn first_bytes_are_llvms() {
    let words = words(&Header::default(), RawVersion::V10, WordSize::W64);
    let little = Encoding { word: WordSize::W64, endian: Endian::Little };
    assert_eq!(&little.u64_bytes(words[0]), b"\x81rforpl\xff");
}

#[test]
fn refuses_others() {
    assert_eq!(Header::decode(&[0x7f; 200]), Err(FormatError::BadMagic));
    for number in [0, 7, 12, 0xffff_ffff] {
        let mut words = words(&sample(), RawVersion::V10, WordSize::W64);
        words[1] = number;
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(Header::decode(&bytes), Err(FormatError::bad_version(number)));
    }
}

#[test]
fn fields_stand_where_their_words_are() {
    for version in RawVersion::ALL {
        let header = sample();
        let number = |field| {
            let words = words(&header, version, WordSize::W64);
            fields(version).position(|own| own == field).map(|i| words[i])
        };
        assert_eq!(number(Field::NumCounters), Some(7));
        assert_eq!(number(Field::NamesSize), Some(31));
        assert_eq!(number(Field::ValueKindLast), Some(2));
        assert_eq!(number(Field::NumBitmapBytes), Part::Bitmap.is_in(version).then_some(13));
        assert_eq!(number(Field::NumVTables), Part::VTables.is_in(version).then_some(47));
    }
}
