//! Writes value records piecewise, for devices: they have no memory for the counts of a record's sites, so a write walks the lists
//! for the size, again for the counts and again for the pairs. No node is added meanwhile ([`crate::value::frozen`]).
//!
//! (Another core that was about to add a node when the write began may still do so. The write notices at the end of the record that
//! the walks disagree: the dump fails, and a second one succeeds.)

#![allow(unsafe_code)]

use super::record_header::put_record_header;
use crate::error::Error;
use crate::format::node::not_negative;
use crate::format::value::halves;
use crate::native::KINDS;
use crate::sink::latch::Latch;
use crate::sync::Ordering;
use crate::value::frozen;
use crate::value::node::{Node, Record, first, heads, values_at};

/// Pointer to [`write()`].
pub type DeviceWriter = fn(&[Record], usize, &mut Latch<'_>);

/// Writes the value data of all records, at most `budget` pairs.
#[cfg_attr(all(not(feature = "hosted"), feature = "abi", not(test)), unsafe(export_name = "profrt_values_in_pieces"))]
pub fn write(mut records: &[Record], budget: usize, to: &mut Latch<'_>) {
    let _frozen = frozen::freeze();
    let mut left = budget;
    while let Some((record, others)) = records.split_first() {
        if (0..KINDS).any(|kind| sites(record, kind) > 0) {
            left = write_record(record, left, to);
        }
        records = others;
    }
}

/// Returns the number of sites of a kind.
#[inline(never)]
fn sites(record: &Record, kind: usize) -> usize {
    record.num_value_sites.get(kind).map_or(0, |sites| usize::from(*sites))
}

/// Returns the first node of a site.
#[inline(never)]
fn first_of(record: &Record, site: usize) -> Option<&Node> {
    heads(record).get(site).and_then(first)
}

/// Returns how many values of a site fit into a budget of `left` pairs.
#[inline(never)]
fn take(record: &Record, site: usize, left: usize) -> usize {
    heads(record).get(site).map_or(0, |head| usize::from(values_at(head)).min(left))
}

/// Writes a record. Returns the rest of the budget. Finds sites by their numbers and computes values again instead of keeping them,
/// because this is where a dump needs most stack.
#[inline(always)]
fn write_record(record: &Record, budget: usize, to: &mut Latch<'_>) -> usize {
    let all = heads(record).len();
    let left = (0..all).fold(budget, |left, site| left.wrapping_sub(take(record, site, left)));
    put_record_header(record, budget.wrapping_sub(left), to);
    let (mut now, mut site) = (budget, 0);
    for kind in 0..KINDS {
        let mut rest = sites(record, kind);
        if rest > 0 {
            to.word(halves(kind as u32, rest as u32));
            write_counts(record, site, rest, now, to);
            to.zeros(rest.wrapping_neg() & 7);
        }
        while rest > 0 {
            let values = take(record, site, now);
            now = now.wrapping_sub(values);
            write_pairs(first_of(record, site), values, to);
            site = site.wrapping_add(1);
            rest = rest.wrapping_sub(1);
        }
    }
    if now != left && to.result.is_ok() {
        to.result = Err(Error::BUSY);
    }
    left
}

/// Writes the number of values of each of `sites` sites from `site` on, a byte each.
#[inline(never)]
fn write_counts(record: &Record, mut site: usize, mut sites: usize, mut left: usize, to: &mut Latch<'_>) {
    while sites > 0 {
        let values = take(record, site, left);
        left = left.wrapping_sub(values);
        to.byte(values as u8);
        site = site.wrapping_add(1);
        sites = sites.wrapping_sub(1);
    }
}

/// Writes the values and counts of `many` nodes from `node` on.
#[inline(never)]
fn write_pairs(mut node: Option<&Node>, mut many: usize, to: &mut Latch<'_>) {
    while many > 0
        && let Some(now) = node
    {
        many = many.wrapping_sub(1);
        to.word(now.value.load(Ordering::Relaxed));
        to.word(not_negative(now.total()));
        node = now.following();
    }
}
