//! Writes the value data of a profile, and computes its size.
//!
//! The code that reads values is linked only where something counts them ([`super::optional`]); elsewhere functions with sites get
//! records without values. The records' grammar is [`crate::format::value_record`].

#![allow(unsafe_code)]

pub mod compact;
#[cfg(any(test, not(feature = "hosted")))]
pub mod device;
#[cfg(feature = "hosted")]
pub mod hosted;
pub mod word_stream;

use crate::error::Result;
use crate::format::value::{PAIR, record_size};
use crate::native::Record;
use crate::sink::Sink;
#[cfg(not(feature = "hosted"))]
use crate::sink::latch::Latch;
#[cfg(feature = "hosted")]
use {
    super::{linked, node::has_sites},
    crate::format::value_record::write_empty_record,
    word_stream::{WORDS, WordStream},
};

/// Returns the size in bytes of the value data of these records with `pairs` pairs in all.
pub fn size(records: &[Record], pairs: u64) -> u64 {
    let mut size = pairs.saturating_mul(PAIR);
    for record in records {
        size = size.saturating_add(record_size(&record.num_value_sites, 0).unwrap_or(0));
    }
    size
}

/// Writes the value data of all records, in their order, at most `budget` pairs.
pub fn write_value_data(records: &[Record], budget: u64, sink: &mut dyn Sink) -> Result {
    #[cfg(not(feature = "hosted"))]
    {
        let mut to = Latch::new(sink);
        device::write_device_values(records, usize::try_from(budget).unwrap_or(usize::MAX), &mut to);
        to.result
    }
    #[cfg(feature = "hosted")]
    match linked::write() {
        Some(write) => write(records, budget, sink),
        None => write_empty_records(records, sink),
    }
}

/// Writes value data without values: readers expect a record for each function with sites.
#[cfg(feature = "hosted")]
pub fn write_empty_records(records: &[Record], sink: &mut dyn Sink) -> Result {
    let mut buffer = [0; WORDS];
    let mut stream = WordStream::new(sink, &mut buffer);
    for record in records.iter().filter(|record| has_sites(record)) {
        write_empty_record(&mut stream, &record.num_value_sites)?;
    }
    stream.flush()
}
