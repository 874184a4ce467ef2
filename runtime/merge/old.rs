//! The old profile: the one that a file holds before a merge.

use super::check::CheckedProfile;
use super::pages::Pages;

/// The profile of earlier runs in a file, checked against this image.
#[derive(Debug)]
pub struct OldProfile {
    /// The offsets of the profile's parts, and the map of its addresses to those of this process.
    pub checked: CheckedProfile,
    /// A copy of the profile's value data, checked.
    pub values: Pages,
}
