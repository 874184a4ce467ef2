//! Writes value records piecewise, for devices: they have no memory for the counts of a record's sites, so a write walks the lists
//! for the size, again for the counts and again for the pairs. No node is added meanwhile ([`crate::value::frozen`]).
//!
//! (Another core that was about to add a node when the write began may still do so. The write notices at the end of the record that
//! the walks disagree: the dump fails, and a second one succeeds.)

#![allow(unsafe_code)]

use crate::error::Error;
use crate::format::value_record::write_record;
use crate::sink::latch::Latch;
use crate::sync::Ordering;
use crate::value::frozen;
use crate::value::node::{Head, Record, has_sites, heads, nodes, values_at};
use crate::value::total::not_negative;

/// Pointer to [`write_values_piecewise`].
pub type WriteValuesPiecewise = fn(&[Record], usize, &mut Latch<'_>);

/// Writes the value data of all records, at most `budget` pairs.
#[cfg_attr(all(not(feature = "hosted"), feature = "abi", not(test)), unsafe(export_name = "profrt_values_in_pieces"))]
pub fn write_values_piecewise(records: &[Record], budget: usize, to: &mut Latch<'_>) {
    let _frozen = frozen::freeze();
    let mut left = budget;
    for record in records.iter().filter(|record| has_sites(record)) {
        left = write_values(record, left, to);
    }
}

/// Takes from a budget of pairs what the values of a site need. Returns the number of values that fit.
#[inline(never)]
fn take(head: &Head, left: &mut usize) -> usize {
    let values = usize::from(values_at(head)).min(*left);
    *left = left.wrapping_sub(values);
    values
}

/// Writes a record. Returns the rest of the budget. Walks the lists again instead of keeping counts, because this is where a dump needs
/// most stack.
fn write_values(record: &Record, budget: usize, to: &mut Latch<'_>) -> usize {
    let heads = heads(record);
    let (mut left, mut counted, mut written) = (budget, budget, budget);
    for head in heads {
        take(head, &mut left);
    }
    let (mut to_count, mut to_write) = (heads.iter(), heads.iter());
    let Ok(()) = write_record(
        to,
        &record.num_value_sites,
        budget.wrapping_sub(left) as u64,
        |_, _| to_count.next().map_or(0, |head| take(head, &mut counted) as u8),
        |to, _, _| {
            if let Some(head) = to_write.next() {
                let values = take(head, &mut written);
                write_pairs(head, values, to);
            }
            Ok(())
        },
    );
    if written != left && to.result.is_ok() {
        to.result = Err(Error::BUSY);
    }
    left
}

/// Writes the first `many` values of a site and their counts.
#[inline(never)]
fn write_pairs(head: &Head, many: usize, to: &mut Latch<'_>) {
    for node in nodes(head).take(many) {
        to.word(node.value.load(Ordering::Relaxed));
        to.word(not_negative(node.total()));
    }
}
