//! Writes the profile of this image with the counts of a profile in a file added, as a stream: nothing in memory changes.

#![allow(unsafe_code)]

use super::check::Theirs;
use super::counters;
use super::live::first_counter;
use super::pages::Pages;
use super::source::{Source, in_pieces};
use super::values::{self, Streams};
use crate::dump::valued;
use crate::error::{Error, Result};
use crate::format::Variant;
use crate::layout::{Chunk, Part, Plan};
use crate::os;
use crate::raw;
use crate::sections::Image;
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::sink::count::Count;
use crate::span::Span;
use crate::value::node::{Record, records};
use crate::value::serialize::{self, Budget, Scratch};

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
/// file of that name, made after the one we wrote to was taken away. (Time stamps do not tell: the earliest stays.)
pub fn holds(source: &dyn Source, old: &Old, given: &Given, scratch: &mut [u8]) -> Result<bool> {
    let plan = &old.theirs.plan;
    let (chunk, given) = (plan.chunk(Part::Counters), given.counters.words());
    if given.is_empty() || Variant(plan.header.version).has(Variant::TEMPORAL) {
        return Ok(true);
    }
    let mut all = true;
    in_pieces(source, chunk.offset, chunk.len, 8, scratch, |at, bytes| {
        all &= counters::have(bytes, given.get(at as usize / 8..).unwrap_or(&[]));
        Ok(())
    })?;
    Ok(all)
}

/// What the file has from earlier runs.
#[derive(Debug)]
pub struct Old {
    /// The profile's plan and addresses.
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

fn pages(len: usize) -> Result<Pages> {
    Pages::new(len).ok_or(Error::Os(libc::ENOMEM))
}

/// Reads and checks the value data of a profile that passed [`super::check::check`].
///
/// # Safety
/// `image` must be an image of this process.
pub unsafe fn old(source: &dyn Source, theirs: Theirs, image: &Image) -> Result<Old> {
    let from = theirs.plan.fixed_size();
    let len = usize::try_from(source.size().wrapping_sub(from)).map_err(|_| Error::Overflow)?;
    let mut values = pages(len)?;
    source.bytes(from, len, values.bytes_mut())?;
    // SAFETY: the caller's image.
    values::check(values.bytes(), unsafe { records(image.data) })?;
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
    let block = if variant.has(Variant::TEMPORAL) { whole.max(BLOCK) } else { BLOCK };
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
    let records = valued(job.image, job.plan);
    let live = live_values(records)?;
    let old = job.old.map_or(&[][..], |(_, old)| old.values.bytes());
    let had = job.had.map_or(&[][..], |had| had.values.bytes());
    let streams = Streams { old, live: live.bytes(), had };
    let mut room = pages(old.len().saturating_add(live.bytes().len()))?;
    let rebase = job.old.map(|(_, old)| &old.theirs.rebase);
    values::merge(records, streams, rebase, room.words_mut(), sink)?;
    if job.keep {
        written.given.values = live;
    }
    Ok(written)
}

/// The value data of this process as of now.
fn live_values(records: &[Record]) -> Result<Pages> {
    const SCRATCH: Scratch = Scratch::Pages(os::map_pages, os::unmap_pages);
    let mut count = Count(0);
    serialize::write(records, Budget(u64::MAX), SCRATCH, &mut count)?;
    let mut live = pages(usize::try_from(count.0).map_err(|_| Error::Overflow)?)?;
    // Other threads may have added values since: there is room for as many as there were.
    let most = Budget(count.0.saturating_sub(serialize::size(records, 0)) / crate::format::value::PAIR);
    let room = live.bytes_mut();
    // SAFETY: the memory just made.
    let mut buffer = unsafe { Buffer::new(room.as_mut_ptr(), room.len()) };
    serialize::write(records, most, SCRATCH, &mut buffer)?;
    Ok(live)
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
        while done < span.len {
            let live = span.skip(done).prefix(block);
            let room = ours.bytes_mut().get_mut(..live.len).unwrap_or_default();
            // SAFETY: memory of our own; the section is readable, and is copied by an instruction that does not mind threads
            // that write to it.
            unsafe { Buffer::new(room.as_mut_ptr(), room.len()).write(&[live]) }?;
            if !bytes {
                if let Some(kept) = written.given.counters.bytes_mut().get_mut(done..done.wrapping_add(live.len)) {
                    // SAFETY: memory of our own; the two do not overlap.
                    unsafe { Buffer::new(kept.as_mut_ptr(), kept.len()).write(&[Span::of(room)]) }?;
                }
                if let Some(had) = job.had.and_then(|had| had.counters.bytes().get(done..)) {
                    counters::subtract(ours.words_mut().get_mut(..live.len / 8).unwrap_or_default(), had);
                }
            }
            let mut odd = (0, 0);
            if let Some((source, old)) = job.old {
                let from = old.theirs.plan.chunk(part.part).offset.wrapping_add(done as u64);
                let theirs = source.bytes(from, live.len, theirs.bytes_mut())?;
                let room = ours.bytes_mut().get_mut(..live.len).unwrap_or_default();
                match part.part {
                    Part::Bitmap => counters::or(room, theirs),
                    _ if bytes => counters::and(room, theirs),
                    _ => {
                        let words = ours.words_mut().get_mut(..live.len / 8).unwrap_or_default();
                        odd = counters::add(words, theirs);
                        if self.variant.has(Variant::TEMPORAL) {
                            stamp(self.all, job.image, words, theirs);
                        }
                    }
                }
            } else if !bytes {
                odd = counters::hold(ours.words_mut().get_mut(..live.len / 8).unwrap_or_default());
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

/// Replaces sums of time stamps, the first counters of functions, by the earlier of the two.
fn stamp(records: &[Record], image: &Image, sums: &mut [u64], theirs: &[u8]) {
    let (theirs, _) = theirs.as_chunks::<8>();
    for at in records.iter().map(|record| first_counter(record, image)) {
        if let (Some(sum), Some(theirs)) = (sums.get_mut(at), theirs.get(at)) {
            let theirs = u64::from_ne_bytes(*theirs);
            *sum = counters::earlier(sum.wrapping_sub(theirs), theirs);
        }
    }
}
