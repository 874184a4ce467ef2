//! The value record of a function in pieces, for devices: no memory for the counts of its sites, so the lists are walked once for
//! the size, once for the counts and once for the pairs. In between no node is added ([`super::frozen`]).
//!
//! (Another core that was about to add one when the write began may still do so. The walks then disagree, which is seen at the
//! end of the record: the dump fails, and a second one succeeds.)

#![allow(unsafe_code)]

use super::frozen;
use super::node::{self, Head, Record, has_sites, heads};
use super::serialize::{start, values_at};
use crate::error::{Error, Result};
use crate::format::value::{halves, kind_header_size};
use crate::sink::Sink;
use crate::span::Span;
use crate::sync::Ordering;

/// Writes the value data of all records, at most `budget` pairs.
pub fn write(records: &[Record], budget: usize, sink: &mut dyn Sink) -> Result {
    let _frozen = frozen::freeze();
    let mut left = budget;
    for record in records.iter().filter(|record| has_sites(record)) {
        left = write_record(record, left, sink)?;
    }
    Ok(())
}

/// Hands on a word. (One at a time: a sink for which that is too little has memory of its own.)
#[inline(always)]
fn put(sink: &mut dyn Sink, word: u64) -> Result {
    // SAFETY: a local array.
    unsafe { sink.write(&[Span::of(&word.to_ne_bytes())]) }
}

/// How many values of the next site are written; that many less are left.
fn take(head: &Head, left: &mut usize) -> u8 {
    let values = usize::from(values_at(head)).min(*left);
    *left = left.wrapping_sub(values);
    values as u8
}

/// Writes a record. What is left of the budget.
#[inline(always)]
fn write_record(record: &Record, budget: usize, sink: &mut dyn Sink) -> Result<usize> {
    let mut left = budget;
    for head in heads(record) {
        take(head, &mut left);
    }
    let pairs = budget.wrapping_sub(left) as u32;
    put(sink, start(record, pairs))?;
    let (mut first, mut now) = (0, budget);
    for (kind, &sites) in record.num_value_sites.iter().enumerate() {
        let end = usize::from(sites).wrapping_add(first);
        if sites > 0 {
            put(sink, halves(kind as u32, u32::from(sites)))?;
            let own = heads(record).get(first..end).unwrap_or(&[]);
            write_counts(own, sites, now, sink)?;
            now = write_pairs(own, now, sink)?;
        }
        first = end;
    }
    if now == left { Ok(left) } else { Err(Error::Busy) }
}

/// A byte for each site, and zeros up to a whole word.
#[inline(always)]
fn write_counts(heads: &[Head], sites: u16, mut left: usize, sink: &mut dyn Sink) -> Result {
    let mut heads = heads.iter();
    for _ in 1..kind_header_size(u32::from(sites)) as u32 / 8 {
        let mut bytes = [0; 8];
        for byte in &mut bytes {
            *byte = heads.next().map_or(0, |head| take(head, &mut left));
        }
        put(sink, u64::from_ne_bytes(bytes))?;
    }
    Ok(())
}

/// Values and counts. What is left of the budget.
#[inline(always)]
fn write_pairs(heads: &[Head], mut left: usize, sink: &mut dyn Sink) -> Result<usize> {
    for head in heads {
        for node in node::nodes(head).take(usize::from(take(head, &mut left))) {
            put(sink, node.value.load(Ordering::Relaxed))?;
            put(sink, node::not_negative(node.total()))?;
        }
    }
    Ok(left)
}
