//! Are the records in this image of the raw version this archive was built for?
//!
//! IR-instrumented objects say their version in `__llvm_profile_raw_version`. Front-end instrumented ones say nothing, so
//! the shape of the records has to: each record's counters must lie within the counter section, and the record size must
//! lead from one good record to the next. Looking at the first two and the last is enough to see a wrong stride.

#![allow(unsafe_code)]

use crate::error::{Error, Result};
#[cfg(any(test, not(feature = "hosted")))]
use crate::format::record::Record;
use crate::format::{Encoding, RawVersion, RecordShape, Variant, Word};
#[cfg(not(feature = "hosted"))]
use crate::sections::elf;
use crate::sections::{Image, variables};
#[cfg(any(test, not(feature = "hosted")))]
use crate::span::Span;

/// Are those of this image? Errors: those of [`check`].
#[cfg(feature = "hosted")]
#[inline]
pub fn check_this() -> Result {
    check(&Image::this(), variables::raw_version())
}

/// The same on devices, with less code and every record looked at. Errors: [`Error::mismatch`], which names no other version.
#[cfg(not(feature = "hosted"))]
#[inline(never)]
pub fn check_this() -> Result {
    let version = variables::raw_version();
    let ours = version as u32 == RawVersion::BUILT.number() as u32;
    let shift = if Variant(version).counter_size() == 1 { 0 } else { 3 };
    if ours && all_fit(elf::data::span(), elf::counters::span(), shift) { Ok(()) } else { Err(Error::mismatch(0)) }
}

/// Whether all records have counters, and theirs lie within the section. A counter has 1 or 8 bytes, as a shift.
#[cfg(any(test, not(feature = "hosted")))]
fn all_fit(mut rest: Span, counters: Span, shift: u32) -> bool {
    const SIZE: usize = size_of::<Record>();
    // The last record may lack its tail padding.
    while rest.len > SIZE - 8 {
        let record = rest.start.cast::<Record>();
        // SAFETY: a record of this image, or of its size; these fields never change.
        let (offset, number) =
            unsafe { ((&raw const (*record).counter_ptr).read(), (&raw const (*record).num_counters).read()) };
        let from = rest.start.addr().wrapping_add_signed(offset).wrapping_sub(counters.start.addr());
        let room = counters.len.wrapping_sub(from) >> shift;
        if from > counters.len || number == 0 || number as usize > room {
            return false;
        }
        rest = rest.skip(SIZE);
    }
    rest.len == 0
}

/// Errors: [`Error::mismatch`] with the raw version the records seem to have (0: none that we know).
pub fn check(image: &Image, version: u64) -> Result {
    let number = Variant(version).number();
    if number != RawVersion::BUILT.number() {
        return Err(Error::mismatch(u8::try_from(number).unwrap_or(0)));
    }
    // Versions 9 and 10 look alike here; 10 is by far the more frequent one.
    const OTHERS: [Look; 3] = [Look::of(RawVersion::V10), Look::of(RawVersion::V8), Look::of(RawVersion::V11)];
    if fits(image, const { Look::of(RawVersion::BUILT) }, version) {
        return Ok(());
    }
    let other = OTHERS.iter().find(|other| fits(image, **other, version));
    Err(Error::mismatch(other.map_or(0, |other| other.number)))
}

/// What is looked at in records of a version: their size, and where two fields are.
#[derive(Clone, Copy)]
struct Look {
    number: u8,
    size: u8,
    counter_ptr: u8,
    num_counters: u8,
}

impl Look {
    const fn of(version: RawVersion) -> Look {
        let RecordShape { size, counter_ptr, num_counters, .. } = RecordShape::of(version, Word::NATIVE);
        let (number, counter_ptr) = (version.number() as u8, counter_ptr as u8);
        Look { number, size: size as u8, counter_ptr, num_counters: num_counters as u8 }
    }
}

/// Whether the records look like this.
fn fits(image: &Image, look: Look, word: u64) -> bool {
    let size = usize::from(look.size);
    let whole = image.data.len;
    if whole == 0 {
        return true;
    }
    // On 32-bit machines the last record may lack its tail padding.
    // Checked: where the size is not folded to a constant, a division by it could panic.
    let count = whole.saturating_add(size.saturating_sub(1)).checked_div(size).unwrap_or(0);
    let missing = count.wrapping_mul(size).wrapping_sub(whole);
    if missing >= 8 {
        return false;
    }
    let counter = Variant(word).counter_size();
    let last = count.wrapping_sub(1);
    // The first two and the last, each once.
    let mut looked_at = usize::MAX;
    [0, 1.min(last), last].into_iter().all(|index| {
        if index == looked_at {
            return true;
        }
        looked_at = index;
        let at = index.wrapping_mul(size);
        let bytes = image.data.skip(at).prefix(size);
        // SAFETY: within the section; the fields that are read here never change.
        let bytes = unsafe { core::slice::from_raw_parts(bytes.start, bytes.len) };
        let native = Encoding::NATIVE;
        let (Some(offset), Some(counters)) =
            (native.word_at(bytes, look.counter_ptr.into()), native.u32_at(bytes, look.num_counters.into()))
        else {
            return false;
        };
        // The offset is from the record to its counters, both addresses of this image.
        let record = image.data.address().wrapping_add(at as u64);
        let mask = if size_of::<usize>() == 4 { u64::from(u32::MAX) } else { u64::MAX };
        let start = record.wrapping_add(offset) & mask;
        let from = start.wrapping_sub(image.linked_counters().address());
        let len = u64::from(counters).wrapping_mul(counter);
        counters > 0
            && from <= image.counters.len as u64
            && from.checked_add(len).is_some_and(|end| end <= image.counters.len as u64)
    })
}

#[cfg(test)]
mod tests;
