//! Writes the profile of this image with the counts of a profile in a file added, as a stream: nothing in memory changes.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicUsize, Ordering};

use super::check::Theirs;
use super::counters;
use super::pages::{Pages, pages};
use super::source::{Pieces, Source};
use super::stamps::{Place, place};
use super::valued::{Read, Unite};
use crate::dump::valued;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::layout::{Chunk, Part, Plan};
use crate::os;
use crate::raw;
use crate::sections::Image;
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::span::Span;
use crate::value::data;
use crate::value::linked::linked;
use crate::value::node::{Record, has_sites, records};

/// What this process has given to a file: its counters and its value data at that time.
#[derive(Debug)]
pub struct Given {
    counters: Pages,
    values: Pages,
}

impl Given {
    /// Nothing.
    pub const NOTHING: Given = Given { counters: Pages::EMPTY, values: Pages::EMPTY };
}

/// Whether the file can still hold what it was given: every counter of it is at least as large. When not, it is another
/// file of that name, made after the one we wrote to was taken away. (Time stamps do not tell: the earliest stays.) `plan` is that
/// of our image.
pub fn holds(source: &dyn Source, old: &Old, plan: &Plan, given: &Given, scratch: &mut [u8]) -> Result<bool> {
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
    /// What of it this process has given.
    pub had: Option<&'a Given>,
    /// Whether the result says what the file then has from this process.
    pub keep: bool,
}

/// How a write went.
#[derive(Debug)]
pub struct Written {
    /// What the file now has from this process, if that was asked for.
    pub given: Given,
    /// Counters that are more than readers accept, and were held to that.
    pub odd: u64,
    /// Which of the image's counters is the first of them.
    pub first_odd: usize,
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
        Some(read) => read(source, from, len, records)?,
        // Nothing here counts values: a file that has some is another program's.
        None if len == 0 || len == data::size(records, 0) => Pages::EMPTY,
        None => return Err(Error::FOREIGN),
    };
    Ok(Old { theirs, values })
}

/// Writes the sum.
///
/// # Safety
/// `image` must be an image of this process, `plan` its plan, and `old` the profile in `source`, which is one of this image.
pub unsafe fn write(job: &Job<'_>, sink: &mut dyn Sink) -> Result<Written> {
    // SAFETY: the caller's image.
    let all = unsafe { records(job.image.data) };
    let variant = Variant(job.plan.header.version);
    let whole = job.plan.chunk(Part::Counters).len as usize;
    // Time stamps are looked up by record, so all counters must be at hand.
    let largest = whole.max(job.plan.chunk(Part::Bitmap).len as usize);
    let block = if variant.has(Variant::TEMPORAL) { largest } else { largest.min(BLOCK) };
    let keeps = job.keep && variant.counter_size() == 8;
    let mut merging = Merging {
        sink,
        job,
        all,
        variant,
        at: 0,
        ours: pages(block)?,
        theirs: pages(block)?,
        written: Written { given: Given::NOTHING, odd: 0, first_odd: 0 },
    };
    if keeps {
        merging.written.given.counters = pages(whole)?;
    }
    // SAFETY: the caller's image and plan.
    unsafe { raw::write(job.image, job.plan, &mut merging) }?;
    let Merging { sink, mut written, .. } = merging;
    let records = with_sites(valued(job.image, job.plan));
    if records.is_empty() {
        return Ok(written);
    }
    match uniter() {
        Some(unite) => {
            let old = job.old.map(|(_, old)| old);
            let live = unite(records, old, job.had.map_or(&[][..], |had| had.values.bytes()), sink)?;
            if job.keep {
                written.given.values = live;
            }
        }
        None => data::write_none(records, sink)?,
    }
    Ok(written)
}

/// From the first record that has value sites to the last: many programs have none, and the records are walked several times.
fn with_sites(records: &[Record]) -> &[Record] {
    let Some(first) = records.iter().position(has_sites) else { return &[] };
    let end = records.iter().rposition(has_sites).map_or(0, |last| last.wrapping_add(1));
    records.get(first..end).unwrap_or(&[])
}

/// A sink that replaces counters and bitmaps by sums on their way.
struct Merging<'a> {
    sink: &'a mut dyn Sink,
    job: &'a Job<'a>,
    all: &'a [Record],
    variant: Variant,
    /// Bytes of the profile so far.
    at: u64,
    ours: Pages,
    theirs: Pages,
    written: Written,
}

impl Sink for Merging<'_> {
    unsafe fn put(&mut self, span: Span) -> Result {
        // SAFETY: this function's contract.
        unsafe { self.write(&[span]) }
    }

    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        let (counters, bitmap) = (self.job.plan.chunk(Part::Counters), self.job.plan.chunk(Part::Bitmap));
        let mut rest = spans;
        let mut plain: usize = 0;
        for (index, span) in spans.iter().enumerate() {
            let at = self.at;
            self.at = at.wrapping_add(span.len as u64);
            // The writer hands each part over as one span.
            let is = |chunk: &Chunk| span.len > 0 && chunk.offset == at && chunk.len == span.len as u64;
            let part = if is(&counters) {
                counters
            } else if is(&bitmap) {
                bitmap
            } else {
                continue;
            };
            let before = rest.get(..index.wrapping_sub(plain)).unwrap_or(&[]);
            if !before.is_empty() {
                // SAFETY: this function's contract.
                unsafe { self.sink.write(before) }?;
            }
            self.write_sum(part, *span)?;
            plain = index.wrapping_add(1);
            rest = spans.get(plain..).unwrap_or(&[]);
        }
        // SAFETY: this function's contract.
        if rest.is_empty() { Ok(()) } else { unsafe { self.sink.write(rest) } }
    }
}

impl Merging<'_> {
    /// Writes one part, piece by piece.
    fn write_sum(&mut self, part: Chunk, span: Span) -> Result {
        let Merging { sink, job, ours, theirs, written, .. } = self;
        let bytes = part.part == Part::Bitmap || self.variant.counter_size() == 1;
        let block = ours.bytes().len();
        let mut done: usize = 0;
        // Whether the old file has a hole, and up to where that holds: it takes long to find out where there is none for long.
        let (mut in_hole, mut known) = (false, 0u64);
        if span.len >= HUGE {
            os::prefetch(span.start.addr(), span.len);
        }
        while done < span.len {
            let live = span.skip(done).prefix(block);
            let place = job.old.map(|(_, Old { theirs, .. })| {
                let from = if part.part == Part::Bitmap { theirs.bitmap } else { theirs.counters };
                from.wrapping_add(done as u64)
            });
            // Zeros add nothing, and need not be read. (For byte counters they say "covered", and stamps are looked up.)
            let sums = !bytes && !self.variant.has(Variant::TEMPORAL) || part.part == Part::Bitmap;
            if done as u64 >= known {
                let (is_hole, len) = match (job.old, place) {
                    (Some((source, _)), Some(place)) if sums && span.len >= HUGE => {
                        source.extent(place, in_hole && done as u64 == known)
                    }
                    _ => (false, u64::MAX),
                };
                (in_hole, known) = (is_hole, len.saturating_add(done as u64));
            }
            let (hole, len) = (in_hole, known.wrapping_sub(done as u64));
            // Holes are whole pages, but who knows every file system.
            let whole = usize::try_from(len).unwrap_or(usize::MAX) & !7;
            let (hole, live) = if whole > 0 { (hole, live.prefix(whole)) } else { (false, live) };
            // Where the file has nothing, and nothing is to be remembered or taken off, what is written is what is there.
            let alone =
                (hole || job.old.is_none()) && sums && job.had.is_none() && written.given.counters.bytes().is_empty();
            // SAFETY: the section is readable, and its counters are aligned.
            if alone && (part.part == Part::Bitmap || unsafe { any_of(live) } <= counters::LARGEST) {
                // SAFETY: as above.
                unsafe { sink.write(&[live]) }?;
                done = done.wrapping_add(live.len);
                continue;
            }
            let room = ours.bytes_mut().get_mut(..live.len).unwrap_or_default();
            // SAFETY: memory of our own; the section is readable, and is copied by an instruction that does not mind threads
            // that write to it.
            unsafe { Buffer::new(room.as_mut_ptr(), room.len()).write(&[live]) }?;
            if !bytes && let Some(kept) = written.given.counters.bytes_mut().get_mut(done..done.wrapping_add(live.len))
            {
                // SAFETY: memory of our own; the two do not overlap.
                unsafe { Buffer::new(kept.as_mut_ptr(), kept.len()).write(&[Span::of(room)]) }?;
            }
            let theirs = match (job.old, place) {
                (Some((source, _)), Some(place)) if !hole => Some(source.bytes(place, live.len, theirs.bytes_mut())?),
                _ => None,
            };
            let had = job.had.and_then(|had| had.counters.bytes().get(done..));
            let mut odd = (0, 0);
            if part.part == Part::Bitmap {
                counters::or(room, theirs.unwrap_or(&[]));
            } else if self.variant.has(Variant::TEMPORAL) {
                odd = stamped(self.all, job.image, self.variant, ours, theirs, had);
            } else if bytes {
                counters::and(room, theirs.unwrap_or(&[]));
            } else {
                odd = counters::unite(ours.words_mut().get_mut(..live.len / 8).unwrap_or_default(), theirs, had);
            }
            if written.odd == 0 && odd.0 > 0 {
                written.first_odd = (done / 8).wrapping_add(odd.1);
            }
            written.odd = written.odd.wrapping_add(odd.0);
            let room = ours.bytes().get(..live.len).unwrap_or(&[]);
            // SAFETY: memory of our own.
            unsafe { sink.write(&[Span::of(room)]) }?;
            done = done.wrapping_add(live.len);
        }
        Ok(())
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
    theirs: Option<&[u8]>,
    had: Option<&[u8]>,
) -> (u64, usize) {
    let mut all = (0u64, 0usize);
    for record in records {
        let Place { stamp, counters: range } = place(record, image, variant);
        let theirs_here = theirs.and_then(|theirs| theirs.get(range.clone()));
        let had_here = had.and_then(|had| had.get(range.clone()));
        if variant.counter_size() == 1 {
            let ours = ours.bytes_mut().get_mut(range.clone()).unwrap_or_default();
            counters::and(ours, theirs_here.unwrap_or(&[]));
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
            && let Some(their) = theirs.and_then(|theirs| theirs.get(at..)).and_then(<[u8]>::first_chunk)
        {
            *our = counters::earlier(u64::from_ne_bytes(*our), u64::from_ne_bytes(*their)).to_ne_bytes();
        }
    }
    all
}
