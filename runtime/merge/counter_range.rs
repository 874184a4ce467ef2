//! Finds the counters of a function, and its time stamp in a temporal profile: the eight bytes before the counters.

use core::ops::Range;

use crate::format::Variant;
use crate::native::Record;
use crate::sections::Image;

/// Where a function's counters are: offsets in bytes from the start of the counter section.
#[derive(Debug)]
pub struct CounterRange {
    /// The offset of the time stamp, if the function has one.
    pub stamp: Option<usize>,
    /// The range of the counters, without the time stamp.
    pub counters: Range<usize>,
}

/// Returns the name hash of the function that has the 8-byte counter with this index, or 0.
pub fn function_of(records: &[Record], image: &Image, index: usize) -> u64 {
    let holds = |record: &&Record| counter_range(record, image, Variant(0)).counters.contains(&index.saturating_mul(8));
    records.iter().find(holds).map_or(0, |record| record.name_ref)
}

/// Returns where a function's counters are.
pub fn counter_range(record: &Record, image: &Image, variant: Variant) -> CounterRange {
    let from = core::ptr::from_ref(record).addr().wrapping_add_signed(record.counter_ptr);
    let from = from.wrapping_sub(image.linked_counters().start.addr());
    let len = (record.num_counters as usize).saturating_mul(variant.counter_size() as usize);
    // Compilers that only record whether a function was entered, in one byte, leave no space for a stamp.
    let stamp = variant.has(Variant::TEMPORAL) && (variant.counter_size() == 8 || len > 8);
    let counters = from.saturating_add(if stamp { 8 } else { 0 })..from.saturating_add(len);
    CounterRange { stamp: stamp.then_some(from), counters }
}
