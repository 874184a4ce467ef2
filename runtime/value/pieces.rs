//! The value record of a function in pieces, for devices: no memory for the counts of its sites, so the lists are walked once for
//! the size, once for the counts and once for the pairs. In between no node is added ([`super::frozen`]).
//!
//! (Another core that was about to add one when the write began may still do so. The walks then disagree, which is seen at the
//! end of the record: the dump fails, and a second one succeeds.)

#![allow(unsafe_code)]

use super::empty::start;
use super::frozen;
use super::node::{Head, Record, has_sites, heads, nodes, not_negative};
use super::serialize::values_at;
use crate::error::Error;
use crate::format::value::halves;
use crate::sink::latch::Latch;
use crate::sync::Ordering;

/// Writes the value data of all records, at most so many pairs.
pub type Write = fn(&[Record], usize, &mut Latch<'_>);

/// The value data of all records, at most `budget` pairs.
#[cfg_attr(all(not(feature = "hosted"), feature = "abi", not(test)), unsafe(export_name = "profrt_values_in_pieces"))]
pub fn write(records: &[Record], budget: usize, to: &mut Latch<'_>) {
    let _frozen = frozen::freeze();
    let mut left = budget;
    for record in records.iter().filter(|record| has_sites(record)) {
        left = write_record(record, left, to);
    }
}

/// How many values of a site are written when so many may be.
#[inline(never)]
fn take(head: &Head, left: usize) -> usize {
    usize::from(values_at(head)).min(left)
}

/// Writes a record. What is left of the budget.
#[inline(always)]
fn write_record(record: &Record, budget: usize, to: &mut Latch<'_>) -> usize {
    let left = heads(record).iter().fold(budget, |left, head| left.wrapping_sub(take(head, left)));
    start(record, budget.wrapping_sub(left), to);
    let (mut rest, mut now) = (heads(record).iter(), budget);
    for (kind, &sites) in record.num_value_sites.iter().enumerate().filter(|(_, sites)| **sites > 0) {
        to.word(halves(kind as u32, u32::from(sites)));
        let own = rest.clone();
        // A byte for each site, and zeros up to a whole word.
        let mut counted = now;
        for _ in 0..sites {
            let values = rest.next().map_or(0, |head| take(head, counted));
            counted = counted.wrapping_sub(values);
            to.byte(values as u8);
        }
        to.zeros(usize::from(sites.wrapping_neg() & 7));
        for head in own.take(sites.into()) {
            let values = take(head, now);
            now = now.wrapping_sub(values);
            write_pairs(head, values, to);
        }
    }
    if now != left && to.result.is_ok() {
        to.result = Err(Error::Busy);
    }
    left
}

/// Values and counts.
#[inline(never)]
fn write_pairs(head: &Head, many: usize, to: &mut Latch<'_>) {
    for node in nodes(head).take(many) {
        to.word(node.value.load(Ordering::Relaxed));
        to.word(not_negative(node.total()));
    }
}
