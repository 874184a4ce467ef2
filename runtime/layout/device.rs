//! The plan of a device's own profile, computed number by number: devices lack the stack and the flash for a whole [`super::Plan`]. A test
//! proves that both agree.

use super::{Part, vtable_size};
use crate::format::{RawVersion, RecordShape, Variant, WordSize};
use crate::span::Span;

const RECORD: usize = RecordShape::NATIVE.size as usize;
const VTABLE: usize = vtable_size(WordSize::NATIVE) as usize;

/// Rounds `len` up to a multiple of 8.
#[inline]
pub const fn up_to_word(len: usize) -> usize {
    len.wrapping_add(7) & !7
}

/// Returns the size in the file of a part of `len` bytes: with the rest of a truncated last entry and the padding.
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

/// Passes the header's numbers after magic and version to `each`, in file order. `at` returns the bytes of a part; it is called when they
/// are needed, since all parts together would take much stack.
#[inline(always)]
pub fn header(version: u64, binary_ids: usize, at: impl Fn(Part) -> Span, mut each: impl FnMut(usize)) {
    const BUILT: RawVersion = RawVersion::BUILT;
    let padding = |part: Part, len: usize| size(part, version, len).wrapping_sub(len);
    let bytes = Variant(version).counter_size() == 1;
    each(binary_ids);
    let records = at(Part::Data).len.div_ceil(RECORD);
    each(records);
    each(0);
    let counters = at(Part::Counters).len;
    // A truncated last word is filled up with zeros.
    each(if bytes { counters } else { counters.div_ceil(8) });
    each(if bytes { padding(Part::Counters, counters) } else { 0 });
    if BUILT.has_bitmap() {
        let bitmap = at(Part::Bitmap).len;
        each(bitmap);
        each(padding(Part::Bitmap, bitmap));
    }
    if BUILT.has_uniform_counters() {
        for _ in 0..3 {
            each(0);
        }
    }
    let names = at(Part::Names);
    each(names.len);
    let correlated = Variant(version).has(Variant::DEBUG_CORRELATE) || (records == 0 && names.len == 0);
    let delta = |span: Span| if correlated { 0 } else { span.start.addr().wrapping_sub(at(Part::Data).start.addr()) };
    each(delta(at(Part::Counters)));
    if BUILT.has_bitmap() {
        each(delta(at(Part::Bitmap)));
    }
    each(if correlated { 0 } else { names.start.addr() });
    if BUILT.has_vtables() {
        each(at(Part::VTables).len.div_ceil(VTABLE));
        each(at(Part::VNames).len);
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
            let (data, counters, bitmap) = (at(9, a), at(8, b), at(7, c));
            let (names, vtables, vnames) = (at(6, d), at(5, e), at(4, f));
            let of = |part| match part {
                Part::Data => data,
                Part::Counters => counters,
                Part::Bitmap => bitmap,
                Part::Names => names,
                Part::VTables => vtables,
                _ => vnames,
            };
            let (version, ids) = (RawVersion::BUILT.number() | variant, ids * 24);
            let plan = Plan::of_image(&Shape {
                version, word: WordSize::NATIVE, binary_ids: ids as u64, padding: Padding::Words, uniform: 0, uniform_address: 0,
                data: data.len as u64, counters: counters.len as u64, bitmap: bitmap.len as u64, names: names.len as u64,
                vtables: vtables.len as u64, vnames: vnames.len as u64, data_address: data.address(),
                counters_address: counters.address(), bitmap_address: bitmap.address(), names_address: names.address(),
            }).unwrap();
            let mut numbers = Vec::new();
            header(version, ids, of, |number| numbers.push(number as u64));
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
