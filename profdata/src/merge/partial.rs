//! Partial results: merged profiles that merge further, without loss.
//!
//! An indexed profile cannot be merged further without loss: its sites are cut to 255 values, and parts of other sizes are gone. A partial
//! result has all that a [`Merger`](crate::merge::Merger) has, so that N inputs merged in any groups, on any machines, end in the same
//! bytes as one merge of all.
//!
//! The file is 12 bytes (magic `ff "profpt" 81`, `u32` version) and frames. Integers of frame headers are little-endian; numbers in frames are
//! LEB128 unless said otherwise. They have up to 64 bits; the sums of counts in the account of an input have up to 128, and an earlier
//! profrt refuses a larger one.
//!
//! | bytes | of each frame |
//! | --- | --- |
//! | 1 | what it has: 1 kinds of profile, 2 inputs, 3 records, 4 temporal traces, 5 vtable names, 6 binary ids, 7 MemProf, 8 findings, 255 end |
//! | 4 | `u32` length of the content |
//! | 4 | `u32` CRC-32 (IEEE) of the five bytes before and of the content |
//! | | the content |
//!
//! The last frame says how many stand before it. Of a file that is cut, all frames before the cut can be used.

mod codes;
pub(crate) mod fields;
mod frames;
mod read;
mod write;

/// The version of the format.
const VERSION: u32 = 1;

#[cfg(test)]
mod tests;
