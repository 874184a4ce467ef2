//! The value data of a profile: how large it is, and written.
//!
//! What looks at values is linked only where something counts them ([`super::optional`]); elsewhere functions with sites have none.

#![allow(unsafe_code)]

use super::node::has_sites;
use crate::error::Result;
use crate::format::record::Record;
use crate::format::value::{PAIR, record_size};
use crate::sink::Sink;
#[cfg(not(feature = "hosted"))]
use {super::empty, crate::sink::latch::Latch};
#[cfg(feature = "hosted")]
use {
    super::optional::optional,
    super::serialize::Write,
    super::stream::{Stream, WORDS, start},
};

/// How many pairs may still be written; sites beyond that have none.
#[derive(Debug)]
pub struct Budget(pub u64);

/// Memory for the time of a write.
#[derive(Clone, Copy, Debug)]
pub enum Scratch {
    /// There is none: a small buffer on the stack does, and sites beyond the first [`super::COUNTS`] of a function have no
    /// values in the file.
    None,
    /// It comes from these two functions, and may still not be there.
    Pages(fn(usize) -> Option<*mut u8>, fn(*mut u8, usize)),
}

/// Bytes of the value data of these records if they have `pairs` values in all.
pub fn size(records: &[Record], pairs: u64) -> u64 {
    let mut size = pairs.saturating_mul(PAIR);
    for record in records {
        size = size.saturating_add(record_size(&record.num_value_sites, 0).unwrap_or(0));
    }
    size
}

#[cfg(feature = "hosted")]
optional! {
    /// Who writes values.
    fn writer() -> Write = super::serialize::write, "profrt_values_write";
}

/// Whether anybody writes values.
#[cfg(feature = "hosted")]
#[inline]
pub(super) fn has_writer() -> bool {
    writer().is_some()
}

/// Writes the value data of all records, in their order, at most `budget` pairs.
#[cfg_attr(not(feature = "hosted"), allow(unused_variables, reason = "devices have no memory to spare"))]
pub fn write(records: &[Record], budget: Budget, scratch: Scratch, sink: &mut dyn Sink) -> Result {
    // Most programs have no sites at all: nothing is mapped for them.
    let Some(first) = records.iter().position(has_sites) else { return Ok(()) };
    let records = records.get(first..).unwrap_or(&[]);
    #[cfg(not(feature = "hosted"))]
    {
        let mut to = Latch::new(sink);
        empty::write(records, usize::try_from(budget.0).unwrap_or(usize::MAX), &mut to);
        to.result
    }
    #[cfg(feature = "hosted")]
    match writer() {
        Some(write) => write(records, budget, scratch, sink),
        None => write_none(records, sink),
    }
}

/// Writes value data without values: readers want a record for each function with sites.
#[cfg(feature = "hosted")]
pub fn write_none(records: &[Record], sink: &mut dyn Sink) -> Result {
    let mut buffer = [0; WORDS];
    let mut stream = Stream::new(sink, &mut buffer);
    for record in records.iter().filter(|record| has_sites(record)) {
        stream.put(start(record, 0))?;
        for (kind, sites) in record.num_value_sites.iter().enumerate().filter(|(_, sites)| **sites > 0) {
            stream.put_empty_kind(kind, usize::from(*sites))?;
        }
    }
    stream.flush()
}
