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

use frames::{Next, Tag};

#[cfg(doc)]
use crate::merge::Merger;
use crate::read::detect::PARTIAL;

/// Bytes before the first frame.
const HEADER: usize = 12;

/// The number of bytes that [`has_note`] looks at.
pub const NOTED: usize = HEADER + 1;

/// The version of the format.
const VERSION: u32 = 2;

/// Returns whether these are the first bytes, at least [`NOTED`], of a partial result with a note.
pub fn has_note(bytes: &[u8]) -> bool {
    bytes.starts_with(&PARTIAL) && bytes.get(HEADER) == Some(&(Tag::Note as u8))
}

/// Returns the note of a partial result ([`Merger::write_with_note`]). `None`: it has none, or the note is damaged.
pub fn note(bytes: &[u8]) -> Option<&[u8]> {
    let mut frames = bytes.get(HEADER..).filter(|_| bytes.starts_with(&PARTIAL))?;
    match frames::next(&mut frames) {
        Next::Frame(Tag::Note, content) => Some(content),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
