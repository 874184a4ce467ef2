//! Resets the values of an image, and releases their locks after `fork`. Linked where something counts values ([`super::optional`]).

#![allow(unsafe_code)]

use super::full;
use super::node::{Record, heads, nodes};
use super::optional::provide;

/// Pointer to [`reset_values`].
pub type ResetValues = fn(&[Record]);

provide!("profrt_values_reset": ResetValues = reset_values);

/// Zeroes the counts of all values of these records.
pub fn reset_values(records: &[Record]) {
    for record in records {
        reset(record);
    }
    full::forget_all();
}

/// Zeroes the counts of all values of a record. The nodes stay with their sites.
pub fn reset(record: &Record) {
    for head in heads(record) {
        for node in nodes(head) {
            node.correct(node.total().wrapping_neg());
        }
    }
}

// Here, because `tests/loom` compiles `full` without optional functions.
#[cfg(feature = "hosted")]
provide!("profrt_values_release_locks": fn() = full::release_locks_of_others);
