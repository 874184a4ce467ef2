//! LLVM releases: which versions each one writes and reads, and where the bytes of one version differ.

use std::fmt;

/// A release of LLVM, 13 to 23.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Release(u32);

impl Release {
    /// The oldest release that this crate knows.
    pub const OLDEST: Release = Release(13);
    /// The newest release that this crate knows.
    pub const NEWEST: Release = Release(23);

    /// Returns the release with this number; `None` for one that this crate does not know.
    pub const fn new(number: u32) -> Option<Release> {
        if number < Self::OLDEST.0 || number > Self::NEWEST.0 { None } else { Some(Release(number)) }
    }

    /// Returns the number, for example 22.
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LLVM {}", self.0)
    }
}
