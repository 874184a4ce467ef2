//! Checks whether the records in this image are of the raw version for which this archive was built.
//!
//! IR-instrumented objects define their version in `__llvm_profile_raw_version`. Front-end instrumented objects do not, so
//! the check uses the shape of the records: each record's counters must lie within the counter section, and the record size must
//! lead from one good record to the next.
//!
//! The variable also says whether counters have eight bytes or one. A linker keeps one variable for all objects of an image, so an
//! image of both kinds has a variable that is wrong for some records.

#![allow(unsafe_code)]

use crate::error::{Error, Result};
use crate::format::{Encoding, RawVersion, RecordShape, Variant, WordSize};
#[cfg(not(feature = "hosted"))]
use crate::link;
#[cfg(any(test, not(feature = "hosted")))]
use crate::native::Record;
use crate::native::{DISTANCE, RAW_VERSION, RECORD};
use crate::sections::{Image, variables};
#[cfg(any(test, not(feature = "hosted")))]
use crate::span::Span;

/// Checks the records of this image. Errors: those of [`check`].
#[cfg(feature = "hosted")]
#[inline]
pub fn check_this() -> Result {
    check(&Image::this(), variables::raw_version())
}

/// Checks every record of this image, with less code than [`check`]. Errors: [`Error::mismatch`] without the other version.
#[cfg(not(feature = "hosted"))]
#[inline(never)]
pub fn check_this() -> Result {
    let version = variables::raw_version();
    let ours = version as u32 == RAW_VERSION.number() as u32;
    let shift = if Variant(version).counter_size() == 1 { 0 } else { 3 };
    if ours && all_fit(link::data::span(), link::counters::span(), shift) { Ok(()) } else { Err(Error::mismatch(0)) }
}

/// Returns whether all records have counters that lie within the section. `shift`: 0 for counters of 1 byte, 3 for those of 8 bytes.
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

/// Checks the records of an image. Errors: [`Error::mismatch`] with the raw version that the records seem to have (0: none that is known; this
/// archive's: the records are right, but their counters have one byte and not eight. What has room for counters of eight bytes has room for those
/// of one, so the reverse is not seen).
pub fn check(image: &Image, version: u64) -> Result {
    let number = Variant(version).number();
    if number != RAW_VERSION.number() {
        return Err(Error::mismatch(u8::try_from(number).unwrap_or(0)));
    }
    let size = Variant(version).counter_size();
    if fits(image, stride(RAW_VERSION), size) {
        return Ok(());
    }
    if let Some((_, other)) = STRIDES.iter().zip(RawVersion::LIKELY).find(|(stride, _)| fits(image, **stride, size)) {
        return Err(Error::mismatch(other as u8));
    }
    Err(if size != 1 && fits(image, stride(RAW_VERSION), 1) {
        Error::mismatch(RAW_VERSION as u8)
    } else {
        Error::mismatch(0)
    })
}

/// What tells the records of a raw version: their size, and where their number of counters is.
type Stride = (usize, usize);

const fn stride(version: RawVersion) -> Stride {
    let shape = RecordShape::of(version, WordSize::NATIVE);
    (shape.size as usize, shape.num_counters)
}

/// Those of [`RawVersion::LIKELY`].
const STRIDES: [Stride; RawVersion::LIKELY.len()] = {
    let mut strides = [(0, 0); RawVersion::LIKELY.len()];
    let (mut to, mut from) = (strides.as_mut_slice(), RawVersion::LIKELY.as_slice());
    while let ([first, others @ ..], [version, versions @ ..]) = (to, from) {
        *first = stride(*version);
        (to, from) = (others, versions);
    }
    strides
};

/// Returns the offset of a record's counters in their section, and their number. Both are arbitrary where the record has another shape.
fn counters_of(image: &Image, (size, num_counters): Stride, index: usize) -> Option<(u64, u64)> {
    let at = index.wrapping_mul(size);
    // SAFETY: within the section; the fields that are read here never change.
    let bytes = unsafe { image.data.skip(at).prefix(size).bytes() };
    let native = Encoding::NATIVE;
    let offset = native.word_at(bytes, RECORD.counter_ptr)?;
    let number = native.u32_at(bytes, num_counters)?;
    // The offset is from the record to its counters, both addresses of this image.
    let record = image.data.address().wrapping_add(at as u64);
    let from = record.wrapping_add(offset).wrapping_sub(image.linked_counters().address()) & DISTANCE;
    Some((from, u64::from(number)))
}

/// Returns whether the records have this shape, with counters of `counter` bytes.
fn fits(image: &Image, stride: Stride, counter: u64) -> bool {
    if image.data.len == 0 {
        return true;
    }
    let (size, _) = stride;
    // On 32-bit machines the last record may lack its tail padding.
    // Checked: where the size is not folded to a constant, a division by it could panic.
    let count = image.data.len.saturating_add(size.saturating_sub(1)).checked_div(size).unwrap_or(0);
    count.wrapping_mul(size).wrapping_sub(image.data.len) < 8
        && (0..count).all(|index| {
            let Some((from, number)) = counters_of(image, stride, index) else { return false };
            let len = number.wrapping_mul(counter);
            number > 0 && from.checked_add(len).is_some_and(|end| end <= image.counters.len as u64)
        })
}

#[cfg(test)]
mod tests;
