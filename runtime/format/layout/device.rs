//! The plan of a device's own profile, computed number by number: devices lack the stack and the flash for a whole [`super::Plan`]. A test
//! proves that both agree.
//!
//! The raw version is a type, [`OneVersion`], so that the compiler sees constants, and all is inlined into the callers.

use super::{Part, vtable_size};
use crate::header::Role;
use crate::parts::{Unit, words};
use crate::{RawVersion, RecordShape, Variant, WordSize};

/// The address and the length of a part in memory.
pub type AddressAndLength = (usize, usize);

/// Rounds `len` up to a multiple of 8.
#[inline(always)]
pub const fn up_to_word(len: usize) -> usize {
    len.wrapping_add(7) & !7
}

/// The raw version of a device.
pub trait OneVersion {
    /// The version.
    const VERSION: RawVersion;
    /// The size of a record.
    const RECORD: usize = RecordShape::of(Self::VERSION, WordSize::NATIVE).size as usize;
}

/// The size of a vtable record.
const VTABLE: usize = vtable_size(WordSize::NATIVE) as usize;

/// Returns the size of a binary id's entry; of no id, 0.
#[inline(always)]
pub const fn binary_ids_size(id: usize) -> usize {
    if id == 0 { 0 } else { up_to_word(id).wrapping_add(8) }
}

/// Returns the size in the file of a part of `len` bytes: with the rest of a truncated last entry and the padding.
#[inline(always)]
pub fn size<R: OneVersion>(part: Part, version: u64, len: usize) -> usize {
    let raw = R::VERSION;
    if !part.is_in(raw) {
        return 0;
    }
    match part.unit() {
        Unit::Record => len.div_ceil(R::RECORD).wrapping_mul(R::RECORD),
        Unit::VTable => len.div_ceil(VTABLE).wrapping_mul(VTABLE),
        // Version 8 does not pad byte counters.
        Unit::Counter if raw == RawVersion::V8 && Variant(version).counter_size() == 1 => len,
        Unit::Counter | Unit::Byte => up_to_word(len),
    }
}

/// Passes the header's numbers after magic and version to `each`, in file order. `at` returns the bounds of a part; it is called when they
/// are needed, since all parts together would take much stack. `size` is [`size`] of this version.
#[inline(always)]
pub fn header<R: OneVersion>(
    version: u64,
    id: usize,
    at: impl Fn(Part) -> AddressAndLength,
    size: impl Fn(Part, usize) -> usize,
    mut each: impl FnMut(usize),
) {
    let bytes = Variant(version).counter_size() == 1;
    let correlated =
        Variant(version).has(Variant::DEBUG_CORRELATE) || (at(Part::Data).1 == 0 && at(Part::Names).1 == 0);
    macro_rules! numbers {
        ($($(#[$doc:meta])* $name:ident, $field:ident = $role:ident of $part:ident;)*) => {$(
            if Part::$part.is_in(R::VERSION) {
                match (Role::$role, Part::$part) {
                    (Role::Version, _) => {}
                    (Role::LastKind, _) => each(R::VERSION.value_kinds().wrapping_sub(1)),
                    (_, Part::BinaryIds) => each(binary_ids_size(id)),
                    // Nothing is padded to pages, and there are no uniform counters.
                    (Role::Padding, Part::Data) | (_, Part::UniformCounters) => each(0),
                    (Role::Padding, Part::Counters) if !bytes => each(0),
                    (Role::Padding, part) => {
                        let len = at(part).1;
                        each(size(part, len).wrapping_sub(len));
                    }
                    (Role::Count, part) => each(at(part).1.div_ceil(match part.unit() {
                        Unit::Record => R::RECORD,
                        Unit::VTable => VTABLE,
                        // A truncated last word is filled up with zeros.
                        Unit::Counter if !bytes => 8,
                        Unit::Counter | Unit::Byte => 1,
                    })),
                    (Role::Delta, part) => {
                        each(if correlated { 0 } else { at(part).0.wrapping_sub(at(Part::Data).0) });
                    }
                    (Role::Address, part) => each(if correlated { 0 } else { at(part).0 }),
                }
            }
        )*};
    }
    words!(numbers);
}

#[cfg(test)]
mod tests {
    //! Against the plan, for any image.
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;
    use crate::layout::{Extent, Padding, Plan, Sections, Shape, binary_id_size};

    /// Stands for an archive of the raw version `N`.
    struct Archive<const N: u64>;

    impl<const N: u64> OneVersion for Archive<N> {
        const VERSION: RawVersion = RawVersion::from_number(N).unwrap();
    }

    proptest! {
        #[test]
        fn is_that_of_the_plan(
            lengths in proptest::array::uniform6(0_usize..300),
            empty in any::<bool>(),
            id in prop_oneof![Just(0_usize), 1_usize..30],
            variant in prop_oneof![Just(0), Just(Variant::BYTE_COVERAGE), Just(Variant::DEBUG_CORRELATE), Just(1 << 56)],
        ) {
            let lengths = if empty { [0, lengths[1], lengths[2], 0, 0, 0] } else { lengths };
            agree::<Archive<8>>(lengths, id, variant)?;
            agree::<Archive<9>>(lengths, id, variant)?;
            agree::<Archive<10>>(lengths, id, variant)?;
            agree::<Archive<11>>(lengths, id, variant)?;
        }
    }

    fn agree<R: OneVersion>(lengths: [usize; 6], id: usize, variant: u64) -> Result<(), TestCaseError> {
        let [a, b, c, d, e, f] = lengths;
        let raw = R::VERSION;
        let of = |part| match part {
            Part::Data => (0x9000, a),
            Part::Counters => (0x8000, b),
            Part::Bitmap => (0x7000, c),
            Part::Names => (0x6000, d),
            Part::VTables => (0x5000, e),
            Part::VNames => (0x4000, f),
            Part::Header | Part::BinaryIds | Part::UniformCounters => (0, 0),
        };
        let version = raw.number() | variant;
        let plan = Plan::of_image(&Shape {
            version,
            word: WordSize::NATIVE,
            padding: Padding::Words,
            binary_ids: if id == 0 { 0 } else { binary_id_size(id as u64) },
            sections: Sections::of(|part| {
                let (address, len) = of(part);
                Extent { address: address as u64, len: len as u64 }
            }),
        })
        .unwrap();
        let mut numbers = Vec::new();
        header::<R>(version, id, of, |part, len| size::<R>(part, version, len), |number| numbers.push(number as u64));
        let mut planned = Vec::new();
        plan.each_header_word(|word| planned.push(word));
        prop_assert_eq!(&numbers[..], &planned[2..]);
        for part in [Part::Data, Part::Counters, Part::Bitmap, Part::Names, Part::VTables, Part::VNames] {
            let chunk = plan.chunk(part);
            prop_assert_eq!(size::<R>(part, version, of(part).1) as u64, chunk.len + chunk.padding, "{:?}", part);
        }
        Ok(())
    }
}
