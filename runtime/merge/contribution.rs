//! The contribution of this process to a pool file: a copy of the counters and values that the file holds from this process.

use super::check::CheckedProfile;
use super::counters;
use super::pages::Pages;
use super::source::{Pieces, ProfileSource};
use crate::error::Result;
use crate::format::Variant;
use crate::native::Plan;

/// The counts that this process has added to a pool file. A later write subtracts them, so that the file gets only what is new.
#[derive(Debug)]
pub struct Contribution {
    /// All counters of 8 bytes; empty for other counters, which a merge does not add up.
    pub(super) counters: Pages,
    /// The values, in the form that `file_values` reads.
    pub(super) values: Pages,
}

impl Contribution {
    /// No contribution.
    pub const EMPTY: Contribution = Contribution { counters: Pages::EMPTY, values: Pages::EMPTY };

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
        let mut rest = self.counters.words();
        let mut pieces = Pieces::of(source, old.counters, size_of_val(rest) as u64, 8, scratch)?;
        while !rest.is_empty() {
            let piece = pieces.next(scratch)?;
            if !counters::contain(piece, rest) {
                return Ok(false);
            }
            rest = rest.get(piece.len() / 8..).unwrap_or(&[]);
        }
        Ok(true)
    }
}
