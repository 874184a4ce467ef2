//! Writes value data on devices: piecewise where something counts values, else records without values, because readers expect one for
//! each function with sites.

#![allow(unsafe_code)]

pub mod piecewise;
mod record_header;

use record_header::put_record_header;

use crate::format::value::{halves, kind_header_size};
use crate::native::KINDS;
use crate::sink::latch::Latch;
use crate::value::node::{Record, has_sites};
use crate::value::optional::optional;

/// Writes a value record without values for each function with sites.
#[inline(never)]
fn write_empty(records: &[Record], to: &mut Latch<'_>) {
    for record in records {
        if !has_sites(record) {
            continue;
        }
        put_record_header(record, 0, to);
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
    /// Returns the writer of values, if something counts some.
    fn writer() -> piecewise::DeviceWriter = piecewise::write, "profrt_values_in_pieces";
}

/// Writes the value data of these records, at most `budget` pairs.
#[inline(never)]
pub fn write(records: &[Record], budget: usize, to: &mut Latch<'_>) {
    match writer() {
        Some(write) => write(records, budget, to),
        None => write_empty(records, to),
    }
}
