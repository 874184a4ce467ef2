//! Writes the value data of an image on hosted systems, while other threads continue to count.
//!
//! A write counts the values of a site once, before it writes the pairs. Nodes are only added at the end of a list, so it finds as
//! many pairs later.

#![allow(unsafe_code)]

use super::limits::{Budget, ScratchMemory};
use super::word_stream::kind_header::put_kind_header;
use super::word_stream::{WORDS, WordStream, record_header};
use crate::error::Result;
use crate::format::node::not_negative;
use crate::format::value::{MAX_VALUES_PER_SITE, halves, kind_header_size};
use crate::native::{KINDS, Record};
use crate::sink::Sink;
use crate::sync::Ordering;
use crate::value::COUNTS;
use crate::value::node::{self, Head, has_sites, heads, site_count, values_at};
use crate::value::optional::provide;
use crate::value::thread_counts::tables;

/// The size of the mapped buffer in bytes: as much as one system call should take.
const BUFFER_BYTES: usize = 256 * 1024;

/// Writes the value record of a function to the start of `room`. Returns its words, and the rest of the budget. `None` when the record
/// does not fit.
fn fill(record: &Record, mut budget: u64, room: &mut [u64]) -> Option<(usize, u64)> {
    let whole = room.len();
    let (total, mut rest) = room.split_first_mut()?;
    let mut heads = heads(record);
    let mut kinds: u32 = 0;
    for (kind, &sites) in record.num_value_sites.iter().enumerate() {
        if sites == 0 {
            continue;
        }
        kinds = kinds.wrapping_add(1);
        let words = kind_header_size(u32::from(sites)) as usize / 8;
        let (header, mut pairs) = rest.split_at_mut_checked(words)?;
        let (first, counts) = header.split_first_mut()?;
        *first = halves(kind as u32, u32::from(sites));
        let (own, others) = heads.split_at_checked(usize::from(sites)).unwrap_or((&[], &[]));
        heads = others;
        // Sites without heads, and the padding bytes after the last site, get 0.
        let mut own = own.iter();
        for word in counts.iter_mut() {
            let mut bytes = [0u8; 8];
            for byte in &mut bytes {
                let Some(head) = own.next() else { break };
                let most = budget.min(MAX_VALUES_PER_SITE) as usize;
                let before = pairs.len();
                pairs = if tables::any() {
                    fill_pairs::<true>(head, most, pairs)?
                } else {
                    fill_pairs::<false>(head, most, pairs)?
                };
                let values = before.wrapping_sub(pairs.len()) / 2;
                *byte = values as u8;
                budget = budget.wrapping_sub(values as u64);
            }
            *word = u64::from_ne_bytes(bytes);
        }
        rest = pairs;
    }
    let words = whole.wrapping_sub(rest.len());
    *total = halves(words.wrapping_mul(8) as u32, kinds);
    Some((words, budget))
}

/// Writes the first `most` values of a site and their counts to the start of `room`. Returns the rest of `room`. `THREADS`: whether
/// threads have counts in cells.
#[inline(always)]
fn fill_pairs<'a, const THREADS: bool>(head: &Head, most: usize, room: &'a mut [u64]) -> Option<&'a mut [u64]> {
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
        *count = not_negative(if THREADS { node.total() } else { node.count.load(Ordering::Relaxed) });
        next = node.following();
    }
    let values = limit.wrapping_sub(pairs.len());
    room.get_mut(values.wrapping_mul(2)..)
}

/// Pointer to [`write()`]. The first record has sites.
pub type HostedWriter = fn(&[Record], Budget, ScratchMemory, &mut dyn Sink) -> Result;

provide!("profrt_values_write");

/// Writes the value data of all records, in their order, at most `budget` pairs.
#[cfg_attr(feature = "archive", unsafe(export_name = "profrt_values_write"))]
pub fn write(records: &[Record], mut budget: Budget, scratch: ScratchMemory, sink: &mut dyn Sink) -> Result {
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
        if put_record(&mut stream, record, budget) {
            continue;
        }
        // Again with an empty buffer. A record that does not fit into that is written in pieces.
        stream.flush()?;
        if !put_record(&mut stream, record, budget) {
            write_record(record, budget, scratch, &mut stream)?;
        }
    }
    stream.flush()
}

/// Writes a complete record into the buffer, and walks each list once. Returns `false` and changes nothing where there is no space.
fn put_record(stream: &mut WordStream<'_>, record: &Record, budget: &mut Budget) -> bool {
    let Some((words, left)) = fill(record, budget.0, stream.free()) else { return false };
    stream.advance(words);
    budget.0 = left;
    true
}

/// Writes a record in pieces, with memory for the counts of its sites from `scratch` or from the stack.
fn write_record(record: &Record, budget: &mut Budget, scratch: ScratchMemory, stream: &mut WordStream<'_>) -> Result {
    let sites = site_count(record);
    if sites > COUNTS
        && let ScratchMemory::Pages(map, unmap) = scratch
        && let Some(pages) = map(sites)
    {
        // SAFETY: fresh zeroed pages of at least this many bytes that nobody else knows of.
        let kept = unsafe { core::slice::from_raw_parts_mut(pages, sites) };
        let written = write_pieces(record, kept, budget, stream);
        unmap(pages, sites);
        return written;
    }
    // Clears only what is used, and byte by byte: a freestanding program has no `memset`.
    let mut kept = [core::mem::MaybeUninit::<u8>::uninit(); COUNTS];
    let kept = kept.get_mut(..sites.min(COUNTS)).unwrap_or_default();
    for count in kept.iter_mut() {
        // SAFETY: an element of the array.
        unsafe { count.as_mut_ptr().write_volatile(0) };
    }
    // SAFETY: the loop above has initialized every element of the slice.
    let kept = unsafe { &mut *(core::ptr::from_mut(kept) as *mut [u8]) };
    write_pieces(record, kept, budget, stream)
}

/// Writes a record in pieces, and keeps the counts of its sites in `kept`. Leaves out the values of sites beyond that.
fn write_pieces(record: &Record, kept: &mut [u8], budget: &mut Budget, stream: &mut WordStream<'_>) -> Result {
    let heads = heads(record);
    let mut pairs: u32 = 0;
    for (head, count) in heads.iter().zip(kept.iter_mut()) {
        let values = u64::from(values_at(head)).min(budget.0);
        *count = values as u8;
        budget.0 = budget.0.wrapping_sub(values);
        pairs = pairs.wrapping_add(values as u32);
    }
    stream.put(record_header(record, pairs))?;
    let mut first: usize = 0;
    for kind in 0..KINDS {
        let sites = usize::from(record.num_value_sites.get(kind).copied().unwrap_or(0));
        if sites == 0 {
            continue;
        }
        let counts = |site: usize| kept.get(first.wrapping_add(site)).copied().unwrap_or(0);
        put_kind_header(stream, kind, sites, &counts)?;
        for site in 0..sites {
            let Some(head) = heads.get(first.wrapping_add(site)) else { break };
            for node in node::nodes(head).take(usize::from(counts(site))) {
                stream.put(node.value.load(Ordering::Relaxed))?;
                stream.put(not_negative(node.total()))?;
            }
        }
        first = first.wrapping_add(sites);
    }
    Ok(())
}
