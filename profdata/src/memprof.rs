//! MemProf sections of indexed profiles, version 2 to 4.

use crate::error::{Error, ErrorKind};
use crate::release::Release;

/// Returns whether the tools and compilers of a release read this section.
pub fn is_read_by(section: &[u8], release: Release) -> bool {
    let first = section.first_chunk().map(|word| u64::from_le_bytes(*word));
    match first {
        Some(2 | 3) => release.number() >= 19,
        Some(4) => release.number() >= 21,
        _ => false,
    }
}

/// Returns the section for another place.
pub fn relocate(_section: &[u8], _from: u64, _to: u64) -> Result<Vec<u8>, Error> {
    Err(Error::new(ErrorKind::Unwritable, "MemProf"))
}
