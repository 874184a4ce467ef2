//! The counts of a profile that is written: those of this image, less the earlier contribution, and those of the old profile. They are in
//! memory before the first byte is written.

#![allow(unsafe_code)]

use core::ops::Range;

use super::contribution::Counts;
use super::counter_range::counter_range;
use super::counters::{LARGEST, earlier as earlier_stamp};
use super::linked;
use super::old::{OldProfile, trim_to_sites};
use super::pages::{Pages, pages};
use crate::dump::records_for_values;
use crate::error::Result;
use crate::format::Variant;
use crate::format::layout::Part;
use crate::native::Plan;
use crate::raw;
use crate::sections::Image;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::records;
use crate::value::writer;

/// The counters that a merge into a file has saturated.
#[derive(Clone, Copy, Debug)]
pub struct SaturatedCounters {
    /// Their number.
    pub count: u64,
    /// Index of the first among the image's counters.
    pub first: usize,
}

/// Counters and bitmaps of a profile.
#[derive(Debug)]
pub struct Sum {
    /// The old profile; its counters and bitmaps are the sum from [`Sum::new`] on.
    pub old: Option<OldProfile>,
    /// Our counters less the earlier contribution, of one byte: covered since then; empty where there is no such contribution, or an old profile.
    difference: Pages,
    /// The counters of this image, for the contribution.
    pub snapshot: Pages,
    /// The saturated counters.
    pub saturated: SaturatedCounters,
}

impl Sum {
    /// Computes the sum. With `snapshot`, takes one of the counters, which the contribution needs.
    ///
    /// # Safety
    /// `image` must be an image of this process, `plan` its plan, and `old` a profile of this image.
    pub unsafe fn new(
        image: &Image,
        plan: &Plan,
        old: Option<OldProfile>,
        earlier: Option<&Counts>,
        snapshot: bool,
    ) -> Result<Sum> {
        let variant = plan.variant();
        let len = plan.size(Part::Counters).0 as usize;
        let own = |needed: bool| pages(if needed { len } else { 0 });
        let earlier = earlier.map_or(&[][..], |earlier| earlier.counters.bytes());
        let mut sum = Sum {
            difference: own(old.is_none() && !earlier.is_empty())?,
            snapshot: own(snapshot)?,
            old,
            saturated: SaturatedCounters { count: 0, first: 0 },
        };
        if variant.counter_size() == 1 {
            combine(sum.snapshot.bytes_mut(), image.counters, |ours, _| ours);
        }
        if variant.has(Variant::TEMPORAL) {
            // SAFETY: the records of an image of this process, by this function's contract.
            for record in unsafe { records(image.data) } {
                let range = counter_range(record, image, variant);
                if let Some(at) = range.stamp {
                    sum.add_stamp(image.counters, at);
                }
                sum.add(image.counters, range.counters, earlier, variant);
            }
        } else {
            sum.add(image.counters, 0..len, earlier, variant);
        }
        if let Some(old) = &mut sum.old {
            combine(old.part(Part::Bitmap, plan.size(Part::Bitmap).0 as usize), image.bitmap, |ours, sum| ours | sum);
        }
        Ok(sum)
    }

    /// Adds the counters in a range of bytes of their section.
    fn add(&mut self, counters: Span, range: Range<usize>, earlier: &[u8], variant: Variant) {
        let live = counters.prefix(range.end).skip(range.start);
        let has_old = self.old.is_some();
        let sums = match &mut self.old {
            Some(old) => old.part(Part::Counters, range.end),
            None => self.difference.bytes_mut(),
        };
        let sums = sums.get_mut(range.start..).unwrap_or_default();
        let earlier = earlier.get(range.start..).unwrap_or_default();
        if variant.counter_size() == 1 {
            if !has_old {
                // What was covered before is not covered again.
                combine(sums, Span::of(earlier), |earlier, _| !earlier);
                return combine(sums, live, |ours, sum| ours | sum);
            }
            return combine(sums, live, |ours, sum| ours & sum);
        }
        let first = range.start / 8;
        let earlier = earlier.as_chunks::<8>().0;
        let snapshot = self.snapshot.words_mut().get_mut(first..).unwrap_or_default();
        let sums = sums.as_chunks_mut::<8>().0;
        if sums.is_empty() && snapshot.is_empty() {
            return;
        }
        for index in 0..live.len / 8 {
            // SAFETY: within the counters of an image of this process, which are aligned words. Volatile, because threads count in them.
            let count = unsafe { live.start.cast::<u64>().wrapping_add(index).read_volatile() };
            // Pages to which only zeros would go take no memory.
            if let Some(snapshot) = snapshot.get_mut(index)
                && count != 0
            {
                *snapshot = count;
            }
            let ours = count.saturating_sub(earlier.get(index).map_or(0, |earlier| u64::from_ne_bytes(*earlier)));
            let Some(bytes) = sums.get_mut(index) else { continue };
            let old = u64::from_ne_bytes(*bytes);
            let sum = old.saturating_add(ours);
            if sum > LARGEST {
                if self.saturated.count == 0 {
                    self.saturated.first = first.saturating_add(index);
                }
                self.saturated.count = self.saturated.count.saturating_add(1);
                *bytes = LARGEST.to_ne_bytes();
            } else if ours != 0 {
                *bytes = sum.to_ne_bytes();
            }
        }
    }

    /// Stores the earlier of our time stamp and that of the old profile, both at an offset of the counters.
    fn add_stamp(&mut self, counters: Span, at: usize) {
        let live = counters.skip(at).prefix(8);
        if live.len < 8 {
            return;
        }
        // SAFETY: eight bytes within the counters of an image of this process. Not aligned: counters of one byte may stand anywhere.
        let ours = unsafe { live.start.cast::<u64>().read_unaligned() };
        let old = self.old.as_mut().map(|old| old.part(Part::Counters, at.saturating_add(8)));
        for sums in [old.unwrap_or_default(), self.difference.bytes_mut(), self.snapshot.bytes_mut()] {
            if let Some(bytes) = sums.get_mut(at..).and_then(<[u8]>::first_chunk_mut) {
                *bytes = earlier_stamp(ours, u64::from_ne_bytes(*bytes)).to_ne_bytes();
            }
        }
    }

    /// Returns whether the earlier contribution has all that this image has. Bitmaps and values are not compared.
    pub fn is_contributed(&self, image: &Image, plan: &Plan) -> bool {
        let none = if plan.variant().counter_size() == 1 { 0xff } else { 0 };
        let (difference, compared) = (self.difference.bytes(), image.bitmap.len == 0);
        let all = !difference.is_empty() && difference.iter().all(|byte| *byte == none);
        all && compared && trim_to_sites(records_for_values(image, plan)).is_empty()
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
        match linked::merge() {
            _ if records.is_empty() => Ok(Pages::EMPTY),
            Some(merge) if remember || self.old.is_some() || !earlier.is_empty() => {
                merge(records, self.old.as_ref(), earlier, sink)
            }
            _ => writer::write_value_data(records, writer::Budget(u64::MAX), sink).map(|()| Pages::EMPTY),
        }
    }
}

/// Combines the bytes of a sum with those of this image.
fn combine(sums: &mut [u8], live: Span, combine: impl Fn(u8, u8) -> u8) {
    for (at, sum) in sums.iter_mut().enumerate().take(live.len) {
        // SAFETY: within the section of an image of this process. Volatile, because threads may write to it.
        *sum = combine(unsafe { live.start.wrapping_add(at).read_volatile() }, *sum);
    }
}
