//! Writes the profile of this image with the counts of a profile in a file added, as a stream: nothing in memory changes.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};

use super::check::Theirs;
use super::counters;
use super::pages::{Pages, pages};
use super::source::{Pieces, Source};
use super::stamps::{Place, place};
use super::valued::{Read, Unite};
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
use crate::value::data;
use crate::value::linked::linked;
use crate::value::node::{Record, has_sites, records};

/// What this process has given to a file: its counters and its value data at that time.
#[derive(Debug)]
pub struct Contribution {
    counters: Pages,
    values: Pages,
}

impl Contribution {
    /// Nothing.
    pub const NOTHING: Contribution = Contribution { counters: Pages::EMPTY, values: Pages::EMPTY };
}

/// Whether the file can still hold what it was given: every counter of it is at least as large. When not, it is another
/// file of that name, made after the one we wrote to was taken away. (Time stamps do not tell: the earliest stays.) `plan` is that
/// of our image.
pub fn holds(source: &dyn Source, old: &Old, plan: &Plan, given: &Contribution, scratch: &mut [u8]) -> Result<bool> {
    // All counters, or none.
    let mut given = given.counters.words();
    if Variant(plan.header.version).has(Variant::TEMPORAL) {
        return Ok(true);
    }
    let mut pieces = Pieces::of(source, old.theirs.counters, size_of_val(given) as u64, 8, scratch)?;
    while !given.is_empty() {
        let piece = pieces.next(scratch)?;
        if !counters::have(piece, given) {
            return Ok(false);
        }
        given = given.get(piece.len() / 8..).unwrap_or(&[]);
    }
    Ok(true)
}

/// What the file has from earlier runs.
#[derive(Debug)]
pub struct Old {
    /// Its places and addresses.
    pub theirs: Theirs,
    /// Its value data, checked.
    pub values: Pages,
}

/// What is written.
pub struct Job<'a> {
    /// This image.
    pub image: &'a Image,
    /// And its plan.
    pub plan: &'a Plan,
    /// What is in the file already, and from where it is read.
    pub old: Option<(&'a dyn Source, &'a Old)>,
    /// What this process has given to it, or to another file of its pool.
    pub already_written: Option<&'a Contribution>,
}

/// Counters that were more than readers accept, and were held to that.
#[derive(Clone, Copy, Debug)]
pub struct Odd {
    /// How many.
    pub count: u64,
    /// Which of the image's counters is the first of them.
    pub first: usize,
}

/// Bytes of counters that are read, added and written at a time: small enough for the processor's second cache.
const BLOCK: usize = 128 * 1024;

/// Sections whose pages are asked for all at once.
const HUGE: usize = 256 * 1024;

linked! {
    /// Who reads values.
    fn reader() -> Read = super::valued::read, "profrt_values_read";
}

linked! {
    /// Who unites them.
    fn uniter() -> Unite = super::valued::unite, "profrt_values_unite";
}

/// Reads and checks the value data of a profile that passed [`super::check::check`].
///
/// # Safety
/// `image` must be an image of this process.
pub unsafe fn old(source: &dyn Source, theirs: Theirs, image: &Image) -> Result<Old> {
    let from = theirs.values;
    let len = source.size().checked_sub(from).ok_or(Error::TRUNCATED)?;
    // SAFETY: the caller's image.
    let records = with_sites(unsafe { records(image.data) });
    let values = match reader() {
        _ if records.is_empty() => {
            if len == 0 {
                Pages::EMPTY
            } else {
                return Err(Error::CORRUPT);
            }
        }
        // Every write to a file writes value data, be it without a value. (Profiles from LLVM's buffer calls have none.)
        _ if len == 0 => return Err(Error::TRUNCATED),
        Some(read) => read(source, from, len, records)?,
        // Nothing here counts values: a file that has some is another program's.
        None if len == data::size(records, 0) => Pages::EMPTY,
        None => return Err(Error::FOREIGN),
    };
    Ok(Old { theirs, values })
}

/// Writes the sum. What the file then has from this process goes to `given`, if anybody wants to know.
///
/// # Safety
/// `image` must be an image of this process, `plan` its plan, and `old` the profile in `source`, which is one of this image.
pub unsafe fn write(job: &Job<'_>, sink: &mut dyn Sink, mut given: Option<&mut Contribution>) -> Result<Odd> {
    let variant = Variant(job.plan.header.version);
    let summed = |part: Part, theirs: fn(&Theirs) -> u64| {
        let Chunk { offset, len, .. } = job.plan.chunk(part);
        Summed { part, at: offset, len, theirs: job.old.map_or(0, |(_, old)| theirs(&old.theirs)) }
    };
    let parts = [summed(Part::Counters, |theirs| theirs.counters), summed(Part::Bitmap, |theirs| theirs.bitmap)];
    let (counters, bitmap) = (parts[0].len as usize, parts[1].len as usize);
    // Time stamps are looked up by record, so all counters must be at hand.
    let largest = counters.max(bitmap);
    let block = if variant.has(Variant::TEMPORAL) { largest } else { largest.min(BLOCK) };
    let kept = match &mut given {
        Some(given) if variant.counter_size() == 8 => {
            given.counters = pages(counters)?;
            given.counters.bytes_mut()
        }
        _ => &mut [],
    };
    let (ours, theirs, odd) = (pages(block)?, pages(block)?, Odd { count: 0, first: 0 });
    let mut merging = Merging { sink, job, parts, variant, at: 0, ours, theirs, kept, odd };
    // SAFETY: the caller's image and plan.
    unsafe { raw::write(job.image, job.plan, &mut merging) }?;
    let Merging { sink, odd, .. } = merging;
    let records = with_sites(valued(job.image, job.plan));
    match uniter() {
        _ if records.is_empty() => {}
        Some(unite) => {
            let had = job.already_written.map_or(&[][..], |had| had.values.bytes());
            let live = unite(records, job.old.map(|(_, old)| old), had, sink)?;
            if let Some(given) = given {
                given.values = live;
            }
        }
        None => data::write_none(records, sink)?,
    }
    Ok(odd)
}

/// From the first record that has value sites to the last: many programs have none, and the records are walked several times.
fn with_sites(records: &[Record]) -> &[Record] {
    let Some(first) = records.iter().position(has_sites) else { return &[] };
    let end = records.iter().rposition(has_sites).map_or(0, |last| last.wrapping_add(1));
    records.get(first..end).unwrap_or(&[])
}

/// A part of which the sum is written.
#[derive(Clone, Copy)]
struct Summed {
    part: Part,
    /// Its place in the profile.
    at: u64,
    len: u64,
    /// Its place in the old one.
    theirs: u64,
}

/// A sink that replaces counters and bitmaps by sums on their way.
struct Merging<'a> {
    sink: &'a mut dyn Sink,
    job: &'a Job<'a>,
    parts: [Summed; 2],
    variant: Variant,
    /// Bytes of the profile so far.
    at: u64,
    ours: Pages,
    theirs: Pages,
    /// What is kept of the image's own counters; nothing where nobody wants that.
    kept: &'a mut [u8],
    odd: Odd,
}

impl Sink for Merging<'_> {
    unsafe fn put(&mut self, span: Span) -> Result {
        // SAFETY: this function's contract.
        unsafe { self.write(&[span]) }
    }

    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        let mut rest = spans;
        // Those at the start of the rest that go on as they are.
        let mut plain: usize = 0;
        while let Some(span) = rest.get(plain) {
            let (at, len) = (self.at, span.len as u64);
            self.at = at.wrapping_add(len);
            // The writer hands each part over as one span.
            let Some(part) = self.parts.iter().find(|part| len > 0 && part.at == at && part.len == len) else {
                plain = plain.wrapping_add(1);
                continue;
            };
            let part = *part;
            let (before, others) = rest.split_at_checked(plain).unwrap_or_default();
            // SAFETY: this function's contract.
            unsafe { self.hand_on(before) }?;
            self.write_sum(part, *span)?;
            rest = others.get(1..).unwrap_or_default();
            plain = 0;
        }
        // SAFETY: this function's contract.
        unsafe { self.hand_on(rest) }
    }
}

impl Merging<'_> {
    /// # Safety
    /// The spans must be readable.
    unsafe fn hand_on(&mut self, spans: &[Span]) -> Result {
        // SAFETY: this function's contract.
        if spans.is_empty() { Ok(()) } else { unsafe { self.sink.write(spans) } }
    }

    /// Writes one part, piece by piece.
    fn write_sum(&mut self, part: Summed, span: Span) -> Result {
        let job = self.job;
        let block = self.ours.bytes().len();
        // Zeros add nothing, and need not be read. (For byte counters they say "covered", and stamps are looked up.)
        let is_bitmap = part.part == Part::Bitmap;
        let sums = is_bitmap || self.variant.counter_size() == 8 && !self.variant.has(Variant::TEMPORAL);
        // Whether the old file has a hole, and up to where that holds: it takes long to find out where there is none for long.
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
            // Holes are whole pages, but who knows every file system.
            let whole = usize::try_from(known.wrapping_sub(at)).unwrap_or(usize::MAX) & !7;
            if whole > 0 {
                live = live.prefix(whole);
                source = source.filter(|_| !in_hole);
            }
            // Where the file has nothing, and nothing is to be remembered or taken off, what is written is what is there.
            let alone = sums
                && source.is_none()
                && job.already_written.is_none()
                && self.kept.is_empty()
                // SAFETY: the section is readable, and its counters are aligned.
                && (is_bitmap || unsafe { any_of(live) } <= counters::LARGEST);
            let sum = if alone { live } else { self.sum(&part, live, done, source)? };
            // SAFETY: readable, or memory of our own.
            unsafe { self.sink.write(&[sum]) }?;
            done = done.wrapping_add(live.len);
        }
        Ok(())
    }

    /// What stands `done` bytes behind the start of a part united with what the source has there, in memory of our own.
    fn sum(&mut self, part: &Summed, live: Span, done: usize, source: Option<&dyn Source>) -> Result<Span> {
        let Merging { job, ours, theirs, kept, variant, .. } = self;
        let room = ours.bytes_mut().get_mut(..live.len).unwrap_or_default();
        // SAFETY: memory of our own; the section is readable, and is copied by an instruction that does not mind threads
        // that write to it.
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
        let had = job.already_written.and_then(|had| had.counters.bytes().get(done..)).unwrap_or(&[]);
        let mut odd = (0, 0);
        if is_bitmap {
            counters::or(room, theirs);
        } else if variant.has(Variant::TEMPORAL) {
            // SAFETY: an image of this process, by the contract of `write`.
            odd = stamped(unsafe { records(job.image.data) }, job.image, *variant, ours, theirs, had);
        } else if variant.counter_size() == 1 {
            counters::and(room, theirs);
        } else {
            odd = counters::unite(ours.words_mut().get_mut(..live.len / 8).unwrap_or_default(), theirs, had);
        }
        if self.odd.count == 0 {
            self.odd.first = (done / 8).wrapping_add(odd.1);
        }
        self.odd.count = self.odd.count.wrapping_add(odd.0);
        Ok(Span::of(ours.bytes()).prefix(live.len))
    }
}

/// All bits that are set in any of these counters, or all there are where words are shorter.
///
/// # Safety
/// They must be readable and aligned.
unsafe fn any_of(counters: Span) -> u64 {
    if size_of::<usize>() < 8 {
        return u64::MAX;
    }
    // SAFETY: this function's contract. Atomic, for threads that count in them.
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

/// Unites all counters of a temporal profile, function by function.
fn stamped(
    records: &[Record],
    image: &Image,
    variant: Variant,
    ours: &mut Pages,
    theirs: &[u8],
    had: &[u8],
) -> (u64, usize) {
    let mut all = (0u64, 0usize);
    for record in records {
        let Place { stamp, counters: range } = place(record, image, variant);
        let (theirs_here, had_here) = (theirs.get(range.clone()).unwrap_or(&[]), had.get(range.clone()).unwrap_or(&[]));
        if variant.counter_size() == 1 {
            let ours = ours.bytes_mut().get_mut(range.clone()).unwrap_or_default();
            counters::and(ours, theirs_here);
        } else {
            let ours = ours.words_mut().get_mut(range.start / 8..range.end / 8).unwrap_or_default();
            let odd = counters::unite(ours, theirs_here, had_here);
            if all.0 == 0 {
                all.1 = (range.start / 8).wrapping_add(odd.1);
            }
            all.0 = all.0.wrapping_add(odd.0);
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
