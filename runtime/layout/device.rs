//! The plan of a device's own profile, a number at a time: there is no stack to spare for a whole [`super::Plan`]. It says the same,
//! which a test proves.

use super::{Part, vtable_size};
use crate::format::header::{Field, field, magic};
use crate::format::{RawVersion, RecordShape, Variant, Word};
use crate::span::Span;

/// The parts behind the header and the binary ids, in file order.
pub const PARTS: [Part; 6] = [Part::Data, Part::Counters, Part::Bitmap, Part::Names, Part::VTables, Part::VNames];

const RECORD: usize = RecordShape::NATIVE.size as usize;
const VTABLE: usize = vtable_size(Word::NATIVE) as usize;

/// Bytes from `len` up to a multiple of 8.
const fn padding(len: usize) -> usize {
    len.wrapping_neg() & 7
}

/// Counters in so many bytes.
fn counters_in(len: usize, version: u64) -> usize {
    if Variant(version).counter_size() == 1 { len } else { len.div_ceil(8) }
}

/// Bytes of a part of `len` bytes in the file, and the zero bytes behind it.
pub fn size(part: Part, version: u64, len: usize) -> (usize, usize) {
    let built = RawVersion::BUILT;
    match part {
        Part::Data => (len.div_ceil(RECORD).wrapping_mul(RECORD), 0),
        Part::Counters if Variant(version).counter_size() == 1 => {
            // Version 8 does not pad byte counters.
            (len, if built == RawVersion::V8 { 0 } else { padding(len) })
        }
        Part::Counters => (len.wrapping_add(padding(len)), 0),
        Part::Bitmap if built.has_bitmap() => (len, padding(len)),
        Part::Names => (len, padding(len)),
        Part::VTables if built.has_vtables() => {
            let len = len.div_ceil(VTABLE).wrapping_mul(VTABLE);
            (len, padding(len))
        }
        Part::VNames if built.has_vtables() => (len, padding(len)),
        _ => (0, 0),
    }
}

/// A word of the header for the image with these bounds.
pub fn header_word(index: usize, version: u64, binary_ids: u64, bounds: fn(Part) -> Span) -> u64 {
    let Some(field) = field(index, RawVersion::BUILT) else { return 0 };
    let len = |part: Part| bounds(part).len;
    let size = |part: Part| size(part, version, len(part));
    let correlated =
        || Variant(version).has(Variant::DEBUG_CORRELATE) || (len(Part::Data) == 0 && len(Part::Names) == 0);
    let delta = |part: Part| bounds(part).start.addr().wrapping_sub(bounds(Part::Data).start.addr()) as u64;
    let number = match field {
        Field::Magic => return magic(Word::NATIVE),
        Field::Version => return version,
        Field::BinaryIdsSize => return binary_ids,
        Field::CountersDelta if !correlated() => return delta(Part::Counters),
        Field::BitmapDelta if !correlated() => return delta(Part::Bitmap),
        Field::NamesDelta if !correlated() => return bounds(Part::Names).address(),
        Field::NumData => len(Part::Data).div_ceil(RECORD),
        Field::NumCounters => counters_in(len(Part::Counters), version),
        Field::PaddingBytesAfterCounters => size(Part::Counters).1,
        Field::NumBitmapBytes => size(Part::Bitmap).0,
        Field::PaddingBytesAfterBitmapBytes => size(Part::Bitmap).1,
        Field::NamesSize => len(Part::Names),
        Field::NumVTables => size(Part::VTables).0 / VTABLE,
        Field::VNamesSize => size(Part::VNames).0,
        Field::ValueKindLast => RawVersion::BUILT.value_kinds().wrapping_sub(1),
        _ => 0,
    };
    number as u64
}

#[cfg(test)]
mod tests {
    //! Against the plan, for any image.
    use std::cell::Cell;
    use std::thread_local;

    use proptest::prelude::*;

    use super::*;
    use crate::layout::{Padding, Plan, Shape};

    thread_local!(static LENGTHS: Cell<[usize; 6]> = const { Cell::new([0; 6]) });

    fn bounds(part: Part) -> Span {
        let place = PARTS.iter().position(|known| *known == part).unwrap();
        Span { start: (0x1000 * (9 - place)) as *const u8, len: LENGTHS.get()[place] }
    }

    proptest! {
        #[test]
        fn is_that_of_the_plan(
            lengths in proptest::array::uniform6(0_usize..300),
            empty in any::<bool>(),
            ids in 0_u64..5,
            variant in prop_oneof![Just(0), Just(Variant::BYTE_COVERAGE), Just(Variant::DEBUG_CORRELATE), Just(1 << 56)],
        ) {
            LENGTHS.set(if empty { [0, lengths[1], lengths[2], 0, 0, 0] } else { lengths });
            let (version, ids) = (RawVersion::BUILT.number() | variant, ids * 24);
            let [data, counters, bitmap, names, vtables, vnames] = PARTS.map(bounds);
            let plan = Plan::of_image(&Shape {
                version, word: Word::NATIVE, binary_ids: ids, padding: Padding::Words, uniform: 0, uniform_address: 0,
                data: data.len as u64, counters: counters.len as u64, bitmap: bitmap.len as u64, names: names.len as u64,
                vtables: vtables.len as u64, vnames: vnames.len as u64, data_address: data.address(),
                counters_address: counters.address(), bitmap_address: bitmap.address(), names_address: names.address(),
            }).unwrap();
            for index in 0..=RawVersion::BUILT.header_words() {
                prop_assert_eq!(header_word(index, version, ids, bounds), plan.header_word(index), "word {}", index);
            }
            for part in PARTS {
                let (len, padding) = size(part, version, bounds(part).len);
                let chunk = plan.chunk(part);
                prop_assert_eq!((len + padding) as u64, chunk.len + chunk.padding, "{:?}", part);
            }
        }
    }
}
