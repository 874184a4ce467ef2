//! Value data of an image as a stream of words, while other threads go on counting.
//!
//! How many values a site has is looked at once, before its pairs are written, and kept; since nodes are only added at the
//! end of a list, the pairs that follow are exactly as many.

#![allow(unsafe_code)]

use super::COUNTS;
use super::counted;
use super::data::{Budget, Scratch};
use super::node::{self, Head, has_sites, heads, site_count, values_at};
use super::optional::provide;
use super::stream::kind::put_kind;
use super::stream::{Stream, WORDS, start};
use crate::error::Result;
use crate::format::record::{KINDS, Record};
use crate::format::value::{MAX_VALUES_PER_SITE, halves, kind_header_size};
use crate::sink::Sink;
use crate::sync::Ordering;

/// Bytes of the mapped buffer: as much as one system call should take.
const BUFFER_BYTES: usize = 256 * 1024;

/// Fills the value record of a function into the start of `room`: the words it takes, and what is left of the budget. `None`
/// when it does not fit.
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
        // Sites without heads, and the bytes behind the last site, have no values.
        let mut own = own.iter();
        for word in counts.iter_mut() {
            let mut bytes = [0u8; 8];
            for byte in &mut bytes {
                let Some(head) = own.next() else { break };
                let most = budget.min(MAX_VALUES_PER_SITE) as usize;
                let before = pairs.len();
                pairs = if counted::any() {
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

/// Fills the first `most` values of a site and their counts into the start of `room`; what is left of that. `THREADS`: some
/// counts are in cells.
#[inline(always)]
fn fill_pairs<'a, const THREADS: bool>(head: &Head, most: usize, room: &'a mut [u64]) -> Option<&'a mut [u64]> {
    // One limit for both, so that the loop looks at one.
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
        *count = node::not_negative(if THREADS { node.total() } else { node.count.load(Ordering::Relaxed) });
        next = node.following();
    }
    let values = limit.wrapping_sub(pairs.len());
    room.get_mut(values.wrapping_mul(2)..)
}

/// Writes value data, from the first record that has sites on.
pub type Write = fn(&[Record], Budget, Scratch, &mut dyn Sink) -> Result;

provide!("profrt_values_write");

/// Writes the value data of all records, in their order, at most `budget` pairs.
#[cfg_attr(feature = "archive", unsafe(export_name = "profrt_values_write"))]
pub fn write(records: &[Record], mut budget: Budget, scratch: Scratch, sink: &mut dyn Sink) -> Result {
    if let Scratch::Pages(map, unmap) = scratch
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

/// The same by way of `buffer`, which is not empty.
pub(super) fn write_through(
    records: &[Record],
    budget: &mut Budget,
    scratch: Scratch,
    sink: &mut dyn Sink,
    buffer: &mut [u64],
) -> Result {
    let mut stream = Stream::new(sink, buffer);
    for record in records.iter().filter(|record| has_sites(record)) {
        if put_record(&mut stream, record, budget) {
            continue;
        }
        // Once more with an empty buffer; a record that does not fit into it then goes in pieces.
        stream.flush()?;
        if !put_record(&mut stream, record, budget) {
            write_record(record, budget, scratch, &mut stream)?;
        }
    }
    stream.flush()
}

/// Writes a whole record into the buffer, walking each list once. `false`: there is no room, and nothing has changed.
fn put_record(stream: &mut Stream<'_>, record: &Record, budget: &mut Budget) -> bool {
    let Some((words, left)) = fill(record, budget.0, stream.room()) else { return false };
    stream.filled(words);
    budget.0 = left;
    true
}

fn write_record(record: &Record, budget: &mut Budget, scratch: Scratch, stream: &mut Stream<'_>) -> Result {
    let sites = site_count(record);
    if sites > COUNTS
        && let Scratch::Pages(map, unmap) = scratch
        && let Some(pages) = map(sites)
    {
        // SAFETY: fresh zeroed pages of at least this many bytes that nobody else knows of.
        let kept = unsafe { core::slice::from_raw_parts_mut(pages, sites) };
        let written = write_with(record, kept, budget, stream);
        unmap(pages, sites);
        return written;
    }
    // No more of the array is cleared than is used, and byte by byte: a freestanding program has no `memset`.
    let mut kept = [core::mem::MaybeUninit::<u8>::uninit(); COUNTS];
    let kept = kept.get_mut(..sites.min(COUNTS)).unwrap_or_default();
    for count in kept.iter_mut() {
        // SAFETY: a place for a byte.
        unsafe { count.as_mut_ptr().write_volatile(0) };
    }
    // SAFETY: all of it was just set.
    let kept = unsafe { &mut *(core::ptr::from_mut(kept) as *mut [u8]) };
    write_with(record, kept, budget, stream)
}

/// Writes a record, keeping the counts of its sites in `kept`. Sites beyond that have no values.
fn write_with(record: &Record, kept: &mut [u8], budget: &mut Budget, stream: &mut Stream<'_>) -> Result {
    let heads = heads(record);
    let mut pairs: u32 = 0;
    for (head, count) in heads.iter().zip(kept.iter_mut()) {
        let values = u64::from(values_at(head)).min(budget.0);
        *count = values as u8;
        budget.0 = budget.0.wrapping_sub(values);
        pairs = pairs.wrapping_add(values as u32);
    }
    stream.put(start(record, pairs))?;
    let mut first: usize = 0;
    for kind in 0..KINDS {
        let sites = usize::from(record.num_value_sites.get(kind).copied().unwrap_or(0));
        if sites == 0 {
            continue;
        }
        let counts = |site: usize| kept.get(first.wrapping_add(site)).copied().unwrap_or(0);
        put_kind(stream, kind, sites, &counts)?;
        for site in 0..sites {
            let Some(head) = heads.get(first.wrapping_add(site)) else { break };
            for node in node::nodes(head).take(usize::from(counts(site))) {
                stream.put(node.value.load(Ordering::Relaxed))?;
                stream.put(node::not_negative(node.total()))?;
            }
        }
        first = first.wrapping_add(sites);
    }
    Ok(())
}
