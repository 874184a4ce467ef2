//! Writes the value data of an image on hosted systems, while other threads continue to count.
//!
//! Records are written to a mapped buffer with one walk over each list, which is fast. A record that is larger gets a larger buffer.

#![allow(unsafe_code)]

use super::word_stream::{WORDS, WordStream};
use crate::error::Result;
use crate::format::node::not_negative;
use crate::format::value::MAX_VALUES_PER_SITE;
use crate::format::value_record::{fill_record, write_empty_record};
use crate::native::Record;
use crate::os;
use crate::sink::Sink;
use crate::sync::Ordering;
use crate::value::limits::drop_value;
use crate::value::node::{self, Head, has_sites, heads, nodes};

/// The size of the first buffer in bytes: as much as one system call should take.
const BUFFER_BYTES: usize = 256 * 1024;

/// Writes the value data of all records, in their order, at most `budget` pairs.
pub fn write_live_values(records: &[Record], budget: u64, sink: &mut dyn Sink) -> Result {
    // Most programs have no sites: a write maps no memory for them.
    let first = records.iter().position(has_sites).unwrap_or(records.len());
    write_through(records.get(first..).unwrap_or_default(), budget, sink, BUFFER_BYTES)
}

/// Does the work of [`write_live_values`], with a first buffer of `first` bytes. Without memory a small buffer on the stack has to do, and a
/// record that does not fit into it is written without values.
pub(in crate::value) fn write_through(
    mut records: &[Record],
    mut budget: u64,
    sink: &mut dyn Sink,
    first: usize,
) -> Result {
    let mut size = first;
    while !records.is_empty() {
        let pages = os::map_pages(size);
        let mut stack = [0; WORDS];
        let buffer = match pages {
            // SAFETY: fresh zeroed pages of that size that nobody else knows of.
            Some(pages) => unsafe { core::slice::from_raw_parts_mut(pages.cast::<u64>(), size / 8) },
            None => &mut stack[..],
        };
        let mut stream = WordStream::new(sink, buffer);
        let mut written = put_records(&mut stream, &mut records, &mut budget);
        if let Some(pages) = pages {
            os::unmap_pages(pages, size);
            size = size.saturating_mul(2);
        } else if let Some((record, others)) = records.split_first() {
            heads(record).iter().flat_map(nodes).for_each(|_| drop_value());
            written = written.and_then(|()| write_empty_record(&mut stream, &record.num_value_sites));
            written = written.and_then(|()| stream.flush());
            records = others;
            size = first;
        }
        written?;
    }
    Ok(())
}

/// Writes records, and removes them from the list, up to one that does not fit into the buffer.
fn put_records(stream: &mut WordStream<'_>, records: &mut &[Record], budget: &mut u64) -> Result {
    while let Some((record, others)) = records.split_first() {
        if has_sites(record) && !put_values(stream, record, budget) {
            stream.flush()?;
            if !put_values(stream, record, budget) {
                return Ok(());
            }
        }
        *records = others;
    }
    stream.flush()
}

/// Writes a complete value record of the control record `record` into the buffer. Returns `false` and changes nothing where there is no space.
fn put_values(stream: &mut WordStream<'_>, record: &Record, budget: &mut u64) -> bool {
    let Some(words) = fill_values(record, stream.free(), budget) else { return false };
    stream.advance(words);
    true
}

/// Writes a complete value record of the control record `record`, with at most `budget` pairs, and walks each list once. Returns the number of words;
/// `None` where there is no space.
pub fn fill_values(record: &Record, room: &mut [u64], budget: &mut u64) -> Option<usize> {
    let mut heads = heads(record).iter();
    let mut left = *budget;
    let words = fill_record(&record.num_value_sites, room, |_, room| {
        let Some(head) = heads.next() else { return Some(0) };
        let most = left.min(MAX_VALUES_PER_SITE) as usize;
        let values = copy_pairs(head, most, room)?;
        left = left.wrapping_sub(values as u64);
        Some(values)
    })?;
    *budget = left;
    Some(words)
}

/// Copies the first `most` values of a site and their counts to the start of `room`. Returns their number; `None` without space.
#[inline(always)]
fn copy_pairs(head: &Head, most: usize, room: &mut [u64]) -> Option<usize> {
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
        next = node::first(&node.next);
    }
    Some(limit.wrapping_sub(pairs.len()))
}
