//! Writes the values of this image as a sequence of numbers, for the compact form of a dump (`crate::compact`).
//!
//! On devices linked only where something counts values ([`crate::value::optional`]).

#![allow(unsafe_code)]

use crate::format::node::not_negative;
use crate::link;
use crate::span::Span;
use crate::sync::Ordering;
use crate::value::node::{Record, first, heads, nodes, records, values_at};

/// Passes all numbers to `each`: for each record that has values its distance from the last such record and its sites; then 0.
pub fn write_compact_values(each: &mut dyn FnMut(u64)) {
    // Where records are not loaded, nothing counts values.
    let data = if link::records_are_elsewhere() { Span::EMPTY } else { link::data::span() };
    let mut distance: u64 = 0;
    // SAFETY: the bounds of this image's records; the caller of `compact::write` has checked that they are of this archive's raw version.
    let mut records = unsafe { records(data) };
    while let Some((record, others)) = records.split_first() {
        distance = distance.wrapping_add(1);
        if has_values(record) {
            each(distance);
            distance = 0;
            sites(record, each);
        }
        records = others;
    }
    each(0);
}

/// Returns whether any site of a record has values.
#[inline(never)]
fn has_values(record: &Record) -> bool {
    heads(record).iter().any(|head| first(head).is_some())
}

/// Passes the number of values of each site, then its values and counts. Nodes are only added at the end of a list, so the walk finds
/// as many as it has announced.
#[inline(always)]
fn sites(record: &Record, each: &mut dyn FnMut(u64)) {
    for head in heads(record) {
        let many = values_at(head);
        each(many.into());
        for node in nodes(head).take(many.into()) {
            each(node.value.load(Ordering::Relaxed));
            each(not_negative(node.total()));
        }
    }
}
