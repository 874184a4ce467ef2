//! Correlation: records and names of a profile that are only in its binary or in its debug info.

use std::sync::Arc;

use crate::error::Error;
use crate::read::names::NameTable;
use crate::read::raw::{RawFile, RecordHead};

#[cfg(feature = "correlate")]
mod debug_info;
#[cfg(feature = "correlate")]
mod elf;

#[cfg(feature = "correlate")]
pub use elf::ElfFiles;

/// What a binary has of a profile.
#[derive(Clone, Debug, Default)]
pub struct Correlated {
    /// Records. Value sites are not used: such profiles have no values.
    pub records: Vec<RecordHead>,
    /// Names of functions.
    pub names: NameTable,
}

/// Finds the records and names of profiles that lack them.
pub trait Correlation {
    /// Returns what the binary of a profile has.
    ///
    /// Errors: [`crate::error::ErrorKind::UnableToCorrelate`] when no binary fits.
    fn find(&self, profile: &RawFile<'_>) -> Result<Arc<Correlated>, Error>;
}
