//! Reads raw profiles of version 7 to 11: of 32 and 64 bits, of both byte orders, and several in one file.

mod changing;
mod correlation;
mod file;
mod fingerprint;
mod head;
mod known;
mod next;
mod parts;
mod reader;
mod values;

use std::fmt;

use crate::error::{Error, ErrorKind};
use crate::read::names::NameTable;
use crate::release::Release;
use crate::sink::Sink;
pub use changing::ChangingSections;
pub use correlation::{Correlated, Correlation};
pub use file::{Counters, RawFile};
pub use head::RecordHead;
pub(crate) use reader::profiles;
pub(crate) use values::{Targets, ValueCursor, fill};

/// The largest counter that is believed.
pub const LARGEST_COUNTER: u64 = 1 << 56;

/// How [`read`] reads.
#[derive(Clone, Copy, Default)]
pub struct RawOptions<'a> {
    /// Deliver everything that is whole of an input that is cut or damaged, and a finding for each loss. Otherwise the first damage is an
    /// error, as for `llvm-profdata`; the records before it have been delivered.
    pub salvage: bool,
    /// What to do with a counter above [`LARGEST_COUNTER`].
    pub large_counters: LargeCounters,
    /// Where to find the records of profiles that lack them, and the names of functions that neither the input nor `names` has.
    pub correlation: Option<&'a dyn Correlation>,
    /// Refuse other versions than that of `llvm-profdata` of this release. `None`: read all versions.
    pub release: Option<Release>,
    /// Names for functions that the input does not name: from another input of the same binary.
    pub names: Option<&'a NameTable>,
    /// Leave the names of functions unread, damage in them too: records have the hashes. Not for salvage.
    pub unnamed: bool,
}

/// What to do with a counter above [`LARGEST_COUNTER`]: other bytes were probably written over it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LargeCounters {
    /// Deliver the function and all others, then return an error for the first such counter, as `llvm-profdata` does.
    #[default]
    Fail,
    /// Deliver a finding in the place of the function.
    LeaveOut,
}

impl RawOptions<'_> {
    /// Returns the options that deliver as much as possible.
    pub fn salvage() -> RawOptions<'static> {
        RawOptions { salvage: true, large_counters: LargeCounters::LeaveOut, ..RawOptions::default() }
    }
}

impl fmt::Debug for RawOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawOptions")
            .field("salvage", &self.salvage)
            .field("large_counters", &self.large_counters)
            .field("correlation", &self.correlation.is_some())
            .field("release", &self.release)
            .field("names", &self.names.map(NameTable::len))
            .finish()
    }
}

/// Reads all profiles of a raw file.
///
/// Errors: without [`RawOptions::salvage`] the first damage. With it, only that no profile begins at the start of `bytes`, that its binary is needed
/// and cannot be found, or what the sink returns.
pub fn read(bytes: &[u8], options: &RawOptions<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    if bytes.is_empty() {
        return Err(Error::new(ErrorKind::Empty, "Magic").at(0u64));
    }
    reader::RawReader::new(options, sink).read(bytes)
}

/// Returns whether a raw profile begins here.
pub fn is_raw(bytes: &[u8]) -> bool {
    !matches!(profrt_format::Header::decode(bytes), Err(profrt_format::FormatError::BadMagic)) && bytes.len() >= 8
}
