//! Reads raw profiles of version 7 to 11: of 32 and 64 bits, of both byte orders, and several in one file.

mod changing;
mod file;
mod fingerprint;
mod head;
mod next;
mod parts;
mod reader;
mod values;

use std::fmt;
use std::sync::Arc;

use crate::error::{Error, ErrorKind};
use crate::name::Name;
use crate::read::ReadOptions;
use crate::read::names::NameTable;
use crate::sink::Sink;
pub use changing::ChangingSections;
pub use file::{Counters, RawFile};
pub use head::RecordHead;
pub(crate) use reader::profiles;
pub(crate) use values::{Targets, ValueCursor, fill};

/// The largest counter that is believed: a larger one was probably written over.
pub const LARGEST_COUNTER: u64 = 1 << 56;

/// Reads all profiles of a raw file.
///
/// Errors: without [`ReadOptions::salvage`] the first damage. With it, only that no profile begins at the start of `bytes`, that its binary is needed
/// and cannot be found, or what the sink returns.
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    read_names(bytes, options, true, sink)
}

/// Reads the same. `!names`: leaves the names of functions unread, damage in them too, so that records have the hashes; not for salvage.
pub(crate) fn read_names(
    bytes: &[u8],
    options: &ReadOptions<'_>,
    names: bool,
    sink: &mut (impl Sink + ?Sized),
) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "Magic").at(0u64));
    }
    reader::RawReader::new(options, names, sink).read(bytes)
}

/// Returns whether a raw profile begins here.
pub fn is_raw(bytes: &[u8]) -> bool {
    !matches!(profrt_format::Header::decode(bytes), Err(profrt_format::FormatError::BadMagic)) && bytes.len() >= 8
}

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
