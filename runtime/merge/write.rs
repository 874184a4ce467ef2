//! Writes the sum of this image's profile and a file's profile to a sink. Counters in memory do not change.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};

use super::check::CheckedProfile;
use super::contribution::Contribution;
use super::counter_copy::CounterCopy;
use super::counter_range::{CounterRange, counter_range};
use super::counters;
use super::file_values::{MergeValues, ReadValues};
use super::old::OldProfile;
use super::pages::{Pages, pages};
use super::source::ProfileSource;
use crate::copy::copy;
use crate::dump::records_for_values;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::format::layout::Part;
use crate::native::Plan;
use crate::os;
use crate::raw::{self, PartWriter};
use crate::sections::Image;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::{Record, has_sites, records};
use crate::value::optional::optional;
use crate::value::writer;

/// Description of one merge into a file.
pub struct MergeJob<'a> {
    /// This image.
    pub image: &'a Image,
    /// The plan of this image.
    pub plan: &'a Plan,
    /// The profile that the file holds, and the source to read it from.
    pub old: Option<(&'a dyn ProfileSource, &'a OldProfile)>,
    /// The earlier contribution: what the file, or another file of its pool, holds from this process already.
    pub earlier_contribution: Option<&'a Contribution>,
    /// Gets the contribution that the pool holds after this merge; `None` where no later write needs it.
    pub contribution: Option<&'a mut Contribution>,
}

/// The counters that a merge into a file has saturated.
#[derive(Clone, Copy, Debug)]
pub struct SaturatedCounters {
    /// Their number.
    pub count: u64,
    /// Index of the first among the image's counters.
    pub first: usize,
}

/// The number of bytes of counters to read, add and write at a time: fits into the second-level cache.
const BLOCK: usize = 128 * 1024;

/// The size in bytes from which a section's pages are prefetched.
const HUGE: usize = 256 * 1024;

optional! {
    /// Returns the function that reads value data, if something counts values.
    fn values_reader() -> ReadValues = super::file_values::read_values, "profrt_values_read";
}

optional! {
    /// Returns the function that merges value data, if something counts values.
    fn values_merger() -> MergeValues = super::file_values::merge_values, "profrt_values_merge";
}

/// Reads and checks the value data of the profile `checked`. Returns the complete profile that the file holds.
///
/// # Safety
/// `image` must be an image of this process.
pub unsafe fn read_old_values(
    source: &dyn ProfileSource,
    checked: CheckedProfile,
    image: &Image,
) -> Result<OldProfile> {
    let from = checked.values;
    let len = source.size().checked_sub(from).ok_or(Error::TRUNCATED)?;
    // SAFETY: an image of this process, by this function's contract.
    let records = trim_to_sites(unsafe { records(image.data) });
    let values = match values_reader() {
        _ if records.is_empty() || checked.sites_left_out => {
            if len == 0 {
                Pages::EMPTY
            } else {
                return Err(Error::CORRUPT);
            }
        }
        // Every write to a file writes value records, also without values. (Profiles from LLVM's buffer calls have none.)
        _ if len == 0 => return Err(Error::TRUNCATED),
        Some(read) => read(source, from, len, records)?,
        // Nothing in this program counts values: a file that has some is another program's.
        None if len == writer::size(records, 0) => Pages::EMPTY,
        None => return Err(Error::FOREIGN),
    };
    Ok(OldProfile { checked, values })
}

/// Writes the sum of the old profile and this image's to `sink`, without the earlier contribution.
///
/// # Safety
/// `job.image` must be an image of this process, `job.plan` its plan, and `job.old` a profile of this image with its source.
pub unsafe fn write_job(job: MergeJob<'_>, sink: &mut dyn Sink) -> Result<SaturatedCounters> {
    let MergeJob { image, plan, old, earlier_contribution, mut contribution } = job;
    let variant = plan.variant();
    let [counters, bitmap] = [Part::Counters, Part::Bitmap].map(|part| plan.size(part).0 as usize);
    // The merge looks up time stamps by record, so it needs all counters at once.
    let largest = counters.max(bitmap);
    let block = if variant.has(Variant::TEMPORAL) { largest } else { largest.min(BLOCK) };
    let copy_of_counters = match &mut contribution {
        Some(contribution) if variant.counter_size() == 8 => {
            contribution.counters = CounterCopy::new(counters)?;
            Some(&mut contribution.counters)
        }
        _ => None,
    };
    let mut merging = CountMerge {
        image,
        variant,
        old,
        earlier: earlier_contribution.map(|earlier| &earlier.counters),
        copy_of_counters,
        sums: pages(block)?,
        old_counts: pages(block)?,
        saturated: SaturatedCounters { count: 0, first: 0 },
    };
    let write = &mut |part, span, sink: &mut dyn Sink| merging.write_part(part, span, sink);
    let sums = PartWriter { takes: |part| matches!(part, Part::Counters | Part::Bitmap), write };
    // SAFETY: an image of this process and its plan, by this function's contract.
    unsafe { raw::write_parts_with(image, plan, sink, Some(sums)) }?;
    let saturated = merging.saturated;
    let records = trim_to_sites(records_for_values(image, plan));
    match values_merger() {
        _ if records.is_empty() => {}
        Some(merge_values) => {
            let earlier = earlier_contribution.map_or(&[][..], |earlier| earlier.values.words());
            let values = merge_values(records, old.map(|(_, old)| old), earlier, sink)?;
            if let Some(contribution) = contribution {
                contribution.values = values;
            }
        }
        None => writer::write_empty_records(records, sink)?,
    }
    Ok(saturated)
}

/// Returns the records from the first to the last that has value sites, also those between: a merge walks these several times.
fn trim_to_sites(records: &[Record]) -> &[Record] {
    let Some(first) = records.iter().position(has_sites) else { return &[] };
    let end = records.iter().rposition(has_sites).map_or(0, |last| last.wrapping_add(1));
    records.get(first..end).unwrap_or(&[])
}

/// The extent of the old file that a merge has reached.
struct HoleCursor {
    /// Whether the extent is a hole.
    in_hole: bool,
    /// The end of the extent, from the start of the part.
    until: u64,
}

impl HoleCursor {
    /// Before the first extent.
    const UNKNOWN: HoleCursor = HoleCursor { in_hole: false, until: 0 };
    /// In an extent of data without end, so that the file is never asked for holes.
    const NO_HOLE: HoleCursor = HoleCursor { in_hole: false, until: u64::MAX };

    /// Advances to the extent with the byte that is `done` bytes after the start of the part, and returns how many bytes of it are left.
    /// `old`: the source and the offset of that byte; without it, the extent has no end.
    fn advance(&mut self, done: u64, old: Option<(&dyn ProfileSource, u64)>) -> usize {
        if done >= self.until {
            // Data follows a hole, which saves a system call.
            let after_hole = self.in_hole && done == self.until;
            let (in_hole, len) = old.map_or((false, u64::MAX), |(source, offset)| source.extent(offset, after_hole));
            *self = HoleCursor { in_hole, until: len.saturating_add(done) };
        }
        usize::try_from(self.until.wrapping_sub(done)).unwrap_or(usize::MAX)
    }

    /// Returns the next block, the start of `rest`, and whether the old file has a hole there. `done` and `old` as for
    /// [`HoleCursor::advance`].
    ///
    /// | `rest` begins | the block ends | in a hole |
    /// | --- | --- | --- |
    /// | in data | with the last whole counter before the hole, after `most` bytes at the latest | no |
    /// | in a hole | with the last whole counter before the data, after `most` bytes at the latest | yes |
    /// | with a counter across a border, which some file systems may have inside of pages | after `most` bytes | no: it is read |
    fn next_block(
        &mut self,
        rest: Span,
        most: usize,
        done: u64,
        old: Option<(&dyn ProfileSource, u64)>,
    ) -> (Span, bool) {
        match self.advance(done, old) & !7 {
            0 => (rest.prefix(most), false),
            whole_counters => (rest.prefix(most.min(whole_counters)), self.in_hole),
        }
    }
}

/// The merge of the counters and bitmaps of an image with those of a file, block by block.
struct CountMerge<'a> {
    image: &'a Image,
    variant: Variant,
    old: Option<(&'a dyn ProfileSource, &'a OldProfile)>,
    /// The counters of the earlier contribution.
    earlier: Option<&'a CounterCopy>,
    /// Gets the counters of this image, for the new contribution; `None` where no later write needs it.
    copy_of_counters: Option<&'a mut CounterCopy>,
    /// Memory for the sums of one block.
    sums: Pages,
    /// Memory for the counts of one block of the old profile.
    old_counts: Pages,
    saturated: SaturatedCounters,
}

impl CountMerge<'_> {
    /// Writes the sum of one part, whose bytes in memory are `section`.
    fn write_part(&mut self, part: Part, section: Span, sink: &mut dyn Sink) -> Result {
        let block = self.sums.bytes().len();
        // Zeros add nothing, so the merge does not read holes. (In byte counters 0 means covered, and stamps are looked up.)
        let is_bitmap = part == Part::Bitmap;
        let zeros_add_nothing = is_bitmap || self.variant.counter_size() == 8 && !self.variant.has(Variant::TEMPORAL);
        // Asking takes long in a large file without holes.
        let mut extents =
            if zeros_add_nothing && section.len >= HUGE { HoleCursor::UNKNOWN } else { HoleCursor::NO_HOLE };
        if section.len >= HUGE {
            os::prefetch(section.start.addr(), section.len);
        }
        let source =
            self.old.map(|(source, old)| (source, if is_bitmap { old.checked.bitmap } else { old.checked.counters }));
        let mut done: usize = 0;
        while done < section.len {
            let at = source.map(|(source, offset)| (source, offset.wrapping_add(done as u64)));
            let (live, in_hole) = extents.next_block(section.skip(done), block, done as u64, at);
            let old = at.filter(|_| !in_hole);
            let live_is_the_sum = zeros_add_nothing && old.is_none() && self.live_is_the_sum(is_bitmap, live);
            let sum = if live_is_the_sum { live } else { self.sum(is_bitmap, live, done, old)? };
            // SAFETY: a part of the image, readable by the contract of `write_job`, or memory of our own.
            unsafe { sink.write(&[sum]) }?;
            done = done.wrapping_add(live.len);
        }
        Ok(())
    }

    /// Returns whether a block to which the old file adds nothing can be written from memory:
    ///
    /// | block | can be written if |
    /// | --- | --- |
    /// | of a bitmap | always |
    /// | of counters | none of them saturates |
    /// | of counters, with an earlier contribution, or with one to copy | all of them are zero |
    fn live_is_the_sum(&self, is_bitmap: bool, live: Span) -> bool {
        let largest = if self.earlier.is_none() && self.copy_of_counters.is_none() { counters::LARGEST } else { 0 };
        // No counter is larger than all bits of all of them.
        // SAFETY: counters of the image, which are readable and aligned by the contract of `write_job`.
        is_bitmap || unsafe { or_of_all(live) } <= largest
    }

    /// Computes the sum of a block, `done` bytes after the start of its part, in memory of our own. `old`: a source and the offset of the
    /// block there.
    fn sum(
        &mut self,
        is_bitmap: bool,
        live: Span,
        done: usize,
        old: Option<(&dyn ProfileSource, u64)>,
    ) -> Result<Span> {
        let CountMerge { image, variant, earlier, copy_of_counters, sums, old_counts, .. } = self;
        let room = sums.bytes_mut().get_mut(..live.len).unwrap_or_default();
        // SAFETY: memory of our own; a part of the image, readable by the contract of `write_job`. The instruction that copies allows
        // threads to write to it.
        unsafe { copy(room.as_mut_ptr(), live.start, room.len()) };
        if !is_bitmap && let Some(copy) = copy_of_counters {
            copy.copy_from(done, sums.words().get(..live.len / 8).unwrap_or(&[]));
        }
        let old = match old {
            Some((source, offset)) => source.bytes(offset, live.len, old_counts.bytes_mut())?,
            None => &[],
        };
        let mut saturated = (0, 0);
        let room = sums.bytes_mut().get_mut(..live.len).unwrap_or_default();
        if is_bitmap {
            counters::or(room, old);
        } else if variant.has(Variant::TEMPORAL) {
            // SAFETY: the records of an image of this process, by the contract of `write_job`.
            saturated = merge_temporal(unsafe { records(image.data) }, image, *variant, sums, old, *earlier);
        } else if variant.counter_size() == 1 {
            counters::and(room, old);
        } else {
            let words = sums.words_mut().get_mut(..live.len / 8).unwrap_or_default();
            if let Some(earlier) = earlier {
                earlier.subtract_from(done, words);
            }
            saturated = counters::merge(words, old);
        }
        if self.saturated.count == 0 {
            self.saturated.first = (done / 8).wrapping_add(saturated.1);
        }
        self.saturated.count = self.saturated.count.wrapping_add(saturated.0);
        Ok(Span::of(sums.bytes()).prefix(live.len))
    }
}

/// Returns all bits that are set in any of these counters, or all ones on machines with shorter words.
///
/// # Safety
/// The counters must be readable and aligned.
unsafe fn or_of_all(counters: Span) -> u64 {
    if size_of::<usize>() < 8 {
        return u64::MAX;
    }
    // SAFETY: readable and aligned, by this function's contract. Atomic, because threads count in them.
    let words = unsafe { core::slice::from_raw_parts(counters.start.cast::<AtomicUsize>(), counters.len / 8) };
    let (fours, rest) = words.as_chunks::<4>();
    let load = |word: &AtomicUsize| word.load(Ordering::Relaxed) as u64;
    let mut any = 0;
    for [a, b, c, d] in fours {
        any |= load(a) | load(b) | load(c) | load(d);
    }
    for word in rest {
        any |= load(word);
    }
    any
}

/// Merges all counters of a temporal profile into `sums`, function by function. Returns the number of saturated counters and the index of
/// the first.
fn merge_temporal(
    records: &[Record],
    image: &Image,
    variant: Variant,
    sums: &mut Pages,
    old: &[u8],
    earlier: Option<&CounterCopy>,
) -> (u64, usize) {
    let mut all = (0u64, 0usize);
    for record in records {
        let CounterRange { stamp, counters: range } = counter_range(record, image, variant);
        let old_here = old.get(range.clone()).unwrap_or(&[]);
        if variant.counter_size() == 1 {
            counters::and(sums.bytes_mut().get_mut(range.clone()).unwrap_or_default(), old_here);
        } else {
            let words = sums.words_mut().get_mut(range.start / 8..range.end / 8).unwrap_or_default();
            if let Some(earlier) = earlier {
                earlier.subtract_from(range.start, words);
            }
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
