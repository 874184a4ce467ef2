//! Writes value data from a table of functions, which may be the program's own.

use core::mem::MaybeUninit;
use core::ptr;

use super::reader::Reader;
use crate::error::Result;
use crate::native::KINDS;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::{Record, records, site_count};
use crate::value::writer::word_stream::kind_header::put_kind_header;
use crate::value::writer::word_stream::{WORDS, WordStream, record_header};

/// Largest number of a function's sites whose values are written: one count byte for each is on the stack, since a program without an
/// operating system has no pages. A function with more sites is written without values.
const SITES: usize = 4096;
/// Number of pairs that are read at a time.
const PAIRS: u32 = 8;

/// The numbers of values of a function's sites: one byte for each site, kind after kind.
struct Counts {
    arrays: [*mut u8; KINDS],
    /// Whether the function has too many sites, so that all numbers are 0.
    none: bool,
}

impl Counts {
    /// Returns the number of values of a site of the record.
    fn of(&self, kind: usize, site: usize) -> u8 {
        match self.arrays.get(kind) {
            // SAFETY: the arrays have a byte for each site of the record, which `write` has set.
            Some(array) if !self.none => unsafe { *array.wrapping_add(site) },
            _ => 0,
        }
    }
}

/// Writes the value data of all records between the bounds.
///
/// # Safety
/// The functions of `reader` must be callable; `data` must be the bounds of records of this archive's raw version.
pub unsafe fn write(reader: &Reader, data: Span, sink: &mut dyn Sink) -> Result {
    let mut room = [MaybeUninit::<u8>::uninit(); SITES];
    let mut buffer = [0; WORDS];
    let mut stream = WordStream::new(sink, &mut buffer);
    // SAFETY: the caller's bounds.
    for record in unsafe { records(data) }.iter().filter(|record| site_count(record) > 0) {
        // A table of the program might not set the counts. Volatile, since a plain loop may become a call of `memset`.
        for count in room.iter_mut().take(site_count(record)) {
            // SAFETY: a place for a byte.
            unsafe { count.as_mut_ptr().write_volatile(0) };
        }
        let mut counts = Counts { arrays: [ptr::null_mut(); KINDS], none: site_count(record) > SITES };
        let mut next = room.as_mut_ptr().cast::<u8>();
        for (kind, array) in counts.arrays.iter_mut().enumerate() {
            *array = next;
            next = next.wrapping_add(sites(record, kind));
        }
        // SAFETY: the functions of `reader` are callable by this function's contract; the arrays have a byte for each site.
        if counts.none || unsafe { (reader.begin)(record, counts.arrays.as_mut_ptr()) } > 0 {
            write_record(reader, record, &counts, &mut stream)?;
        }
    }
    stream.flush()
}

fn sites(record: &Record, kind: usize) -> usize {
    record.num_value_sites.get(kind).map_or(0, |sites| usize::from(*sites))
}

fn write_record(reader: &Reader, record: &Record, counts: &Counts, stream: &mut WordStream<'_>) -> Result {
    let mut pairs: u32 = 0;
    for kind in 0..KINDS {
        pairs = (0..sites(record, kind)).fold(pairs, |sum, site| sum.wrapping_add(u32::from(counts.of(kind, site))));
    }
    stream.put(record_header(record, pairs))?;
    for kind in (0..KINDS).filter(|kind| sites(record, *kind) > 0) {
        let all = sites(record, kind);
        put_kind_header(stream, kind, all, &|site| counts.of(kind, site))?;
        for site in 0..all {
            write_site(reader, kind as u32, site as u32, u32::from(counts.of(kind, site)), stream)?;
        }
    }
    Ok(())
}

/// Writes the first `left` pairs of a site.
fn write_site(reader: &Reader, kind: u32, site: u32, mut left: u32, stream: &mut WordStream<'_>) -> Result {
    let mut next = ptr::null();
    while left > 0 {
        let now = if left < PAIRS { left } else { PAIRS };
        let mut pairs = [[0; 2]; PAIRS as usize];
        // SAFETY: callable by the contract of `write`, which has selected this function; `pairs` has space for `now` pairs.
        next = unsafe { (reader.pairs)(kind, site, pairs.as_mut_ptr(), next, now) };
        for [value, count] in pairs.into_iter().take(now as usize) {
            stream.put(value)?;
            stream.put(count)?;
        }
        left = left.wrapping_sub(now);
    }
    Ok(())
}
