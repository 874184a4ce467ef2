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
use crate::format::{RawVersion, RecordShape, Variant, WordSize};
#[cfg(not(feature = "hosted"))]
use crate::link;
use crate::native::{DISTANCE, RAW_VERSION, RECORD};
use crate::sections::{Image, variables};
use crate::span::Span;

/// Checks the records of this image. Errors: those of [`check`].
#[cfg(feature = "hosted")]
#[inline]
pub fn check_this() -> Result {
    check(&Image::this(), variables::raw_version())
}

/// Checks the records of this image, with less code than [`check`]. Errors: [`Error::mismatch`] without the other version.
#[cfg(not(feature = "hosted"))]
#[inline(never)]
pub fn check_this() -> Result {
    let version = variables::raw_version();
    let ours = version as u32 == RAW_VERSION.number() as u32;
    let fit = || all_fit(link::data::span(), link::counters::span(), &stride(RAW_VERSION), shift(version));
    if ours && fit() { Ok(()) } else { Err(Error::mismatch(0)) }
}

/// Checks the records of an image. Errors: [`Error::mismatch`] with the raw version that the records seem to have (0: none that is known; this
/// archive's: the records are right, but their counters have one byte and not eight. What has room for counters of eight bytes has room for those
/// of one, so the reverse is not seen).
pub fn check(image: &Image, version: u64) -> Result {
    let number = Variant(version).number();
    if number != RAW_VERSION.number() {
        return Err(Error::mismatch(u8::try_from(number).unwrap_or(0)));
    }
    let fit = |stride: &Stride, shift: u32| all_fit(image.data, image.linked_counters(), stride, shift);
    let (shift, [own, ..]) = (shift(version), &STRIDES);
    let seen = match STRIDES.iter().find(|stride| fit(stride, shift)) {
        Some(stride) if stride.version == own.version => return Ok(()),
        Some(other) => other.version,
        None if fit(own, 0) => own.version,
        None => 0,
    };
    Err(Error::mismatch(seen))
}

/// What tells the records of a raw version: their size, and where their number of counters is.
struct Stride {
    version: u8,
    size: usize,
    num_counters: usize,
}

const fn stride(version: RawVersion) -> Stride {
    let shape = RecordShape::of(version, WordSize::NATIVE);
    Stride { version: version as u8, size: shape.size as usize, num_counters: shape.num_counters }
}

/// That of this archive, and those of [`RawVersion::LIKELY`].
static STRIDES: [Stride; 1 + RawVersion::LIKELY.len()] = {
    let mut strides = [const { stride(RAW_VERSION) }; 1 + RawVersion::LIKELY.len()];
    let ([_, to @ ..], mut from) = (&mut strides, RawVersion::LIKELY.as_slice());
    let mut to = to.as_mut_slice();
    while let ([first, others @ ..], [version, versions @ ..]) = (to, from) {
        *first = stride(*version);
        (to, from) = (others, versions);
    }
    strides
};

/// Returns the binary logarithm of the size of a counter.
const fn shift(version: u64) -> u32 {
    if Variant(version).counter_size() == 1 { 0 } else { 3 }
}

/// Returns whether the records have this shape: all have counters, which lie within their section, where the linker put it.
#[cfg_attr(feature = "hosted", inline(never))]
#[cfg_attr(not(feature = "hosted"), inline(always))]
fn all_fit(mut rest: Span, counters: Span, stride: &Stride, shift: u32) -> bool {
    // On 32-bit machines the last record may lack its tail padding.
    while rest.len.wrapping_add(4) >= stride.size {
        let field = |at: usize| rest.start.wrapping_add(at);
        // SAFETY: the rest has a record of this size, but maybe for padding; its fields are aligned as the section is, and never change.
        let (offset, number) = unsafe {
            let offset = field(RECORD.counter_ptr).cast::<isize>().read();
            (offset, field(stride.num_counters).cast::<u32>().read())
        };
        // The offset is from the record to its counters. Both numbers are arbitrary where the record has another shape.
        let from =
            rest.start.addr().wrapping_add_signed(offset).wrapping_sub(counters.start.addr()) & DISTANCE as usize;
        let room = counters.len.wrapping_sub(from) >> shift;
        if from > counters.len || number == 0 || number as usize > room {
            return false;
        }
        rest = rest.skip(stride.size);
    }
    rest.len == 0
}

#[cfg(test)]
mod tests;
