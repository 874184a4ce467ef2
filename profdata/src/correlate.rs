//! Correlation: records and names of a profile that are only in its binary or in its debug info.

use std::sync::Arc;

use crate::error::Error;
use crate::read::names::NameTable;
use crate::read::raw::RecordHead;

/// What a binary has of a profile.
#[derive(Clone, Debug, Default)]
pub struct Correlated {
    /// Records. Addresses of counters and bitmaps are offsets in their sections, as always; value sites are not used.
    pub records: Vec<RecordHead>,
    /// Names of functions.
    pub names: NameTable,
}

/// Finds the records and names of profiles.
pub trait Correlation {
    /// Returns what the binary of a profile with these build ids has. A profile without a build id has none.
    ///
    /// Errors: [`crate::error::ErrorKind::UnableToCorrelate`] when no binary fits.
    fn find(&self, build_ids: &[&[u8]]) -> Result<Arc<Correlated>, Error>;
}
