//! What happens to the values of an image from outside: a reset, and `fork`. Linked where something counts values ([`super::optional`]).

#![allow(unsafe_code)]

use super::full;
use super::node::{self, Record};
use super::optional::provide;

/// Zeroes all counts of values of these records.
pub type Forget = fn(&[Record]);

provide!("profrt_values_forget");

/// See [`Forget`].
#[cfg_attr(
    all(not(test), any(feature = "archive", all(feature = "abi", not(feature = "hosted")))),
    unsafe(export_name = "profrt_values_forget")
)]
pub fn all(records: &[Record]) {
    full::forget();
    for record in records {
        node::reset(record);
    }
}

#[cfg(feature = "hosted")]
provide!("profrt_values_free");

/// In a forked child, where other threads are not: what they held nobody will give back.
#[cfg(feature = "hosted")]
#[cfg_attr(feature = "archive", unsafe(export_name = "profrt_values_free"))]
pub fn others() {
    full::free_from_others();
}
