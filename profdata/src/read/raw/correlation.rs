//! What a profile has only in its binary.

use std::fmt;
use std::sync::Arc;

use super::{RawFile, RecordHead};
use crate::error::Error;
use crate::name::Name;
use crate::read::names::NameTable;

/// What a binary has of a profile.
#[derive(Clone, Debug, Default)]
pub struct Correlated {
    /// Records. Value sites are not used: such profiles have no values.
    pub records: Vec<RecordHead>,
    /// Names of functions.
    pub names: NameTable,
}

/// Finds the records and names of profiles that lack them.
pub trait Correlation: fmt::Debug + Send + Sync {
    /// Returns what the binary of a profile has.
    ///
    /// Errors: [`crate::error::ErrorKind::UnableToCorrelate`] when no binary fits.
    fn find(&self, profile: &RawFile<'_>) -> Result<Arc<Correlated>, Error>;

    /// Returns the name of a function by its hash ([`crate::name::name_hash`]), for profiles whose names are damaged. `None`: no binary has it.
    fn name(&self, _hash: u64) -> Option<Name<'_>> {
        None
    }
}
