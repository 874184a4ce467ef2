//! Writes value data on devices: piecewise where something counts values, else records without values, because readers expect one for
//! each function with sites.

#![allow(unsafe_code)]

pub mod piecewise;

use core::convert::Infallible;

use crate::format::value_record::{WordSink, write_empty_record};
use crate::sink::latch::Latch;
use crate::value::linked;
use crate::value::node::{Record, has_sites};

impl WordSink for Latch<'_> {
    /// The latch keeps the failure.
    type Error = Infallible;

    #[inline(always)]
    fn word(&mut self, word: u64) -> Result<(), Infallible> {
        Latch::word(self, word);
        Ok(())
    }
}

/// Writes the value data of these records, at most `budget` pairs.
#[inline(always)]
pub fn write_device_values(records: &[Record], budget: usize, to: &mut Latch<'_>) {
    match linked::write_piecewise() {
        Some(write) => write(records, budget, to),
        None => write_empty_records(records, to),
    }
}

/// Writes a value record without values for each function with sites. Not inlined into its caller, because the writer of values needs most
/// stack.
#[inline(never)]
fn write_empty_records(records: &[Record], to: &mut Latch<'_>) {
    for record in records.iter().filter(|record| has_sites(record)) {
        let Ok(()) = write_empty_record(to, &record.num_value_sites);
    }
}
