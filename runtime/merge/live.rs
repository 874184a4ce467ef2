//! Merges a profile in memory into the counters, bitmaps and values of this image.
//!
//! The program may go on counting meanwhile; what other threads add to a counter in the very moment may be lost, as it may be
//! between two threads that add.

#![allow(unsafe_code)]

use super::check::{Theirs, check};
use super::counters::{LARGEST, earlier};
use super::source::Memory;
use super::values;
use crate::dump::set_plan;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::format::record::Record;
use crate::format::value::KIND_MEMOP_SIZE;
use crate::layout::{Part, Plan};
use crate::mismatch;
use crate::sections::{Image, elf, variables};
use crate::span::Span;
use crate::value::node::records;
use crate::value::record::record as record_value;

/// What the bytes are to this image. Errors: see [`check`]; and [`crate::error::Error::Corrupt`] for value data.
fn look<'a>(image: &Image, plan: &mut Plan, bytes: &'a [u8]) -> Result<(Theirs, &'a [u8])> {
    mismatch::check(image, variables::raw_version())?;
    set_plan(plan, image)?;
    let source = Memory(bytes);
    // SAFETY: this image, whose raw version was just checked.
    let theirs = unsafe { check(&source, image, elf::notes::extent(), plan, &mut []) }?;
    let from = theirs.plan.fixed_size();
    // The check has found everything up to there within the bytes.
    let data = bytes.get(from as usize..).ok_or(Error::Truncated)?;
    // SAFETY: the image's records.
    values::check(data, unsafe { records(image.data) })?;
    Ok((theirs, data))
}

/// Whether a profile is one of this image, whole and without contradiction.
pub fn compatible(bytes: &[u8]) -> Result {
    look(&Image::this(), &mut Plan::empty(), bytes).map(drop)
}

/// Adds a profile of this image to what was counted. Nothing is changed unless all of it is right.
pub fn merge(bytes: &[u8]) -> Result {
    let image = Image::this();
    let mut plan = Plan::empty();
    let (theirs, data) = look(&image, &mut plan, bytes)?;
    let part = |part: Part| {
        let chunk = theirs.plan.chunk(part);
        let from = bytes.get(chunk.offset as usize..)?;
        from.get(..chunk.len as usize)
    };
    let counters = part(Part::Counters).ok_or(Error::Truncated)?;
    let bitmap = part(Part::Bitmap).ok_or(Error::Truncated)?;
    let variant = Variant(plan.header.version);
    if variant.counter_size() == 1 {
        each_byte(image.counters, counters, |ours, theirs| ours & theirs);
    } else {
        add(&image, variant, counters);
    }
    each_byte(image.bitmap, bitmap, |ours, theirs| ours | theirs);
    // SAFETY: the image's records.
    values::each(data, unsafe { records(image.data) }, |record, kind, site, value, count| {
        let value = if kind == KIND_MEMOP_SIZE { value } else { theirs.rebase.address(value) };
        // SAFETY: a record of this image and one of its sites.
        unsafe { record_value::<4>(value, record, site, count) };
    });
    Ok(())
}

fn each_byte(ours: Span, theirs: &[u8], unite: impl Fn(u8, u8) -> u8) {
    for (at, theirs) in theirs.iter().enumerate().take(ours.len) {
        let our = ours.start.cast_mut().wrapping_add(at);
        // SAFETY: within a writable section of this image. Volatile: threads may write to it too.
        unsafe { our.write_volatile(unite(our.read_volatile(), *theirs)) };
    }
}

fn add(image: &Image, variant: Variant, theirs: &[u8]) {
    let (theirs, _) = theirs.as_chunks::<8>();
    let first = image.counters.start.cast::<u64>().cast_mut();
    let update = |at: usize, unite: fn(u64, u64) -> u64| {
        if let Some(their) = theirs.get(at)
            && at < image.counters.len / 8
        {
            let our = first.wrapping_add(at);
            // SAFETY: within the counters of this image, which are aligned words. Volatile: threads write to them too.
            unsafe { our.write_volatile(unite(our.read_volatile(), u64::from_ne_bytes(*their))) };
        }
    };
    let sum = |ours: u64, theirs: u64| ours.saturating_add(theirs).min(LARGEST.max(ours));
    if !variant.has(Variant::TEMPORAL) {
        return (0..theirs.len()).for_each(|at| update(at, sum));
    }
    // SAFETY: the image's records.
    for record in unsafe { records(image.data) } {
        let stamp = first_counter(record, image);
        update(stamp, earlier);
        let counters = 1..record.num_counters as usize;
        counters.for_each(|at| update(stamp.wrapping_add(at), sum));
    }
}

/// Which of the image's counters is the first of a function.
pub fn first_counter(record: &Record, image: &Image) -> usize {
    let address = core::ptr::from_ref(record).addr().wrapping_add_signed(record.counter_ptr);
    address.wrapping_sub(image.counters.start.addr()) / 8
}
