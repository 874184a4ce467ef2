//! Partial results: merged profiles that merge further, without loss.
//!
//! An indexed profile cannot be merged further without loss: its sites are cut to 255 values, and parts of other sizes are gone. A partial
//! result has all that a [`Merger`](crate::merge::Merger) has, so that N inputs merged in any groups, on any machines, end in the same
//! bytes as one merge of all. [`Merger::write_partial`](crate::Merger::write_partial) has the format.

mod codes;
pub(crate) mod fields;
mod frames;
mod read;
mod write;

/// The version of the format.
const VERSION: u32 = 1;

#[cfg(test)]
mod tests;
