//! Writes value data from a table of functions, which may be the program's own.

use core::mem::MaybeUninit;
use core::ptr;

use super::reader::Reader;
use crate::error::Result;
use crate::format::value_record::{WordSink, write_empty_record, write_record};
use crate::native::KINDS;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::{Record, records, site_count};
use crate::value::writer::word_stream::{WORDS, WordStream};

/// Largest number of a function's sites whose values are written: one count byte for each is on the stack, since a program without an
/// operating system has no pages. A function with more sites is written without values.
const SITES: usize = 4096;
/// Number of pairs that are read at a time.
const PAIRS: u32 = 8;

/// Writes the value data of all records between the bounds.
///
/// # Safety
/// The functions of `reader` must be callable; `data` must be the bounds of records of this archive's raw version.
pub unsafe fn write_values_of_reader(reader: &Reader, data: Span, sink: &mut dyn Sink) -> Result {
    let mut room = [MaybeUninit::<u8>::uninit(); SITES];
    let mut buffer = [0; WORDS];
    let mut stream = WordStream::new(sink, &mut buffer);
    // SAFETY: the bounds of records of this raw version, by this function's contract.
    for record in unsafe { records(data) } {
        let sites = site_count(record);
        if sites > SITES {
            write_empty_record(&mut stream, &record.num_value_sites)?;
            continue;
        }
        // A table of the program might not set the counts. Volatile, since a plain loop may become a call of `memset`.
        for count in room.iter_mut().take(sites) {
            // SAFETY: an element of the array.
            unsafe { count.as_mut_ptr().write_volatile(0) };
        }
        let first = room.as_mut_ptr().cast::<u8>();
        let mut arrays = [ptr::null_mut(); KINDS];
        let mut next = first;
        for (array, sites) in arrays.iter_mut().zip(record.num_value_sites) {
            *array = next;
            next = next.wrapping_add(usize::from(sites));
        }
        // SAFETY: the functions of `reader` are callable by this function's contract; the arrays have a byte for each site.
        if sites > 0 && unsafe { (reader.begin)(record, arrays.as_mut_ptr()) } > 0 {
            // SAFETY: the loop above has initialized the first `sites` bytes of the array, which has at least as many.
            let counts = unsafe { core::slice::from_raw_parts(first, sites) };
            write_selected(reader, record, counts, &mut stream)?;
        }
    }
    stream.flush()
}

/// Writes the value record of the function that `reader` has selected. `counts`: the number of values of each site.
fn write_selected(reader: &Reader, record: &Record, counts: &[u8], stream: &mut WordStream<'_>) -> Result {
    let pairs = counts.iter().fold(0, |sum: u64, count| sum.wrapping_add(u64::from(*count)));
    let (mut to_count, mut to_write) = (counts.iter().copied(), counts.iter().copied());
    write_record(
        stream,
        &record.num_value_sites,
        pairs,
        || to_count.next().unwrap_or(0),
        |stream, kind, site| write_site(reader, kind, site, u32::from(to_write.next().unwrap_or(0)), stream),
    )
}

/// Writes the first `left` pairs of a site.
fn write_site(reader: &Reader, kind: u32, site: u32, mut left: u32, stream: &mut WordStream<'_>) -> Result {
    let mut next = ptr::null();
    while left > 0 {
        let now = if left < PAIRS { left } else { PAIRS };
        let mut pairs = [[0; 2]; PAIRS as usize];
        // SAFETY: callable by the contract of `write_values_of_reader`, which has selected this function; `pairs` has space for `now` pairs.
        next = unsafe { (reader.pairs)(kind, site, pairs.as_mut_ptr(), next, now) };
        for [value, count] in pairs.into_iter().take(now as usize) {
            stream.word(value)?;
            stream.word(count)?;
        }
        left = left.wrapping_sub(now);
    }
    Ok(())
}
