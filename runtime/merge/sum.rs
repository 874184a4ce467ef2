//! The counts of a profile that is written: those of this image, less the earlier contribution, and those of the old profile. They are in
//! memory before the first byte is written.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};

use super::contribution::Counts;
use super::counter_range::{CounterRange, counter_range};
use super::counters;
use super::file_values::MergeValues;
use super::old::{OldProfile, trim_to_sites};
use super::pages::{Pages, pages};
use crate::copy::copy;
use crate::dump::records_for_values;
use crate::error::Result;
use crate::format::Variant;
use crate::format::layout::Part;
use crate::native::Plan;
use crate::raw;
use crate::sections::Image;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::{Record, records};
use crate::value::optional::optional;
use crate::value::writer;

/// The counters that a merge into a file has saturated.
#[derive(Clone, Copy, Debug)]
pub struct SaturatedCounters {
    /// Their number.
    pub count: u64,
    /// Index of the first among the image's counters.
    pub first: usize,
}

/// The number of bytes of counters to add at a time: fits into the second-level cache.
const BLOCK: usize = 128 * 1024;

optional! {
    /// Returns the function that merges value data, if something counts values.
    fn values_merger() -> MergeValues = super::file_values::merge_values, "profrt_values_merge";
}

/// Counters and bitmaps of a profile.
#[derive(Debug)]
pub struct Sum {
    /// The old profile, whose counters and bitmaps are the sum.
    pub old: Option<OldProfile>,
    /// Our counters less the earlier contribution, saturated; empty if they are unchanged, or where there is an old profile.
    difference: Pages,
    /// The counters of this image, for the contribution.
    pub snapshot: Pages,
    /// The saturated counters.
    pub saturated: SaturatedCounters,
}

impl Sum {
    /// Computes the sum. With `snapshot`, takes one of the counters, which the contribution needs. `saturates`: without an old profile, too.
    ///
    /// # Safety
    /// `image` must be an image of this process, `plan` its plan, and `old` a profile of this image.
    pub unsafe fn new(
        image: &Image,
        plan: &Plan,
        old: Option<OldProfile>,
        earlier: Option<&Counts>,
        snapshot: bool,
        saturates: bool,
    ) -> Result<Sum> {
        let variant = plan.variant();
        let len = plan.size(Part::Counters).0 as usize;
        let are_added = variant.counter_size() == 8;
        let earlier = earlier.map_or(&[][..], |earlier| earlier.counters.words());
        // SAFETY: counters of the image, by this function's contract.
        let too_large = || saturates && are_added && unsafe { or_of_all(image.counters) } > counters::LARGEST;
        let has_difference = old.is_none() && (!earlier.is_empty() || too_large());
        let mut sum = Sum {
            old,
            difference: pages(if has_difference { len } else { 0 })?,
            snapshot: pages(if snapshot && are_added { len } else { 0 })?,
            saturated: SaturatedCounters { count: 0, first: 0 },
        };
        if sum.old.is_none() && !has_difference && sum.snapshot.bytes().is_empty() {
            return Ok(sum);
        }
        // Time stamps are looked up by record, so these need all counters at once.
        let temporal = variant.has(Variant::TEMPORAL);
        let block = if temporal { len } else { len.min(BLOCK) };
        let mut room = pages(block)?;
        let mut at: usize = 0;
        while at < len {
            let live = image.counters.prefix(len).skip(at).prefix(block);
            let ours = room.bytes_mut().get_mut(..live.len).unwrap_or_default();
            // SAFETY: memory of our own; counters of the image, by this function's contract. The instruction that copies allows threads to
            // write to them.
            unsafe { copy(ours.as_mut_ptr(), live.start, ours.len()) };
            let words = room.words_mut().get_mut(..live.len / 8).unwrap_or_default();
            store(sum.snapshot.words_mut().get_mut(at / 8..).unwrap_or_default(), words);
            let old = match &mut sum.old {
                Some(old) => old.part(Part::Counters, len).get_mut(at..).unwrap_or_default(),
                None => &mut [],
            };
            let old = old.get_mut(..live.len).unwrap_or_default();
            let saturated = if temporal {
                // SAFETY: the records of an image of this process, by this function's contract.
                add_temporal(unsafe { records(image.data) }, image, variant, &mut room, old, earlier)
            } else if are_added {
                counters::subtract(words, earlier.get(at / 8..).unwrap_or(&[]));
                counters::merge(words, old)
            } else {
                counters::and(room.bytes_mut().get_mut(..live.len).unwrap_or_default(), old);
                (0, 0)
            };
            if sum.saturated.count == 0 {
                sum.saturated.first = (at / 8).wrapping_add(saturated.1);
            }
            sum.saturated.count = sum.saturated.count.wrapping_add(saturated.0);
            let result = room.bytes().get(..live.len).unwrap_or(&[]);
            if old.is_empty() {
                store(sum.difference.words_mut().get_mut(at / 8..).unwrap_or_default(), room.words());
            } else {
                // SAFETY: both are as long, and memory of our own.
                unsafe { copy(old.as_mut_ptr(), result.as_ptr(), old.len().min(result.len())) };
            }
            at = at.saturating_add(live.len.max(1));
        }
        if let Some(old) = &mut sum.old {
            let len = plan.size(Part::Bitmap).0 as usize;
            add_bitmap(old.part(Part::Bitmap, len), image.bitmap);
        }
        Ok(sum)
    }

    /// Returns `image` with the counters and bitmaps of the sum.
    fn image(&mut self, image: &Image, plan: &Plan) -> Image {
        let size = |part| plan.size(part).0 as usize;
        let (counters, bitmap) = match &mut self.old {
            Some(old) => (
                Span::of(old.part(Part::Counters, size(Part::Counters))),
                Span::of(old.part(Part::Bitmap, size(Part::Bitmap))),
            ),
            None => {
                let own = if self.difference.bytes().is_empty() { &self.snapshot } else { &self.difference };
                match own.bytes() {
                    [] => (image.counters, image.bitmap),
                    own => (Span::of(own), image.bitmap),
                }
            }
        };
        image.with_counts(counters, bitmap)
    }

    /// Writes the profile. Returns the values of this image, for the contribution, if `remember`.
    ///
    /// # Safety
    /// `image` and `plan` must be those of [`Sum::new`].
    pub unsafe fn write(
        &mut self,
        image: &Image,
        plan: &Plan,
        earlier: Option<&Counts>,
        remember: bool,
        sink: &mut dyn Sink,
    ) -> Result<Pages> {
        let with_sum = self.image(image, plan);
        // SAFETY: an image of this process and its plan, by this function's contract; the sums are as long as its sections.
        unsafe { raw::write_parts(&with_sum, plan, sink) }?;
        let records = trim_to_sites(records_for_values(image, plan));
        let earlier = earlier.map_or(&[][..], |earlier| earlier.values.words());
        match values_merger() {
            _ if records.is_empty() => Ok(Pages::EMPTY),
            Some(merge) if remember || self.old.is_some() || !earlier.is_empty() => {
                merge(records, self.old.as_ref(), earlier, sink)
            }
            _ => writer::write_value_data(records, writer::Budget(u64::MAX), sink).map(|()| Pages::EMPTY),
        }
    }
}

/// Returns all bits that are set in any of these counters; more on machines with shorter words.
///
/// # Safety
/// The counters must be readable and aligned.
unsafe fn or_of_all(counters: Span) -> u64 {
    if size_of::<usize>() < 8 {
        return u64::MAX;
    }
    // SAFETY: readable and aligned, by this function's contract. Atomic, because threads count in them.
    let words = unsafe { core::slice::from_raw_parts(counters.start.cast::<AtomicUsize>(), counters.len / 8) };
    words.iter().fold(0, |any, word| any | word.load(Ordering::Relaxed) as u64)
}

/// Stores words in zeroed memory. Pages to which only zeros would go take no memory.
fn store(to: &mut [u64], from: &[u64]) {
    for (to, from) in to.iter_mut().zip(from) {
        if *from != 0 {
            *to = *from;
        }
    }
}

/// Adds the bitmaps of an image to those of an old profile.
fn add_bitmap(old: &mut [u8], live: Span) {
    for (at, old) in old.iter_mut().enumerate().take(live.len) {
        // SAFETY: within the section of an image of this process. Volatile, because threads may write to it.
        *old |= unsafe { live.start.wrapping_add(at).read_volatile() };
    }
}

/// Merges all counters of a temporal profile into `sums`, function by function. Returns the number of saturated counters and the index of
/// the first.
fn add_temporal(
    records: &[Record],
    image: &Image,
    variant: Variant,
    sums: &mut Pages,
    old: &[u8],
    earlier: &[u64],
) -> (u64, usize) {
    let mut all = (0u64, 0usize);
    for record in records {
        let CounterRange { stamp, counters: range } = counter_range(record, image, variant);
        let old_here = old.get(range.clone()).unwrap_or(&[]);
        if variant.counter_size() == 1 {
            counters::and(sums.bytes_mut().get_mut(range.clone()).unwrap_or_default(), old_here);
        } else {
            let words = sums.words_mut().get_mut(range.start / 8..range.end / 8).unwrap_or_default();
            counters::subtract(words, earlier.get(range.start / 8..).unwrap_or(&[]));
            let saturated = counters::merge(words, old_here);
            if all.0 == 0 {
                all.1 = (range.start / 8).wrapping_add(saturated.1);
            }
            all.0 = all.0.wrapping_add(saturated.0);
        }
        if let Some(at) = stamp
            && let Some(live) = sums.bytes_mut().get_mut(at..).and_then(<[u8]>::first_chunk_mut)
            && let Some(old) = old.get(at..).and_then(<[u8]>::first_chunk)
        {
            *live = counters::earlier(u64::from_ne_bytes(*live), u64::from_ne_bytes(*old)).to_ne_bytes();
        }
    }
    all
}
