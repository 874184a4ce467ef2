//! Merges a profile in memory into the counters, bitmaps and values of this image.
//!
//! The program may continue to count: what another thread adds to a counter at the same moment may be lost, as it may be between two
//! threads that add.

#![allow(unsafe_code)]

use core::ops::Range;

use super::check::{CheckedProfile, check};
use super::counters::{LARGEST, counter_range, earlier};
use super::linked;
use crate::dump::set_plan;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::format::layout::Part;
use crate::format::parts::BITS;
use crate::link;
use crate::mismatch;
use crate::native::{Plan, empty_plan};
use crate::sections::{Image, variables};
use crate::span::Span;
use crate::value::node::records;

/// An image that is merged into.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The image.
    pub image: &'a Image,
    /// The range of memory that the image was loaded into; empty where it is not known.
    pub loaded_range: Span,
    /// The plan of the image.
    pub plan: &'a Plan,
}

/// Parses a profile of an image, which more bytes may follow. Returns the checked profile and its value data. Errors: those of
/// [`check`], and [`Error::CORRUPT`] for value data.
///
/// # Safety
/// `target` must be an image of this process, of this archive's raw version, with its plan.
pub unsafe fn parse<'a>(target: Target<'_>, bytes: &'a [u8]) -> Result<(CheckedProfile, &'a [u8])> {
    let Target { image, loaded_range, plan } = target;
    // SAFETY: an image of this process, of this archive's raw version, by this function's contract.
    let theirs = unsafe { check(bytes, image, loaded_range, plan) }?;
    // The check has found that all parts before the value data lie within the bytes.
    let data = bytes.get(theirs.values as usize..).ok_or(Error::TRUNCATED)?;
    let data = match linked::in_buffer() {
        _ if theirs.sites_left_out => &[],
        // SAFETY: the records of an image of this process, by this function's contract.
        Some(in_buffer) => in_buffer(data, unsafe { records(image.data) })?,
        None => &[],
    };
    Ok((theirs, data))
}

/// Calls `work` with this image and its plan. Errors: [`Error::mismatch`] for records of another raw version.
fn with_this<T>(work: impl FnOnce(Target<'_>) -> Result<T>) -> Result<T> {
    let image = Image::this();
    mismatch::check(&image, variables::raw_version())?;
    let mut plan = empty_plan();
    set_plan(&mut plan, &image)?;
    work(Target { image: &image, loaded_range: link::notes::loaded_range(), plan: &plan })
}

/// Checks that a profile is one of this image, complete and without contradiction. More bytes may follow it.
pub fn compatible(bytes: &[u8]) -> Result {
    // SAFETY: `with_this` passes this image, whose raw version it has checked, with its plan.
    with_this(|this| unsafe { parse(this, bytes) }.map(drop))
}

/// Adds a profile of this image, such as [`crate::capture`] has written earlier, to the counts in memory. Changes nothing unless the whole profile is
/// valid.
///
/// ```no_run
/// # fn load() -> Vec<u8> { Vec::new() }
/// profrt::merge(&load())?;
/// # Ok::<(), profrt::Error>(())
/// ```
pub fn merge(bytes: &[u8]) -> Result {
    // SAFETY: `with_this` passes this image, whose raw version it has checked, with its plan.
    with_this(|this| unsafe { merge_into(this, bytes) })
}

/// Adds a profile of an image to the image's counts. The bytes must not be the image's own counters.
///
/// # Safety
/// `target` must be an image of this process, of this archive's raw version, with its plan.
pub unsafe fn merge_into(target: Target<'_>, bytes: &[u8]) -> Result {
    let Target { image, plan, .. } = target;
    // SAFETY: an image of this process with its plan, by this function's contract.
    let (theirs, data) = unsafe { parse(target, bytes) }?;
    // The check has found that these parts are as long as ours.
    let part = |part: Part, at: u64| bytes.get(at as usize..)?.get(..plan.chunk(part).len as usize);
    let counters = part(Part::Counters, theirs.counters).ok_or(Error::TRUNCATED)?;
    let variant = plan.variant();
    // SAFETY: the records of an image of this process, by this function's contract.
    let records = unsafe { records(image.data) };
    if variant.has(Variant::TEMPORAL) {
        for record in records {
            let (stamp, range) = counter_range(record, image, variant);
            if let Some(at) = stamp {
                merge_stamp(image.counters, counters, at);
            }
            merge_counters(image.counters, counters, range, variant);
        }
    } else {
        merge_counters(image.counters, counters, 0..counters.len(), variant);
    }
    for (bits, at) in BITS.into_iter().zip(theirs.bits) {
        let ours = image.get(bits).copied().unwrap_or(Span::EMPTY);
        combine_bytes(ours, part(bits, at).unwrap_or_default(), |ours, theirs| ours | theirs);
    }
    if let Some(insert) = linked::insert() {
        // SAFETY: an image of this process, by this function's contract, and value data that `parse` has checked.
        unsafe { insert(data, image, &theirs.rebase) };
    }
    Ok(())
}

/// Adds the counters in a range of bytes of their section to ours.
fn merge_counters(ours: Span, theirs: &[u8], range: Range<usize>, variant: Variant) {
    let ours = ours.prefix(range.end).skip(range.start);
    let theirs = theirs.get(range).unwrap_or(&[]);
    if variant.counter_size() == 1 {
        return combine_bytes(ours, theirs, |ours, theirs| ours & theirs);
    }
    let first = ours.start.cast::<u64>().cast_mut();
    for (at, their) in theirs.as_chunks::<8>().0.iter().enumerate().take(ours.len / 8) {
        let (our, their) = (first.wrapping_add(at), u64::from_ne_bytes(*their));
        // SAFETY: `take` keeps the index within the counters of this image, which are aligned words. Volatile: threads write to them too.
        let now = unsafe { our.read_volatile() };
        let sum = now.saturating_add(their);
        // SAFETY: the counter that was just read.
        unsafe { our.write_volatile(sum.min(LARGEST.max(now))) };
    }
}

/// Stores the earlier of our time stamp and theirs, both at the offset `at` of the counters.
fn merge_stamp(ours: Span, theirs: &[u8], at: usize) {
    let ours = ours.skip(at).prefix(8);
    if let Some(their) = theirs.get(at..).and_then(<[u8]>::first_chunk)
        && ours.len == 8
    {
        let our = ours.start.cast::<u64>().cast_mut();
        // SAFETY: eight bytes within the counters of this image, by the check above. Not aligned: counters of one byte may stand anywhere.
        unsafe { our.write_unaligned(earlier(our.read_unaligned(), u64::from_ne_bytes(*their))) };
    }
}

/// Replaces each of our bytes by `combine` of ours and theirs.
fn combine_bytes(ours: Span, theirs: &[u8], combine: impl Fn(u8, u8) -> u8) {
    for (at, theirs) in theirs.iter().enumerate().take(ours.len) {
        let our = ours.start.cast_mut().wrapping_add(at);
        // SAFETY: `take` keeps the offset within a writable section of this image. Volatile: threads may write to it too.
        unsafe { our.write_volatile(combine(our.read_volatile(), *theirs)) };
    }
}
