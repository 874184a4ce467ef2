//! Writes the value data of an image on hosted systems, while other threads continue to count.
//!
//! Most records are written to a buffer with one walk over each list, which is fast. A record that is larger than the buffer is written
//! word by word: the writer first counts the values of each site. Nodes are only added at the end of a list, so it finds as many
//! values later.

#![allow(unsafe_code)]

use super::word_stream::{WORDS, WordStream, with_zero_bytes};
use crate::error::Result;
use crate::format::node::not_negative;
use crate::format::value::MAX_VALUES_PER_SITE;
use crate::format::value_record::{WordSink, fill_record, write_record};
use crate::native::Record;
use crate::sink::Sink;
use crate::sync::Ordering;
use crate::value::limits::{Budget, SITES_ON_STACK, ScratchMemory};
use crate::value::node::{self, Head, has_sites, heads, site_count, values_at};
use crate::value::optional::provide;

/// The size of the mapped buffer in bytes: as much as one system call should take.
const BUFFER_BYTES: usize = 256 * 1024;

/// Pointer to [`write_live_values`]. The first record has sites.
pub type WriteLiveValues = fn(&[Record], Budget, ScratchMemory, &mut dyn Sink) -> Result;

provide!("profrt_values_write": WriteLiveValues = write_live_values);

/// Writes the value data of all records, in their order, at most `budget` pairs.
pub fn write_live_values(
    records: &[Record],
    mut budget: Budget,
    scratch: ScratchMemory,
    sink: &mut dyn Sink,
) -> Result {
    if let ScratchMemory::Pages(map, unmap) = scratch
        && let Some(pages) = map(BUFFER_BYTES)
    {
        // SAFETY: fresh zeroed pages of that size that nobody else knows of.
        let buffer = unsafe { core::slice::from_raw_parts_mut(pages.cast::<u64>(), BUFFER_BYTES / 8) };
        let written = write_through(records, &mut budget, scratch, sink, buffer);
        unmap(pages, BUFFER_BYTES);
        return written;
    }
    write_through(records, &mut budget, scratch, sink, &mut [0; WORDS])
}

/// Writes the value data of all records through `buffer`, which is not empty.
pub(in crate::value) fn write_through(
    records: &[Record],
    budget: &mut Budget,
    scratch: ScratchMemory,
    sink: &mut dyn Sink,
    buffer: &mut [u64],
) -> Result {
    let mut stream = WordStream::new(sink, buffer);
    for record in records.iter().filter(|record| has_sites(record)) {
        if put_values(&mut stream, record, budget) {
            continue;
        }
        // Again with an empty buffer. A record that does not fit into that is written word by word.
        stream.flush()?;
        if !put_values(&mut stream, record, budget) {
            write_large_record(record, budget, scratch, &mut stream)?;
        }
    }
    stream.flush()
}

/// Writes a complete value record of the control record `record` into the buffer, and walks each list once. Returns `false` and changes nothing where there is no space.
fn put_values(stream: &mut WordStream<'_>, record: &Record, budget: &mut Budget) -> bool {
    let mut heads = heads(record).iter();
    let mut left = budget.0;
    let words = fill_record(&record.num_value_sites, stream.free(), |_, room| {
        let Some(head) = heads.next() else { return Some(0) };
        let most = left.min(MAX_VALUES_PER_SITE) as usize;
        let values = copy_pairs(head, most, room)?;
        left = left.wrapping_sub(values as u64);
        Some(values)
    });
    let Some(words) = words else { return false };
    stream.advance(words);
    budget.0 = left;
    true
}

/// Copies the first `most` values of a site and their counts to the start of `room`. Returns their number; `None` without space.
#[inline(always)]
pub fn copy_pairs(head: &Head, most: usize, room: &mut [u64]) -> Option<usize> {
    // One limit for both, so that the loop checks one.
    let limit = most.min(room.len() / 2);
    let mut pairs = room.as_chunks_mut().0.get_mut(..limit)?.iter_mut();
    let mut next = node::first(head);
    while let Some(node) = next {
        let Some([value, count]) = pairs.next() else {
            if limit < most {
                return None;
            }
            break;
        };
        *value = node.value.load(Ordering::Relaxed);
        *count = not_negative(node.total());
        next = node.following();
    }
    Some(limit.wrapping_sub(pairs.len()))
}

/// Writes a record word by word, with memory for the counts of its sites from `scratch` or from the stack.
fn write_large_record(
    record: &Record,
    budget: &mut Budget,
    scratch: ScratchMemory,
    stream: &mut WordStream<'_>,
) -> Result {
    let sites = site_count(record);
    if sites > SITES_ON_STACK
        && let ScratchMemory::Pages(map, unmap) = scratch
        && let Some(pages) = map(sites)
    {
        // SAFETY: fresh zeroed pages of at least this many bytes that nobody else knows of.
        let counts = unsafe { core::slice::from_raw_parts_mut(pages, sites) };
        let written = write_counted(record, counts, budget, stream);
        unmap(pages, sites);
        return written;
    }
    with_zero_bytes::<SITES_ON_STACK, _>(sites, |counts| write_counted(record, counts, budget, stream))
}

/// Writes a record word by word, and keeps the numbers of values of its sites in `counts`. Leaves out the values of sites beyond that.
fn write_counted(record: &Record, counts: &mut [u8], budget: &mut Budget, stream: &mut WordStream<'_>) -> Result {
    for (head, count) in heads(record).iter().zip(counts.iter_mut()) {
        let values = u64::from(values_at(head)).min(budget.0);
        *count = values as u8;
        budget.0 = budget.0.wrapping_sub(values);
    }
    let mut heads = heads(record).iter();
    write_record(stream, &record.num_value_sites, counts, |stream, _, _, count| {
        let Some(head) = heads.next() else { return Ok(()) };
        for node in node::nodes(head).take(count.into()) {
            stream.word(node.value.load(Ordering::Relaxed))?;
            stream.word(not_negative(node.total()))?;
        }
        Ok(())
    })
}
