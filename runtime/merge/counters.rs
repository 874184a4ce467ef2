//! The limit of sums, the earlier of two time stamps, and where the counters of a function are. In a temporal profile its time stamp is in
//! the eight bytes before them.

use core::ops::Range;

use crate::format::Variant;
use crate::native::{DISTANCE, Record};
use crate::sections::Image;

/// The count at which sums saturate. `llvm-profdata` refuses a profile that has a larger one.
pub const LARGEST: u64 = 1 << 56;

/// Returns the earlier of two time stamps; 0 and all ones mean "never".
pub fn earlier(ours: u64, theirs: u64) -> u64 {
    let never = |stamp: u64| stamp == 0 || stamp == u64::MAX;
    match (never(ours), never(theirs)) {
        (true, _) => theirs,
        (false, true) => ours,
        (false, false) => ours.min(theirs),
    }
}

/// Returns the name hash of the function that has the 8-byte counter with this index, or 0.
pub fn function_of(records: &[Record], image: &Image, index: usize) -> u64 {
    let holds = |record: &&Record| counter_range(record, image, Variant(0)).1.contains(&index.saturating_mul(8));
    records.iter().find(holds).map_or(0, |record| record.name_ref)
}

/// Returns where a function's counters are, as offsets in bytes from the start of their section: that of its time stamp, if it has one, and the
/// range of the counters without it.
pub fn counter_range(record: &Record, image: &Image, variant: Variant) -> (Option<usize>, Range<usize>) {
    let from = core::ptr::from_ref(record).addr().wrapping_add_signed(record.counter_ptr);
    let from = from.wrapping_sub(image.linked_counters().start.addr()) & DISTANCE as usize;
    let len = (record.num_counters as usize).saturating_mul(variant.counter_size() as usize);
    // Compilers that only record whether a function was entered, in one byte, leave no space for a stamp.
    let stamp = variant.has(Variant::TEMPORAL) && (variant.counter_size() == 8 || len > 8);
    let counters = from.wrapping_add(if stamp { 8 } else { 0 })..from.wrapping_add(len);
    (stamp.then_some(from), counters)
}
