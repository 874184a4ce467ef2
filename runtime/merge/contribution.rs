//! The contribution of this process to a pool: a copy of its counters and values as of its last write to one file of the pool. A private
//! pool file holds only a part of them; the pool file that it replaces holds the rest.

use super::check::CheckedProfile;
use super::counter_copy::CounterCopy;
use super::counters;
use super::pages::Pages;
use super::source::ProfileSource;
use crate::error::Result;
use crate::format::Variant;
use crate::native::Plan;

/// What the pool holds from this process after its last write to a file. A later write subtracts it, so that the file gets only what is new.
#[derive(Debug)]
pub struct Contribution {
    /// All counters of 8 bytes; empty for other counters, which a merge does not add up.
    pub(super) counters: CounterCopy,
    /// The values, in the form that `file_values` reads.
    pub(super) values: Pages,
}

impl Contribution {
    /// No contribution.
    pub const EMPTY: Contribution = Contribution { counters: CounterCopy::EMPTY, values: Pages::EMPTY };

    /// Returns whether the profile `old` can hold this contribution: whether each of its counters is at least as large. If not, the file is
    /// another one with the same name, made after somebody removed the one that this process wrote to. `plan` is that of this image.
    pub fn is_held_by(
        &self,
        source: &dyn ProfileSource,
        old: &CheckedProfile,
        plan: &Plan,
        scratch: &mut [u8],
    ) -> Result<bool> {
        // Time stamps tell nothing: the earliest stays.
        if plan.variant().has(Variant::TEMPORAL) {
            return Ok(true);
        }
        for (at, contributed) in self.counters.extents(source.max_len(scratch.len())) {
            let theirs = source.bytes(old.counters.wrapping_add(at as u64), size_of_val(contributed), scratch)?;
            if !counters::contain(theirs, contributed) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
