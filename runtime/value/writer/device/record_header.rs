//! The first word of a value record, on its way to a device's sink.

use crate::format::value::{halves, record_size};
use crate::native::{KINDS, Record};
use crate::sink::latch::Latch;

/// Writes the first word of a value record: the record's size in bytes, and the number of its kinds.
#[inline(never)]
pub(super) fn put_record_header(record: &Record, pairs: usize, to: &mut Latch<'_>) {
    let total = record_size(&record.num_value_sites, pairs as u64).unwrap_or(0);
    let mut kinds: u32 = 0;
    for kind in 0..KINDS {
        kinds = kinds.wrapping_add(u32::from(record.num_value_sites.get(kind).is_some_and(|sites| *sites > 0)));
    }
    to.word(halves(total as u32, kinds));
}
