//! How many values there are, for who gives the memory that they are written to. Apart from [`super::writer`], for what walks lists of
//! values brings along what threads count by themselves.

use super::node::{heads, values_at};
use crate::format::record::Record;

/// A file written without [`super::writer::ScratchMemory`] has no values of sites beyond these: none on devices, which keep no counts.
const WITHOUT_SCRATCH: usize = if cfg!(feature = "hosted") { super::COUNTS } else { usize::MAX };

/// Pairs that all sites of these records have now and that a file written without [`super::writer::ScratchMemory`] will have.
pub fn count(records: &[Record]) -> u64 {
    #[cfg(feature = "hosted")]
    if !super::writer::has_writer() {
        return 0;
    }
    count_first(records, WITHOUT_SCRATCH)
}

/// Pairs that the first so many sites of each record have now.
pub fn count_first(records: &[Record], most: usize) -> u64 {
    let mut pairs: u64 = 0;
    for record in records {
        for head in heads(record).iter().take(most) {
            pairs = pairs.wrapping_add(u64::from(values_at(head)));
        }
    }
    pairs
}
