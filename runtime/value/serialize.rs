//! Value data of an image as a stream of bytes, through a small fixed buffer, while other threads go on counting.
//!
//! Counts of values a site are taken once, before the pairs are written, and kept in the scratch buffer; since nodes are
//! only added at the end of a list, the pairs that follow are exactly as many.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::node::{self, Head, heads, site_count};
use crate::error::Result;
use crate::format::record::{KINDS, Record};
use crate::format::value::{MAX_VALUES_PER_SITE, kind_header_size, record_size};
use crate::sink::Sink;
use crate::span::Span;

/// Bytes of the stream's buffer.
const BUFFER: usize = 256;

/// How many pairs may still be written; sites beyond that have none.
#[derive(Debug)]
pub struct Budget(pub u64);

/// Bytes collected until there are enough for a call of the sink.
struct Stream<'a> {
    sink: &'a mut dyn Sink,
    buffer: [u8; BUFFER],
    len: usize,
}

impl Stream<'_> {
    fn put(&mut self, bytes: &[u8]) -> Result {
        for &byte in bytes {
            if self.len == BUFFER {
                self.flush()?;
            }
            if let Some(slot) = self.buffer.get_mut(self.len) {
                *slot = byte;
            }
            self.len = self.len.wrapping_add(1);
        }
        Ok(())
    }

    fn put_u32(&mut self, value: u32) -> Result {
        self.put(&value.to_ne_bytes())
    }

    fn flush(&mut self) -> Result {
        let full = self.buffer.get(..self.len).unwrap_or(&[]);
        self.len = 0;
        // SAFETY: a part of the array just above.
        unsafe { self.sink.write(&[Span::of(full)]) }
    }
}

/// Values of a site that a file can hold.
fn values_at(head: &Head) -> u8 {
    node::nodes(head).take(MAX_VALUES_PER_SITE as usize).count() as u8
}

/// Memory for the counts of the sites of a function that has more of them than fit on the stack.
#[derive(Clone, Copy, Debug)]
pub enum Scratch {
    /// There is none: sites beyond the first [`COUNTS`] of a function have no values in the file.
    None,
    /// It comes from these two functions, and may still not be there.
    Pages(fn(usize) -> Option<*mut u8>, fn(*mut u8, usize)),
}

/// Pairs that all sites of these records have now and that a file written without [`Scratch`] will have.
pub fn count_pairs(records: &[Record]) -> u64 {
    let pairs = |record| heads(record).iter().take(COUNTS).map(|head| u64::from(values_at(head))).sum::<u64>();
    records.iter().map(pairs).sum()
}

/// Bytes of the value data of these records if they have `pairs` values in all.
pub fn size(records: &[Record], pairs: u64) -> u64 {
    let fixed: u64 = records.iter().filter_map(|r| record_size(&r.num_value_sites, 0)).sum();
    fixed.saturating_add(pairs.saturating_mul(crate::format::value::PAIR))
}

/// Writes the value data of all records, in their order, at most `budget` pairs.
pub fn write(records: &[Record], mut budget: Budget, scratch: Scratch, sink: &mut dyn Sink) -> Result {
    let mut stream = Stream { sink, buffer: [0; BUFFER], len: 0 };
    for record in records.iter().filter(|record| site_count(record) > 0) {
        write_record(record, &mut budget, scratch, &mut stream)?;
    }
    stream.flush()
}

/// Sites whose counts fit on the stack.
pub const COUNTS: usize = 256;

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
    write_with(record, &mut [0; COUNTS], budget, stream)
}

/// Writes a record, keeping the counts of its sites in `kept`. Sites beyond that have no values.
fn write_with(record: &Record, kept: &mut [u8], budget: &mut Budget, stream: &mut Stream<'_>) -> Result {
    let heads = heads(record);
    let mut pairs: u64 = 0;
    for (head, count) in heads.iter().zip(kept.iter_mut()) {
        let values = u64::from(values_at(head)).min(budget.0);
        *count = values as u8;
        budget.0 = budget.0.wrapping_sub(values);
        pairs = pairs.wrapping_add(values);
    }
    let total = record_size(&record.num_value_sites, pairs).unwrap_or(0);
    let kinds = record.num_value_sites.iter().filter(|sites| **sites > 0).count();
    stream.put_u32(total as u32)?;
    stream.put_u32(kinds as u32)?;
    let mut first: usize = 0;
    for kind in 0..KINDS {
        let sites = record.num_value_sites.get(kind).copied().unwrap_or(0);
        if sites == 0 {
            continue;
        }
        stream.put_u32(kind as u32)?;
        stream.put_u32(u32::from(sites))?;
        let range = first..first.wrapping_add(usize::from(sites));
        first = range.end;
        let mut header = 8u64.wrapping_add(u64::from(sites));
        for site in range.clone() {
            stream.put(&[kept.get(site).copied().unwrap_or(0)])?;
        }
        while header < kind_header_size(u32::from(sites)) {
            stream.put(&[0])?;
            header = header.wrapping_add(1);
        }
        for site in range {
            let (Some(head), Some(&count)) = (heads.get(site), kept.get(site)) else { continue };
            for node in node::nodes(head).take(usize::from(count)) {
                stream.put(&node.value.load(Ordering::Relaxed).to_ne_bytes())?;
                stream.put(&node.total().to_ne_bytes())?;
            }
        }
    }
    Ok(())
}
