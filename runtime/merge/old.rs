//! The profile that a file holds before a merge.

use super::check::CheckedProfile;
use super::pages::Pages;

/// The profile of earlier runs in a file, checked against this image.
#[derive(Debug)]
pub struct OldProfile {
    /// Offsets of its parts, and the addresses of its process.
    pub theirs: CheckedProfile,
    /// A copy of its value data, checked.
    pub values: Pages,
}
