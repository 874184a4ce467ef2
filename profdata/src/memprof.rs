//! MemProf sections of indexed profiles, version 2 to 4: where programs allocate memory, and how that memory is used.

mod blake3;
mod data_access;
mod place;
mod read;
mod schema;
mod section;
mod stacks;
mod summary;
mod write;

pub use place::relocate;
pub use schema::{Field, Schema};
pub use section::{Allocation, MemProf};
pub use stacks::{Frame, StackId, Stacks};

use crate::release::Release;

/// Returns the version of a MemProf section; `None` for one without a version word, which is version 0.
pub fn version(section: &[u8]) -> Option<u64> {
    // Without a version word the first word is an offset after the header of the profile.
    word(section).filter(|version| *version < 24)
}

/// Returns whether the tools and compilers of a release read this section.
pub fn is_read_by(section: &[u8], release: Release) -> bool {
    match version(section) {
        Some(2 | 3) => release.number() >= 19,
        Some(4) => release.number() >= 21,
        _ => false,
    }
}

/// Returns the first word.
fn word(section: &[u8]) -> Option<u64> {
    section.first_chunk().map(|word| u64::from_le_bytes(*word))
}

#[cfg(test)]
mod tests;
