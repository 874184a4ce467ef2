//! Merges a profile in memory into the counters, bitmaps and values of this image.
//!
//! The program may go on counting meanwhile; what other threads add to a counter in the very moment may be lost, as it may be
//! between two threads that add.

#![allow(unsafe_code)]

use core::ops::Range;

use super::check::{Theirs, check};
use super::counters::{LARGEST, earlier};
use super::source::Memory;
use super::stamps::{Place, place};
use super::values;
use crate::dump::set_plan;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::format::value::KIND_MEMOP_SIZE;
use crate::layout::{Part, Plan};
use crate::mismatch;
use crate::sections::{Image, elf, variables};
use crate::span::Span;
use crate::value::node::records;
use crate::value::record::record as record_value;

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

/// What the bytes are to an image. Errors: see [`check`]; and [`crate::error::Error::Corrupt`] for value data.
///
/// # Safety
/// An image of this process, of this archive's raw version, with its plan.
pub unsafe fn look<'a>(into: Into<'_>, bytes: &'a [u8]) -> Result<(Theirs, &'a [u8])> {
    let Into { image, extent, plan } = into;
    // SAFETY: the caller's image.
    let theirs = unsafe { check(&Memory(bytes), image, extent, plan, &mut []) }?;
    let from = theirs.plan.fixed_size();
    // The check has found everything up to there within the bytes.
    let data = bytes.get(from as usize..).ok_or(Error::Truncated)?;
    // SAFETY: the image's records.
    let data = values::in_buffer(data, unsafe { records(image.data) })?;
    Ok((theirs, data))
}

/// Calls `work` with this image.
fn with_this(work: impl FnOnce(Into<'_>) -> Result) -> Result {
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
pub fn merge(bytes: &[u8]) -> Result {
    // SAFETY: this image, whose raw version was just checked.
    with_this(|this| unsafe { merge_into(this, bytes) })
}

/// Adds a profile of an image to what it has counted. The bytes must not be the image's own counters.
///
/// # Safety
/// As for [`look`].
pub unsafe fn merge_into(into: Into<'_>, bytes: &[u8]) -> Result {
    let Into { image, plan, .. } = into;
    // SAFETY: this function's contract.
    let (theirs, data) = unsafe { look(into, bytes) }?;
    let part = |part: Part| {
        let chunk = theirs.plan.chunk(part);
        let from = bytes.get(chunk.offset as usize..)?;
        from.get(..chunk.len as usize)
    };
    let counters = part(Part::Counters).ok_or(Error::Truncated)?;
    let bitmap = part(Part::Bitmap).ok_or(Error::Truncated)?;
    let variant = Variant(plan.header.version);
    if variant.has(Variant::TEMPORAL) {
        // SAFETY: the image's records.
        for record in unsafe { records(image.data) } {
            let Place { stamp, counters: range } = place(record, image, variant);
            if let Some(at) = stamp {
                earliest(image.counters, counters, at);
            }
            unite(image.counters, counters, range, variant);
        }
    } else {
        unite(image.counters, counters, 0..counters.len(), variant);
    }
    each_byte(image.bitmap, bitmap, |ours, theirs| ours | theirs);
    // SAFETY: the image's records.
    values::each(data, unsafe { records(image.data) }, |record, kind, site, value, count| {
        let value = if kind == KIND_MEMOP_SIZE { value } else { theirs.rebase.address(value) };
        // SAFETY: a record of this image and one of its sites.
        unsafe { record_value::<4>(value, record, site, count.min(LARGEST)) };
    });
    Ok(())
}

/// Unites the counters in a range of bytes of their section.
fn unite(ours: Span, theirs: &[u8], range: Range<usize>, variant: Variant) {
    let ours = ours.prefix(range.end).skip(range.start);
    let theirs = theirs.get(range).unwrap_or(&[]);
    if variant.counter_size() == 1 {
        return each_byte(ours, theirs, |ours, theirs| ours & theirs);
    }
    let first = ours.start.cast::<u64>().cast_mut();
    for (at, their) in theirs.as_chunks::<8>().0.iter().enumerate().take(ours.len / 8) {
        let (our, their) = (first.wrapping_add(at), u64::from_ne_bytes(*their));
        let sum = |our: u64| our.saturating_add(their).min(LARGEST.max(our));
        // SAFETY: within the counters of this image, which are aligned words. Volatile: threads write to them too.
        unsafe { our.write_volatile(sum(our.read_volatile())) };
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
