//! Merges a profile in memory into the counters, bitmaps and values of this image.
//!
//! The program may go on counting meanwhile; what other threads add to a counter in the very moment may be lost, as it may be
//! between two threads that add.

#![allow(unsafe_code)]

use core::ops::Range;

use super::check::{Theirs, check};
use super::counters::{LARGEST, earlier};
use super::insert::Insert;
use super::source::Memory;
use super::stamps::{Place, function_of, place};
use super::values::InBuffer;
use crate::dump::set_plan;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::layout::{Part, Plan};
use crate::mismatch;
use crate::sections::{Image, elf, variables};
use crate::span::Span;
use crate::value::node::records;
#[cfg(feature = "hosted")]
use crate::value::optional::optional;

/// An image that is merged into.
#[derive(Clone, Copy, Debug)]
pub struct Into<'a> {
    /// The image.
    pub image: &'a Image,
    /// All of it, from its first byte to its last.
    pub extent: Span,
    /// Its plan.
    pub plan: &'a Plan,
}

/// What the bytes are to an image. Errors: see [`check`]; and [`crate::error::Error::CORRUPT`] for value data.
///
/// # Safety
/// An image of this process, of this archive's raw version, with its plan.
pub unsafe fn look<'a>(into: Into<'_>, bytes: &'a [u8]) -> Result<(Theirs, &'a [u8])> {
    let Into { image, extent, plan } = into;
    // SAFETY: the caller's image.
    let theirs = unsafe { check(&Memory(bytes), image, extent, plan, &mut []) }?;
    // The check has found everything up to there within the bytes.
    let data = bytes.get(theirs.values as usize..).ok_or(Error::TRUNCATED)?;
    let data = match looker() {
        // SAFETY: the image's records.
        Some(in_buffer) => in_buffer(data, unsafe { records(image.data) })?,
        None => &[],
    };
    Ok((theirs, data))
}

#[cfg(feature = "hosted")]
optional! {
    /// Who looks at value data, if anything counts values.
    fn looker() -> InBuffer = super::values::in_buffer, "profrt_values_in_buffer";
}
#[cfg(feature = "hosted")]
optional! {
    /// Who adds values, if anything counts some.
    fn inserter() -> Insert = super::insert::insert, "profrt_values_insert";
}

// Every hosted program links these calls, so what they do with values must not come along. On devices a program links them when it makes
// them, and then they may bring what they need.
#[cfg(not(feature = "hosted"))]
fn looker() -> Option<InBuffer> {
    Some(super::values::in_buffer)
}
#[cfg(not(feature = "hosted"))]
fn inserter() -> Option<Insert> {
    Some(super::insert::insert)
}

/// Counters that a merge has held to what readers take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Odd {
    /// How many.
    pub count: usize,
    /// Name hash of the function of the first.
    pub function: u64,
}

/// Calls `work` with this image.
fn with_this<T>(work: impl FnOnce(Into<'_>) -> Result<T>) -> Result<T> {
    let image = Image::this();
    mismatch::check(&image, variables::raw_version())?;
    let mut plan = Plan::empty();
    set_plan(&mut plan, &image)?;
    work(Into { image: &image, extent: elf::notes::extent(), plan: &plan })
}

/// Whether a profile is one of this image, whole and without contradiction. Bytes may follow it.
pub fn compatible(bytes: &[u8]) -> Result {
    // SAFETY: this image, whose raw version was just checked.
    with_this(|this| unsafe { look(this, bytes) }.map(drop))
}

/// Adds a profile of this image to what was counted. Nothing is changed unless all of it is right.
pub fn merge(bytes: &[u8]) -> Result<Odd> {
    // SAFETY: this image, whose raw version was just checked.
    with_this(|this| unsafe { merge_into(this, bytes) })
}

/// Adds a profile of an image to what it has counted. The bytes must not be the image's own counters.
///
/// # Safety
/// As for [`look`].
pub unsafe fn merge_into(into: Into<'_>, bytes: &[u8]) -> Result<Odd> {
    let Into { image, plan, .. } = into;
    // SAFETY: this function's contract.
    let (theirs, data) = unsafe { look(into, bytes) }?;
    // As long as ours.
    let part = |part: Part, at: u64| bytes.get(at as usize..)?.get(..plan.chunk(part).len as usize);
    let counters = part(Part::Counters, theirs.counters).ok_or(Error::TRUNCATED)?;
    let bitmap = part(Part::Bitmap, theirs.bitmap).ok_or(Error::TRUNCATED)?;
    let variant = Variant(plan.header.version);
    // SAFETY: the image's records.
    let records = unsafe { records(image.data) };
    let mut odd = Odd { count: 0, function: 0 };
    let mut note = |index: usize| {
        if odd.count == 0 {
            odd.function = function_of(records, image, index);
        }
        odd.count = odd.count.wrapping_add(1);
    };
    if variant.has(Variant::TEMPORAL) {
        for record in records {
            let Place { stamp, counters: range } = place(record, image, variant);
            if let Some(at) = stamp {
                earliest(image.counters, counters, at);
            }
            unite(image.counters, counters, range, variant, &mut note);
        }
    } else {
        unite(image.counters, counters, 0..counters.len(), variant, &mut note);
    }
    each_byte(image.bitmap, bitmap, |ours, theirs| ours | theirs);
    if let Some(insert) = inserter() {
        // SAFETY: the image, and value data that was just looked at.
        unsafe { insert(data, image, &theirs.rebase) };
    }
    Ok(odd)
}

/// Unites the counters in a range of bytes of their section. `odd` gets the index of each that is held.
fn unite(ours: Span, theirs: &[u8], range: Range<usize>, variant: Variant, odd: &mut dyn FnMut(usize)) {
    let before = range.start / 8;
    let ours = ours.prefix(range.end).skip(range.start);
    let theirs = theirs.get(range).unwrap_or(&[]);
    if variant.counter_size() == 1 {
        return each_byte(ours, theirs, |ours, theirs| ours & theirs);
    }
    let first = ours.start.cast::<u64>().cast_mut();
    for (at, their) in theirs.as_chunks::<8>().0.iter().enumerate().take(ours.len / 8) {
        let (our, their) = (first.wrapping_add(at), u64::from_ne_bytes(*their));
        // SAFETY: within the counters of this image, which are aligned words. Volatile: threads write to them too.
        let now = unsafe { our.read_volatile() };
        let sum = now.saturating_add(their);
        if sum > LARGEST {
            odd(before.wrapping_add(at));
        }
        // SAFETY: as above.
        unsafe { our.write_volatile(sum.min(LARGEST.max(now))) };
    }
}

/// Unites the time stamps at this place of the counters.
fn earliest(ours: Span, theirs: &[u8], at: usize) {
    let ours = ours.skip(at).prefix(8);
    if let Some(their) = theirs.get(at..).and_then(<[u8]>::first_chunk)
        && ours.len == 8
    {
        let our = ours.start.cast::<u64>().cast_mut();
        // SAFETY: within the counters of this image. Counters of one byte may stand anywhere.
        unsafe { our.write_unaligned(earlier(our.read_unaligned(), u64::from_ne_bytes(*their))) };
    }
}

fn each_byte(ours: Span, theirs: &[u8], unite: impl Fn(u8, u8) -> u8) {
    for (at, theirs) in theirs.iter().enumerate().take(ours.len) {
        let our = ours.start.cast_mut().wrapping_add(at);
        // SAFETY: within a writable section of this image. Volatile: threads may write to it too.
        unsafe { our.write_volatile(unite(our.read_volatile(), *theirs)) };
    }
}
