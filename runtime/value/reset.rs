//! Resets the values of an image. Linked where something counts values ([`super::optional`]).

#![allow(unsafe_code)]

use super::full;
use super::node::{Record, heads, nodes};

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
