//! The values of this image as a row of numbers: what the compact form of a dump (`crate::compact`) has of them.
//!
//! On devices linked only where something counts values ([`super::optional`]).

#![allow(unsafe_code)]

use super::node::{Record, first, heads, not_negative, records, values_at};
use super::optional::provide;
use crate::sections::elf;
use crate::span::Span;
use crate::sync::Ordering;

/// Hands all numbers on, one after the other.
pub type Write = fn(&mut dyn FnMut(u64));

provide!("profrt_values_as_numbers");

/// For each record that has values its distance from the one before it and its sites; then 0.
#[cfg_attr(
    all(not(test), any(feature = "archive", all(feature = "abi", not(feature = "hosted")))),
    unsafe(export_name = "profrt_values_as_numbers")
)]
pub fn write(each: &mut dyn FnMut(u64)) {
    // Where records are not loaded, there is nothing that counts values.
    let data = if elf::records_are_elsewhere() { Span::EMPTY } else { elf::data::span() };
    let mut distance: u64 = 0;
    // SAFETY: the records of this image.
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

#[inline(never)]
fn has_values(record: &Record) -> bool {
    heads(record).iter().any(|head| first(head).is_some())
}

/// The values of each site: as many as there are when their number is written; nodes are only ever added at the end.
#[inline(always)]
fn sites(record: &Record, each: &mut dyn FnMut(u64)) {
    for head in heads(record) {
        let mut many = values_at(head);
        each(many.into());
        let mut node = first(head);
        while many > 0
            && let Some(now) = node
        {
            many = many.wrapping_sub(1);
            each(now.value.load(Ordering::Relaxed));
            each(not_negative(now.total()));
            node = now.following();
        }
    }
}
