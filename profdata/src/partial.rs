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
//! | 1 | what it has: 1 kinds of profile, 2 inputs, 3 records, 4 temporal traces, 5 vtable names, 6 binary ids, 7 MemProf, 8 findings, 9 a note, 255 end |
//! | 4 | `u32` length of the content |
//! | 4 | `u32` CRC-32 (IEEE) of the five bytes before and of the content |
//! | | the content |
//!
//! The last frame says how many stand before it. Of a file that is cut, all frames before the cut can be used.
//!
//! A note is what a program that keeps a sum up to date must know of it: which files are in it. In one file, the sum and the note cannot
//! disagree. It is the first frame, and no part of the sum. Version 1 has no notes, and is read too.

mod codes;
pub(crate) mod fields;
mod frames;
mod read;
mod write;

use frames::{Next, Tag};

#[cfg(doc)]
use crate::merge::Merger;

/// The first bytes of a partial result.
pub const MAGIC: [u8; 8] = *b"\xffprofpt\x81";

/// Bytes before the first frame.
const HEADER: usize = 12;

/// The number of bytes that [`has_note`] looks at.
pub const NOTED: usize = HEADER + 1;

/// The version of the format.
pub const VERSION: u32 = 2;

/// Returns whether these are the first bytes of a partial result.
pub fn is_partial(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Returns whether these are the first bytes, at least [`NOTED`], of a partial result with a note.
pub fn has_note(bytes: &[u8]) -> bool {
    is_partial(bytes) && bytes.get(HEADER) == Some(&(Tag::Note as u8))
}

/// Returns the note of a partial result ([`Merger::write_with_note`]). `None`: it has none, or the note is damaged.
pub fn note(bytes: &[u8]) -> Option<&[u8]> {
    let mut frames = bytes.get(HEADER..).filter(|_| is_partial(bytes))?;
    match frames::next(&mut frames) {
        Next::Frame(Tag::Note, content) => Some(content),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
