//! The counts of a profile that is written: those of this image, less the earlier contribution, and those of the old profile.
//!
//! They are computed before the first byte is written. Exceptions: values, and counters of an old file that exceed [`WINDOW`], if they are not
//! temporal and a new file replaces the old one: these are read, added and written window by window.
//!
//! ```text
//! old profile   earlier contribution   counters that are written
//! none          none                   ours
//! none          some                   ours minus the contribution (`difference`)
//! in memory     any                    the old ones plus ours minus the contribution
//! streamed      any                    the same, window by window (`stream`)
//! ```
//!
//! Windows begin at whole counters. The snapshot and the sum get a live counter from one load. A file that becomes shorter meanwhile is
//! [`Error::TRUNCATED`]. One that another process changes, which happens only where files cannot be locked, gives the sum of what was read.

#![allow(unsafe_code)]

use core::hint::black_box;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering};

use super::contribution::Counts;
use super::counters::{LARGEST, counter_range, earlier as earlier_stamp};
use super::linked;
use super::old::{OldProfile, trim_to_sites};
use super::pages::Pages;
use super::read_old::{WINDOW, read_window};
use crate::dump::records_for_values;
use crate::error::{Error, Result};
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
#[derive(Clone, Copy, Debug, Default)]
pub struct SaturatedCounters {
    /// Their number.
    pub count: u64,
    /// Index of the first among the image's counters.
    pub first: usize,
}

/// Counters that are added together, or skipped if they are all 0.
const BLOCK: usize = 64;
/// Where a window ends: pages of the file, which the sink makes holes if they are zeros.
const PAGE: usize = 4096;

/// Counters and bitmaps of a profile. The old profile comes last: elsewhere the compiler copies its empty place by `memcpy`.
#[repr(C)]
pub struct Sum {
    /// Our counters minus the earlier contribution (of one byte: covered since). Empty with an old profile, or without an earlier contribution.
    pub(super) difference: Pages,
    /// The counts of this image, for the contribution: a snapshot of the counters, in memory that the owner of the sum provides, and the values that
    /// [`Sum::write`] has written.
    pub own: Counts,
    /// The saturated counters.
    pub saturated: SaturatedCounters,
    /// The old profile; its bitmaps are the sum from [`Sum::add_up`] on, and its counters if they are in memory.
    pub old: Option<OldProfile>,
}

impl Sum {
    /// Creates one without counts. Inlined and no constant, which would be copied by `memcpy`.
    #[inline]
    pub fn empty() -> Sum {
        Sum { difference: Pages::EMPTY, own: Counts::NONE, saturated: SaturatedCounters::default(), old: None }
    }

    /// Adds the counts of this image to those of the old profile, and takes a snapshot of the counters if there is memory for one. Error:
    /// [`Error::OVERTAKEN`] where the old profile lacks the earlier contribution.
    ///
    /// # Safety
    /// `image` must be an image of this process, `plan` its plan, and the old profile one of this image.
    pub unsafe fn add_up(&mut self, image: &Image, plan: &Plan, earlier: Option<&Counts>) -> Result {
        let variant = plan.variant();
        let subtracts = self.old.is_none() && earlier.is_some_and(|earlier| !earlier.counters.bytes().is_empty());
        self.difference.renew(if subtracts { image.counters.len } else { 0 })?;
        self.saturated = SaturatedCounters::default();
        if variant.counter_size() == 1 {
            combine(self.own.counters.bytes_mut(), image.counters, |ours, _| ours);
        }
        // SAFETY: the records of an image of this process, by this function's contract.
        let records = unsafe { records(image.data) };
        // Where records are only in the program's file (correlation), no temporal profile is merged, and stamps are subtracted like counters: one that
        // has not changed becomes 0, "never".
        if variant.has(Variant::TEMPORAL) && !records.is_empty() {
            for record in records {
                let (stamp, range) = counter_range(record, image, variant);
                if let Some(at) = stamp {
                    self.add_stamp(image.counters, at);
                }
                self.add(image, range, earlier, variant)?;
            }
        } else if !self.is_streamed() {
            self.add(image, 0..image.counters.len, earlier, variant)?;
        }
        if let Some(old) = &mut self.old {
            let [bitmap] = old.checked.bits;
            set_bits(old.part(bitmap, image.bitmap.len), image.bitmap);
        }
        Ok(())
    }

    /// Returns whether the counters of the old profile are read while the sum is written.
    fn is_streamed(&self) -> bool {
        self.old.as_ref().is_some_and(OldProfile::is_streamed)
    }

    /// Adds the counters in a range of bytes of their section. Error: [`Error::OVERTAKEN`].
    fn add(&mut self, image: &Image, range: Range<usize>, earlier: Option<&Counts>, variant: Variant) -> Result {
        let live = image.counters.prefix(range.end).skip(range.start);
        let earlier = earlier.and_then(|earlier| earlier.counters.bytes().get(range.start..)).unwrap_or_default();
        let Sum { old, difference, own, saturated } = self;
        let has_old = old.is_some();
        let sums = sums(old, difference, range.start, live.len);
        if variant.counter_size() == 1 {
            if has_old {
                combine(sums, live, |ours, sum| ours & sum);
            } else {
                // What was covered before is not covered again.
                combine(sums, Span::of(earlier), |earlier, _| !earlier);
                set_bits(sums, live);
            }
            return Ok(());
        }
        let contained = add_to(sums, live, earlier, &mut own.counters, range.start, saturated);
        if has_old && !contained { Err(Error::OVERTAKEN) } else { Ok(()) }
    }

    /// Writes the counters of the sum, a window after the other. Error: [`Error::OVERTAKEN`] where the old profile lacks the earlier contribution.
    #[inline(never)]
    fn stream(&mut self, image: &Image, plan: &Plan, earlier: Option<&Counts>, sink: &mut dyn Sink) -> Result {
        self.saturated = SaturatedCounters::default();
        let mut at: usize = 0;
        while at < image.counters.len
            && let Some(old) = &mut self.old
        {
            let over = old.checked.counters.wrapping_add(at as u64) as usize % PAGE;
            let len = image.counters.skip(at).prefix(WINDOW.wrapping_sub(over)).len;
            read_window(old, at, len)?;
            self.add(image, at..at.wrapping_add(len), earlier, plan.variant())?;
            // SAFETY: the window.
            unsafe { sink.put(Span::of(sums(&mut self.old, &mut self.difference, at, len))) }?;
            at = at.wrapping_add(len);
        }
        Ok(())
    }

    /// Stores the earlier of our time stamp and that of the old profile, both at an offset of the counters.
    fn add_stamp(&mut self, counters: Span, at: usize) {
        let live = counters.skip(at).prefix(8);
        if live.len < 8 {
            return;
        }
        // SAFETY: eight bytes within the counters of an image of this process. Not aligned: counters of one byte may stand anywhere.
        let ours = unsafe { live.start.cast::<u64>().read_unaligned() };
        let store = |sums: &mut [u8]| {
            if let Some(bytes) = sums.first_chunk_mut() {
                *bytes = earlier_stamp(ours, u64::from_ne_bytes(*bytes)).to_ne_bytes();
            }
        };
        store(sums(&mut self.old, &mut self.difference, at, 8));
        store(self.own.counters.rest(at));
    }

    /// Returns whether the earlier contribution has all that this image has. Bitmaps and values are not compared: an image with
    /// one of them always has something to give.
    pub fn is_contributed(&self, image: &Image, plan: &Plan) -> bool {
        let none = if plan.variant().counter_size() == 1 { 0xff } else { 0 };
        let (difference, compared) = (self.difference.bytes(), image.bitmap.len == 0);
        let all = !difference.is_empty() && difference.iter().all(|byte| *byte == none);
        all && compared && trim_to_sites(records_for_values(image, plan)).is_empty()
    }

    /// Returns `image` with the counters and bitmaps of the sum.
    fn image(&mut self, image: &Image) -> Image {
        let (mut counters, mut bitmap) = (image.counters, image.bitmap);
        let own = if self.difference.bytes().is_empty() { &self.own.counters } else { &self.difference };
        if !own.bytes().is_empty() {
            counters = Span::of(own.bytes());
        }
        if let Some(old) = &mut self.old {
            let [bits] = old.checked.bits;
            counters = Span::of(old.part(old.checked.counters, counters.len));
            bitmap = Span::of(old.part(bits, bitmap.len));
        }
        image.with_counts(counters, bitmap)
    }

    /// Writes the profile, and keeps the values of this image for the contribution, if `remember`. Error: [`Error::OVERTAKEN`] where the old
    /// profile lacks the earlier contribution.
    ///
    /// # Safety
    /// `image` and `plan` must be those of [`Sum::add_up`].
    pub unsafe fn write(
        &mut self,
        image: &Image,
        plan: &Plan,
        earlier: Option<&Counts>,
        remember: bool,
        sink: &mut dyn Sink,
    ) -> Result {
        let (with_sum, streams) = (self.image(image), self.is_streamed());
        let stream = &mut |sink: &mut dyn Sink| self.stream(image, plan, earlier, sink);
        let instead = streams.then_some((Part::Counters, stream as raw::WritePart<'_>));
        // SAFETY: an image of this process and its plan, by this function's contract; the sums are as long as its sections.
        unsafe { raw::write_parts_but(&with_sum, plan, sink, instead) }?;
        let records = trim_to_sites(records_for_values(image, plan));
        match linked::merge() {
            Some(merge) if !records.is_empty() && (remember || self.old.is_some() || earlier.is_some()) => {
                merge(records, self.old.as_ref(), earlier, &mut self.own.values, sink)
            }
            _ => writer::write_value_data(records, u64::MAX, sink),
        }
    }
}

/// Returns the sums from the byte `at` of the counters on: `len` bytes of those of the old profile, or `difference`.
fn sums<'a>(old: &'a mut Option<OldProfile>, difference: &'a mut Pages, at: usize, len: usize) -> &'a mut [u8] {
    match old {
        // Or where their window is.
        Some(old) => old.part(old.checked.counters.wrapping_add(if old.is_streamed() { 0 } else { at as u64 }), len),
        None => difference.rest(at),
    }
}

/// Adds the counters in `live`, which start at byte `from` of their section, to `sums`: those of an old profile, or the zeros of `difference`. Returns
/// whether `sums` were as large as `earlier`.
fn add_to(
    sums: &mut [u8],
    live: Span,
    earlier: &[u8],
    snapshot: &mut Pages,
    from: usize,
    saturated: &mut SaturatedCounters,
) -> bool {
    let mut contained = true;
    let snapshot = snapshot.words_mut().get_mut(from / 8..).unwrap_or_default();
    if sums.is_empty() && snapshot.is_empty() || live.len == 0 {
        return contained;
    }
    // SAFETY: counters of an image of this process, which are aligned words. Atomic, because threads count in them.
    let live = unsafe { core::slice::from_raw_parts(live.start.cast::<AtomicU64>(), live.len / 8) };
    let mut sums = sums.as_chunks_mut::<8>().0.chunks_mut(BLOCK);
    let mut earlier = earlier.as_chunks::<8>().0.chunks(BLOCK);
    let mut snapshot = snapshot.chunks_mut(BLOCK);
    // The compiler must not see the value: it would call `memset` for zeros.
    let mut counts = [black_box(0); BLOCK];
    // One short loop for each step takes half the time of one loop for all.
    for (block, live) in live.chunks(BLOCK).enumerate() {
        let (sums, snapshot) = (sums.next().unwrap_or_default(), snapshot.next().unwrap_or_default());
        let earlier = earlier.next().unwrap_or_default();
        let mut any: u64 = 0;
        let Some(counts) = counts.get_mut(..live.len()) else { break };
        for index in 0..live.len() {
            let (Some(count), Some(live)) = (counts.get_mut(index), live.get(index)) else { break };
            *count = live.load(Ordering::Relaxed);
            any |= *count;
        }
        // Nothing is added, and pages of a snapshot to which only zeros would go take no memory.
        if any == 0 && sums.iter().all(|sum| u64::from_ne_bytes(*sum) <= LARGEST) {
            continue;
        }
        for (index, to) in snapshot.iter_mut().enumerate() {
            let Some(count) = counts.get(index) else { break };
            *to = *count;
        }
        for (index, earlier) in earlier.iter().enumerate() {
            let (Some(sum), Some(count)) = (sums.get(index), counts.get_mut(index)) else { break };
            let earlier = u64::from_ne_bytes(*earlier);
            contained &= u64::from_ne_bytes(*sum) >= earlier.min(LARGEST);
            *count = count.saturating_sub(earlier);
        }
        for index in 0..sums.len().min(live.len()) {
            let (Some(bytes), Some(count)) = (sums.get_mut(index), counts.get(index)) else { break };
            let sum = u64::from_ne_bytes(*bytes);
            any |= sum;
            *bytes = sum.wrapping_add(*count).to_ne_bytes();
        }
        if any > LARGEST / 2 {
            saturate(sums, counts, (from / 8).wrapping_add(block.wrapping_mul(BLOCK)), saturated);
        }
    }
    contained
}

/// Mends those of some sums, whose first has this number, that have grown beyond the largest count, also beyond 64 bits.
#[cold]
#[inline(never)]
fn saturate(sums: &mut [[u8; 8]], added: &[u64], first: usize, saturated: &mut SaturatedCounters) {
    for (index, bytes) in sums.iter_mut().enumerate() {
        let Some(added) = added.get(index) else { break };
        let old = u64::from_ne_bytes(*bytes).wrapping_sub(*added);
        if old.saturating_add(*added) > LARGEST {
            if saturated.count == 0 {
                saturated.first = first.wrapping_add(index);
            }
            saturated.count = saturated.count.wrapping_add(1);
            *bytes = LARGEST.to_ne_bytes();
        }
    }
}

/// Sets all bits that are set in this image.
#[inline(never)]
fn set_bits(sums: &mut [u8], live: Span) {
    combine(sums, live, |ours, sum| ours | sum);
}

/// Combines the bytes of a sum with those of this image.
fn combine(sums: &mut [u8], live: Span, combine: impl Fn(u8, u8) -> u8) {
    for (at, sum) in sums.iter_mut().enumerate().take(live.len) {
        // SAFETY: within the section of an image of this process. Volatile, because threads may write to it.
        *sum = combine(unsafe { live.start.wrapping_add(at).read_volatile() }, *sum);
    }
}
