//! Writes the sum of this image's profile and a file's profile to a sink. Counters in memory do not change.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};

use super::check::CheckedProfile;
use super::counters;
use super::file_values::{MergeValues, ReadValues};
use super::old::OldProfile;
use super::pages::{Pages, pages};
use super::source::{Pieces, ProfileSource};
use super::stamps::{Place, place};
use crate::copy::copy;
use crate::dump::valued;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::layout::{Chunk, Part, Plan};
use crate::os;
use crate::raw;
use crate::sections::Image;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::{Record, has_sites, records};
use crate::value::optional::optional;
use crate::value::writer;

/// The contribution of this process to a file: copies of its counters and its value data.
#[derive(Debug)]
pub struct Contribution {
    counters: Pages,
    values: Pages,
}

impl Contribution {
    /// No contribution.
    pub const EMPTY: Contribution = Contribution { counters: Pages::EMPTY, values: Pages::EMPTY };
}

/// Returns whether the file can still hold our contribution: whether each of its counters is at least as large. If not, it is another
/// file with the same name, made after somebody removed the one that we wrote to. (Time stamps tell nothing: the earliest stays.)
/// `plan` is that of our image.
pub fn still_holds(
    source: &dyn ProfileSource,
    old: &OldProfile,
    plan: &Plan,
    given: &Contribution,
    scratch: &mut [u8],
) -> Result<bool> {
    // Has all counters, or none.
    let mut given = given.counters.words();
    if Variant(plan.header.version).has(Variant::TEMPORAL) {
        return Ok(true);
    }
    let mut pieces = Pieces::of(source, old.theirs.counters, size_of_val(given) as u64, 8, scratch)?;
    while !given.is_empty() {
        let piece = pieces.next(scratch)?;
        if !counters::contain(piece, given) {
            return Ok(false);
        }
        given = given.get(piece.len() / 8..).unwrap_or(&[]);
    }
    Ok(true)
}

/// Description of one merge into a file.
pub struct MergeJob<'a> {
    /// This image.
    pub image: &'a Image,
    /// Its plan.
    pub plan: &'a Plan,
    /// The profile that the file holds, and the source to read it from.
    pub old: Option<(&'a dyn ProfileSource, &'a OldProfile)>,
    /// The contribution of this process that the file, or another file of its pool, has already.
    pub already_written: Option<&'a Contribution>,
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

/// Reads and checks the value data of a profile that passed [`super::check::check`].
///
/// # Safety
/// `image` must be an image of this process.
pub unsafe fn read_old(source: &dyn ProfileSource, theirs: CheckedProfile, image: &Image) -> Result<OldProfile> {
    let from = theirs.values;
    let len = source.size().checked_sub(from).ok_or(Error::TRUNCATED)?;
    // SAFETY: an image of this process, by this function's contract.
    let records = with_sites(unsafe { records(image.data) });
    let values = match values_reader() {
        _ if records.is_empty() => {
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
    Ok(OldProfile { theirs, values })
}

/// Writes the sum to `sink`. Stores in `given`, if any, what the file then has from this process.
///
/// # Safety
/// `job.image` must be an image of this process, `job.plan` its plan, and `job.old` a profile of this image with its source.
pub unsafe fn write(
    job: &MergeJob<'_>,
    sink: &mut dyn Sink,
    mut given: Option<&mut Contribution>,
) -> Result<SaturatedCounters> {
    let variant = Variant(job.plan.header.version);
    let summed = |part: Part, theirs: fn(&CheckedProfile) -> u64| {
        let Chunk { offset, len, .. } = job.plan.chunk(part);
        SummedPart { part, at: offset, len, theirs: job.old.map_or(0, |(_, old)| theirs(&old.theirs)) }
    };
    let parts = [summed(Part::Counters, |theirs| theirs.counters), summed(Part::Bitmap, |theirs| theirs.bitmap)];
    let (counters, bitmap) = (parts[0].len as usize, parts[1].len as usize);
    // The merge looks up time stamps by record, so it needs all counters at once.
    let largest = counters.max(bitmap);
    let block = if variant.has(Variant::TEMPORAL) { largest } else { largest.min(BLOCK) };
    let kept = match &mut given {
        Some(given) if variant.counter_size() == 8 => {
            given.counters = pages(counters)?;
            given.counters.bytes_mut()
        }
        _ => &mut [],
    };
    let (ours, theirs, saturated) = (pages(block)?, pages(block)?, SaturatedCounters { count: 0, first: 0 });
    let mut summing = SummingSink { sink, job, parts, variant, at: 0, ours, theirs, kept, saturated };
    // SAFETY: an image of this process and its plan, by this function's contract.
    unsafe { raw::write(job.image, job.plan, &mut summing) }?;
    let SummingSink { sink, saturated, .. } = summing;
    let records = with_sites(valued(job.image, job.plan));
    match values_merger() {
        _ if records.is_empty() => {}
        Some(merge_values) => {
            let already_written = job.already_written.map_or(&[][..], |already_written| already_written.values.bytes());
            let live = merge_values(records, job.old.map(|(_, old)| old), already_written, sink)?;
            if let Some(given) = given {
                given.values = live;
            }
        }
        None => writer::write_empty_records(records, sink)?,
    }
    Ok(saturated)
}

/// Returns the records from the first to the last that has value sites: many programs have none, and a merge walks these records
/// several times.
fn with_sites(records: &[Record]) -> &[Record] {
    let Some(first) = records.iter().position(has_sites) else { return &[] };
    let end = records.iter().rposition(has_sites).map_or(0, |last| last.wrapping_add(1));
    records.get(first..end).unwrap_or(&[])
}

/// A part of the profile that a merge adds up.
#[derive(Clone, Copy)]
struct SummedPart {
    part: Part,
    /// Its offset in our profile.
    at: u64,
    len: u64,
    /// Its offset in the file's profile.
    theirs: u64,
}

/// Sink that replaces counters and bitmaps by sums and passes all bytes to another sink.
struct SummingSink<'a> {
    sink: &'a mut dyn Sink,
    job: &'a MergeJob<'a>,
    parts: [SummedPart; 2],
    variant: Variant,
    /// The number of bytes so far.
    at: u64,
    ours: Pages,
    theirs: Pages,
    /// Copy of the image's own counters for the next write; empty where no next write is planned.
    kept: &'a mut [u8],
    saturated: SaturatedCounters,
}

impl Sink for SummingSink<'_> {
    unsafe fn put(&mut self, span: Span) -> Result {
        // SAFETY: readable bytes, by this function's contract.
        unsafe { self.write(&[span]) }
    }

    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        let mut rest = spans;
        // The number of spans at the start of `rest` that pass unchanged.
        let mut plain: usize = 0;
        while let Some(span) = rest.get(plain) {
            let (at, len) = (self.at, span.len as u64);
            self.at = at.wrapping_add(len);
            // The raw writer passes each part as one span.
            let Some(part) = self.parts.iter().find(|part| len > 0 && part.at == at && part.len == len) else {
                plain = plain.wrapping_add(1);
                continue;
            };
            let part = *part;
            let (before, others) = rest.split_at_checked(plain).unwrap_or_default();
            // SAFETY: readable bytes, by this function's contract.
            unsafe { self.pass_on(before) }?;
            self.write_sum(part, *span)?;
            rest = others.get(1..).unwrap_or_default();
            plain = 0;
        }
        // SAFETY: readable bytes, by this function's contract.
        unsafe { self.pass_on(rest) }
    }
}

impl SummingSink<'_> {
    /// Passes spans unchanged.
    ///
    /// # Safety
    /// The spans must be readable.
    unsafe fn pass_on(&mut self, spans: &[Span]) -> Result {
        // SAFETY: readable bytes, by this function's contract.
        if spans.is_empty() { Ok(()) } else { unsafe { self.sink.write(spans) } }
    }

    /// Writes the sum of one part, piece by piece.
    fn write_sum(&mut self, part: SummedPart, span: Span) -> Result {
        let job = self.job;
        let block = self.ours.bytes().len();
        // Zeros add nothing, so the merge does not read holes. (In byte counters 0 means covered, and stamps are looked up.)
        let is_bitmap = part.part == Part::Bitmap;
        let sums = is_bitmap || self.variant.counter_size() == 8 && !self.variant.has(Variant::TEMPORAL);
        // Whether the old file has a hole here, and up to which offset: asking takes long in a large file without holes.
        let (mut in_hole, mut known) = (false, if sums && span.len >= HUGE { 0 } else { u64::MAX });
        if span.len >= HUGE {
            os::prefetch(span.start.addr(), span.len);
        }
        let mut done: usize = 0;
        while done < span.len {
            let mut live = span.skip(done).prefix(block);
            let mut source = job.old.map(|(source, _)| source);
            let at = done as u64;
            if at >= known {
                let theirs = part.theirs.wrapping_add(at);
                let (is_hole, len) =
                    source.map_or((false, u64::MAX), |source| source.extent(theirs, in_hole && at == known));
                (in_hole, known) = (is_hole, len.saturating_add(at));
            }
            // Holes should end at page boundaries, but a file system may differ.
            let whole = usize::try_from(known.wrapping_sub(at)).unwrap_or(usize::MAX) & !7;
            if whole > 0 {
                live = live.prefix(whole);
                source = source.filter(|_| !in_hole);
            }
            // Where the file has nothing, and nothing is to be remembered or subtracted, the sum is what memory has.
            let alone = sums
                && source.is_none()
                && job.already_written.is_none()
                && self.kept.is_empty()
                // SAFETY: the section is readable, and its counters are aligned.
                && (is_bitmap || unsafe { or_of_all(live) } <= counters::LARGEST);
            let sum = if alone { live } else { self.sum(&part, live, done, source)? };
            // SAFETY: readable, or memory of our own.
            unsafe { self.sink.write(&[sum]) }?;
            done = done.wrapping_add(live.len);
        }
        Ok(())
    }

    /// Computes the sum `done` bytes after the start of a part, in memory of our own.
    fn sum(&mut self, part: &SummedPart, live: Span, done: usize, source: Option<&dyn ProfileSource>) -> Result<Span> {
        let SummingSink { job, ours, theirs, kept, variant, .. } = self;
        let room = ours.bytes_mut().get_mut(..live.len).unwrap_or_default();
        // SAFETY: memory of our own; the section is readable, and the instruction that copies allows threads to write to it.
        unsafe { copy(room.as_mut_ptr(), live.start, room.len()) };
        let is_bitmap = part.part == Part::Bitmap;
        if !is_bitmap && let Some(kept) = kept.get_mut(done..done.wrapping_add(live.len)) {
            // SAFETY: as many bytes of our own; the two do not overlap.
            unsafe { copy(kept.as_mut_ptr(), room.as_ptr(), kept.len().min(room.len())) };
        }
        let place = part.theirs.wrapping_add(done as u64);
        let theirs = match source {
            Some(source) => source.bytes(place, live.len, theirs.bytes_mut())?,
            None => &[],
        };
        let already_written =
            job.already_written.and_then(|already_written| already_written.counters.bytes().get(done..)).unwrap_or(&[]);
        let mut saturated = (0, 0);
        if is_bitmap {
            counters::or(room, theirs);
        } else if variant.has(Variant::TEMPORAL) {
            // SAFETY: an image of this process, by the contract of `write`.
            saturated =
                merge_temporal(unsafe { records(job.image.data) }, job.image, *variant, ours, theirs, already_written);
        } else if variant.counter_size() == 1 {
            counters::and(room, theirs);
        } else {
            saturated =
                counters::merge(ours.words_mut().get_mut(..live.len / 8).unwrap_or_default(), theirs, already_written);
        }
        if self.saturated.count == 0 {
            self.saturated.first = (done / 8).wrapping_add(saturated.1);
        }
        self.saturated.count = self.saturated.count.wrapping_add(saturated.0);
        Ok(Span::of(ours.bytes()).prefix(live.len))
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

/// Merges all counters of a temporal profile, function by function. Returns the number of saturated counters and the index of the
/// first.
fn merge_temporal(
    records: &[Record],
    image: &Image,
    variant: Variant,
    ours: &mut Pages,
    theirs: &[u8],
    already_written: &[u8],
) -> (u64, usize) {
    let mut all = (0u64, 0usize);
    for record in records {
        let Place { stamp, counters: range } = place(record, image, variant);
        let (theirs_here, had_here) =
            (theirs.get(range.clone()).unwrap_or(&[]), already_written.get(range.clone()).unwrap_or(&[]));
        if variant.counter_size() == 1 {
            let ours = ours.bytes_mut().get_mut(range.clone()).unwrap_or_default();
            counters::and(ours, theirs_here);
        } else {
            let ours = ours.words_mut().get_mut(range.start / 8..range.end / 8).unwrap_or_default();
            let saturated = counters::merge(ours, theirs_here, had_here);
            if all.0 == 0 {
                all.1 = (range.start / 8).wrapping_add(saturated.1);
            }
            all.0 = all.0.wrapping_add(saturated.0);
        }
        if let Some(at) = stamp
            && let Some(our) = ours.bytes_mut().get_mut(at..).and_then(<[u8]>::first_chunk_mut)
            && let Some(their) = theirs.get(at..).and_then(<[u8]>::first_chunk)
        {
            *our = counters::earlier(u64::from_ne_bytes(*our), u64::from_ne_bytes(*their)).to_ne_bytes();
        }
    }
    all
}
