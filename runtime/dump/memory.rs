//! Dumps into memory of the caller: how many bytes that takes, and the bytes.
//!
//! Value data grows, and a caller may keep a size for as long as it likes, as it may with LLVM's runtime, where the size is a
//! constant. [`size`] and [`write`] do not say who calls them. So the first call of either fixes the size for all later ones,
//! and no dump is ever larger than the buffer of anybody who has asked: values that come later are left out. [`write_within`]
//! is told the length of its buffer and writes as many values as fit into that.

#![allow(unsafe_code)]

use core::mem::offset_of;

use super::{set_plan, valued};
use crate::error::{Error, Result};
use crate::format::record::{KINDS, Record};
use crate::format::value::PAIR;
use crate::layout::{Part, Plan};
use crate::raw;
use crate::sections::Image;
use crate::sink::buffer::Buffer;
use crate::sync::{AtomicUsize, Ordering};
use crate::value::pair_count;
use crate::value::writer::{self, Budget, ScratchMemory};

/// Pairs of value and count in the size that was told, or one of the two constants below. Invariant: changes once, from
/// [`UNTOLD`] to another number.
static PAIRS: AtomicUsize = AtomicUsize::new(UNTOLD);
/// Nobody has asked for the size or written a profile.
const UNTOLD: usize = usize::MAX;
/// The size has no value data at all: it is what LLVM's runtime tells.
const NO_VALUE_DATA: usize = usize::MAX - 1;

/// Fixes the size unless it is fixed. Returns the pairs that it is for.
fn fix(pairs: usize) -> usize {
    match PAIRS.compare_exchange(UNTOLD, pairs, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => pairs,
        Err(told) => told,
    }
}

/// Fixes the size to that of a profile without value data, for a caller who knows this size from elsewhere.
pub fn fix_without_values() {
    fix(NO_VALUE_DATA);
}

/// Bytes of a profile of this plan with `pairs` pairs.
fn size_with(plan: &Plan, records: &[Record], pairs: usize) -> u64 {
    let values = if pairs == NO_VALUE_DATA { 0 } else { writer::size(records, pairs as u64) };
    plan.fixed_size().saturating_add(values)
}

/// Pairs that these records have now.
fn pairs_now(records: &[Record]) -> usize {
    usize::try_from(pair_count::count(records)).unwrap_or(NO_VALUE_DATA)
}

/// Bytes that [`write`] writes: those of this image's profile as it is at the first call.
pub fn size() -> Result<u64> {
    let image = Image::this();
    let mut plan = Plan::empty();
    set_plan(&mut plan, &image)?;
    let records = valued(&image, &plan);
    Ok(size_with(&plan, records, fix(pairs_now(records))))
}

/// Writes this image's profile into memory that has room for what [`size`] returns, and fills all of that.
///
/// # Safety
/// `buffer` must point to as many writable bytes as [`size`] has returned; where nobody has called it, to as many as a profile
/// without value data has.
pub unsafe fn write(buffer: *mut u8) -> Result {
    let image = Image::this();
    let mut plan = Plan::empty();
    set_plan(&mut plan, &image)?;
    let capacity = size_with(&plan, valued(&image, &plan), fix(NO_VALUE_DATA));
    // SAFETY: the caller's contract: all calls of `size` have returned this number.
    unsafe { fill(buffer, usize::try_from(capacity).unwrap_or(0), &image, &plan) }.map(drop)
}

/// What [`write_within`] has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Bytes of the profile in the buffer; 0 when not even a profile without values fits.
    pub written: usize,
    /// Bytes that the profile takes with all values. Never less than `written`.
    pub needed: usize,
}

/// Writes this image's profile into `capacity` bytes, with as many values as fit.
///
/// # Safety
/// `buffer` must point to `capacity` writable bytes.
pub unsafe fn write_within(buffer: *mut u8, capacity: usize) -> Result<Written> {
    let image = Image::this();
    let mut plan = Plan::empty();
    set_plan(&mut plan, &image)?;
    // SAFETY: the caller's buffer.
    let written = match unsafe { fill(buffer, capacity, &image, &plan) } {
        Err(Error::NO_SPACE) => 0,
        result => result?,
    };
    // Behind the write: other threads only add values.
    let records = valued(&image, &plan);
    let needed = usize::try_from(size_with(&plan, records, pairs_now(records))).unwrap_or(usize::MAX);
    Ok(Written { written, needed })
}

/// Writes as much of the profile as makes a complete one within `capacity` bytes: with value data, or without and with records
/// that have no sites. Returns the bytes written. Errors: [`Error::NO_SPACE`], when nothing was written.
///
/// # Safety
/// `buffer` must point to `capacity` writable bytes, and `plan` must be the one of `image`, which is this image.
unsafe fn fill(buffer: *mut u8, capacity: usize, image: &Image, plan: &Plan) -> Result<usize> {
    let records = valued(image, plan);
    let room = (capacity as u64).checked_sub(plan.fixed_size()).ok_or(Error::NO_SPACE)?;
    // SAFETY: the caller's buffer.
    let mut sink = unsafe { Buffer::new(buffer, capacity) };
    // SAFETY: this image and its plan.
    unsafe { raw::write(image, plan, &mut sink) }?;
    match room.checked_sub(writer::size(records, 0)) {
        Some(rest) => writer::write(records, Budget(rest / PAIR), ScratchMemory::None, &mut sink)?,
        // SAFETY: the profile of this plan was just written there.
        None => unsafe { clear_sites(buffer, plan, records.len()) },
    }
    Ok(capacity.wrapping_sub(sink.room()))
}

/// Makes the first `count` records in a profile say that their functions have no value sites: readers want value data for
/// functions with sites.
///
/// # Safety
/// A profile of this plan, which has so many records, must be at `profile`, and be writable.
unsafe fn clear_sites(profile: *mut u8, plan: &Plan, count: usize) {
    let data = profile.wrapping_add(plan.chunk(Part::Data).offset as usize);
    for index in 0..count {
        let record = data.wrapping_add(index.wrapping_mul(size_of::<Record>()));
        let sites = record.wrapping_add(offset_of!(Record, num_value_sites)).cast::<[u16; KINDS]>();
        // SAFETY: within the record by its layout, and the record within the profile by the caller's contract.
        unsafe { sites.write_unaligned([0; KINDS]) };
    }
}
