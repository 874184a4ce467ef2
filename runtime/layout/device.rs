//! The plan of a device's own profile in plain numbers: there is no stack and no flash to spare for a whole [`super::Plan`]. It
//! says the same, which a test proves.

use super::{Part, vtable_size};
use crate::format::{RawVersion, RecordShape, Variant, Word};
use crate::span::Span;

const RECORD: usize = RecordShape::NATIVE.size as usize;
const VTABLE: usize = vtable_size(Word::NATIVE) as usize;

/// Where the parts of an image are.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields of `sections::Image` say what they are")]
pub struct Bounds {
    pub data: Span,
    pub counters: Span,
    pub bitmap: Span,
    pub names: Span,
    pub vtables: Span,
    pub vnames: Span,
}

/// `len` up to a multiple of 8.
#[inline]
pub const fn up_to_word(len: usize) -> usize {
    len.wrapping_add(7) & !7
}

/// Bytes in the file for a part of `len` bytes: with what its last entry lacks, and the padding behind it.
pub fn size(part: Part, version: u64, len: usize) -> usize {
    let built = RawVersion::BUILT;
    match part {
        Part::Data => len.div_ceil(RECORD).wrapping_mul(RECORD),
        // Version 8 does not pad byte counters.
        Part::Counters if built == RawVersion::V8 && Variant(version).counter_size() == 1 => len,
        Part::Bitmap if !built.has_bitmap() => 0,
        Part::VTables | Part::VNames if !built.has_vtables() => 0,
        Part::VTables => len.div_ceil(VTABLE).wrapping_mul(VTABLE),
        _ => up_to_word(len),
    }
}

/// The numbers of the header behind magic and version, in file order.
#[inline(always)]
pub fn header(version: u64, binary_ids: usize, at: &Bounds, mut each: impl FnMut(usize)) {
    const BUILT: RawVersion = RawVersion::BUILT;
    let padding = |part: Part, len: usize| size(part, version, len).wrapping_sub(len);
    let bytes = Variant(version).counter_size() == 1;
    let correlated = Variant(version).has(Variant::DEBUG_CORRELATE) || (at.data.len == 0 && at.names.len == 0);
    let base = at.data.start.addr();
    let delta = |span: Span| if correlated { 0 } else { span.start.addr().wrapping_sub(base) };
    each(binary_ids);
    each(at.data.len.div_ceil(RECORD));
    each(0);
    // The last word may be cut short, and is filled up.
    each(if bytes { at.counters.len } else { at.counters.len.div_ceil(8) });
    each(if bytes { padding(Part::Counters, at.counters.len) } else { 0 });
    if BUILT.has_bitmap() {
        each(at.bitmap.len);
        each(padding(Part::Bitmap, at.bitmap.len));
    }
    if BUILT.has_uniform_counters() {
        for _ in 0..3 {
            each(0);
        }
    }
    each(at.names.len);
    each(delta(at.counters));
    if BUILT.has_bitmap() {
        each(delta(at.bitmap));
    }
    each(if correlated { 0 } else { at.names.start.addr() });
    if BUILT.has_vtables() {
        each(at.vtables.len.div_ceil(VTABLE));
        each(at.vnames.len);
    }
    each(BUILT.value_kinds().wrapping_sub(1));
}

#[cfg(test)]
mod tests {
    //! Against the plan, for any image.
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::layout::{Padding, Plan, Shape};

    proptest! {
        #[test]
        fn is_that_of_the_plan(
            lengths in proptest::array::uniform6(0_usize..300),
            empty in any::<bool>(),
            ids in 0_usize..5,
            variant in prop_oneof![Just(0), Just(Variant::BYTE_COVERAGE), Just(Variant::DEBUG_CORRELATE), Just(1 << 56)],
        ) {
            let [a, b, c, d, e, f] = if empty { [0, lengths[1], lengths[2], 0, 0, 0] } else { lengths };
            let at = |place: usize, len| Span { start: (0x1000 * place) as *const u8, len };
            let bounds = Bounds {
                data: at(9, a), counters: at(8, b), bitmap: at(7, c), names: at(6, d), vtables: at(5, e), vnames: at(4, f),
            };
            let Bounds { data, counters, bitmap, names, vtables, vnames } = bounds;
            let (version, ids) = (RawVersion::BUILT.number() | variant, ids * 24);
            let plan = Plan::of_image(&Shape {
                version, word: Word::NATIVE, binary_ids: ids as u64, padding: Padding::Words, uniform: 0, uniform_address: 0,
                data: data.len as u64, counters: counters.len as u64, bitmap: bitmap.len as u64, names: names.len as u64,
                vtables: vtables.len as u64, vnames: vnames.len as u64, data_address: data.address(),
                counters_address: counters.address(), bitmap_address: bitmap.address(), names_address: names.address(),
            }).unwrap();
            let mut numbers = Vec::new();
            header(version, ids, &bounds, |number| numbers.push(number as u64));
            let planned: Vec<u64> = (2..RawVersion::BUILT.header_words()).map(|index| plan.header_word(index)).collect();
            prop_assert_eq!(numbers, planned);
            for (part, span) in [
                (Part::Data, data), (Part::Counters, counters), (Part::Bitmap, bitmap), (Part::Names, names),
                (Part::VTables, vtables), (Part::VNames, vnames),
            ] {
                let chunk = plan.chunk(part);
                prop_assert_eq!(size(part, version, span.len) as u64, chunk.len + chunk.padding, "{:?}", part);
            }
        }
    }
}
