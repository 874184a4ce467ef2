//! Writes value data from functions of a program, which may be those of [`crate::value::reader`].

#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::ptr;

use super::word_stream::{WORDS, WordStream};
use crate::error::Result;
use crate::format::value_record::{WordSink, write_empty_record, write_record};
use crate::native::KINDS;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::{Record, records, site_count};
use crate::value::reader::{Begin, Pairs};

/// The largest number of a function's sites whose values are written: one count byte for each is on the stack, since a program without an
/// operating system has no pages. A function with more sites is written without values.
const SITES: usize = 4096;
/// The number of pairs that are read at a time.
const PAIRS: u8 = 8;

/// Writes the value data of all records between the bounds.
///
/// # Safety
/// Both functions must be callable; `data` must be the bounds of records of this archive's raw version.
pub unsafe fn write_foreign_values(begin: Begin, pairs: Pairs, data: Span, sink: &mut dyn Sink) -> Result {
    let mut buffer = [0; WORDS];
    let mut stream = WordStream::new(sink, &mut buffer);
    // SAFETY: the bounds of records of this raw version, by this function's contract.
    for record in unsafe { records(data) } {
        let sites = site_count(record);
        if sites > SITES {
            write_empty_record(&mut stream, &record.num_value_sites)?;
        } else if sites > 0 {
            let mut counts = [const { MaybeUninit::<u8>::uninit() }; SITES];
            let counts = counts.get_mut(..sites).unwrap_or_default();
            // Zeros, because a function of the program might not set the counts. One by one: a freestanding program has no `memset`.
            for count in counts.iter_mut() {
                // SAFETY: an element of the array.
                unsafe { count.as_mut_ptr().write_volatile(0) };
            }
            // SAFETY: the loop above has initialized every element of the slice.
            let counts = unsafe { &mut *(ptr::from_mut(counts) as *mut [u8]) };
            write_record_of(begin, pairs, record, counts, &mut stream)?;
        }
    }
    stream.flush()
}

/// Writes the value record of a function, unless the program's function finds no kinds. `counts` has a byte for each site. The functions must
/// be callable.
#[inline(always)]
fn write_record_of(
    begin: Begin,
    pairs: Pairs,
    record: &Record,
    counts: &mut [u8],
    stream: &mut WordStream<'_>,
) -> Result {
    let mut arrays = [ptr::null_mut(); KINDS];
    let mut next = counts.as_mut_ptr();
    for (array, sites) in arrays.iter_mut().zip(record.num_value_sites) {
        *array = next;
        next = next.wrapping_add(usize::from(sites));
    }
    // SAFETY: callable by the contract of `write_foreign_values`; the arrays have a byte for each site.
    if unsafe { begin(record, arrays.as_mut_ptr()) } == 0 {
        return Ok(());
    }
    write_record(stream, &record.num_value_sites, counts, |stream, kind, site, mut left| {
        let mut next = ptr::null();
        while left > 0 {
            let now = left.min(PAIRS);
            let mut list = [[0; 2]; PAIRS as usize];
            // SAFETY: callable by the contract of `write_foreign_values`, after `begin` of this function; `list` has space for `now` pairs.
            next = unsafe { pairs(kind, site, list.as_mut_ptr(), next, now.into()) };
            for [value, count] in list.into_iter().take(now.into()) {
                stream.word(value)?;
                stream.word(count)?;
            }
            left = left.wrapping_sub(now);
        }
        Ok(())
    })
}
