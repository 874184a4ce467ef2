//! Counts the pairs of value data, for callers that provide the memory to write to. Not in [`super::writer`], because code that walks
//! lists links the tables of threads' cells.

use super::limits::SITES_ON_STACK;
use super::node::{heads, values_at};
use crate::native::Record;

/// The number of sites of a function whose values a write without [`super::writer::ScratchMemory`] includes: all on devices, which
/// keep no counts.
const WITHOUT_SCRATCH: usize = if cfg!(feature = "hosted") { SITES_ON_STACK } else { usize::MAX };

/// Returns the number of pairs that a write of these records without [`super::writer::ScratchMemory`] would include now.
pub fn count(records: &[Record]) -> u64 {
    #[cfg(feature = "hosted")]
    if !super::writer::has_writer() {
        return 0;
    }
    let mut pairs: u64 = 0;
    for record in records {
        for head in heads(record).iter().take(WITHOUT_SCRATCH) {
            pairs = pairs.wrapping_add(u64::from(values_at(head)));
        }
    }
    pairs
}
