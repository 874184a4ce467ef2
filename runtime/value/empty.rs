//! Value records without values, for devices on which nothing counts any: readers want one for each function with sites.

#![allow(unsafe_code)]

use super::node::{Record, has_sites};
use super::optional::optional;
use super::pieces;
use crate::format::record::KINDS;
use crate::format::value::{halves, kind_header_size, record_size};
use crate::sink::latch::Latch;

/// The first word of a record: its size in bytes, and its kinds.
#[inline(never)]
pub(super) fn start(record: &Record, pairs: usize, to: &mut Latch<'_>) {
    let total = record_size(&record.num_value_sites, pairs as u64).unwrap_or(0);
    let mut kinds: u32 = 0;
    for kind in 0..KINDS {
        kinds = kinds.wrapping_add(u32::from(record.num_value_sites.get(kind).is_some_and(|sites| *sites > 0)));
    }
    to.word(halves(total as u32, kinds));
}

#[inline(never)]
fn write_none(records: &[Record], to: &mut Latch<'_>) {
    for record in records {
        if !has_sites(record) {
            continue;
        }
        start(record, 0, to);
        for kind in 0..KINDS {
            let sites = record.num_value_sites.get(kind).copied().unwrap_or(0);
            if sites > 0 {
                to.word(halves(kind as u32, u32::from(sites)));
                to.zeros(kind_header_size(u32::from(sites)).wrapping_sub(8) as usize);
            }
        }
    }
}

optional! {
    /// What writes the value data, if anything counts values.
    fn writer() -> pieces::Write = pieces::write, "profrt_values_in_pieces";
}

/// Writes the value data of these records: at most so many pairs.
#[inline(never)]
pub fn write(records: &[Record], budget: usize, to: &mut Latch<'_>) {
    match writer() {
        Some(write) => write(records, budget, to),
        None => write_none(records, to),
    }
}
