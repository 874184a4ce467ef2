//! LLVM profiles as data: readers, merges and writers.

#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "mmap"), forbid(unsafe_code))]
#![deny(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

// The modules, in the order of the data flow.

// What a profile is
pub mod flags;
pub mod name;
pub mod profile;
mod sorted;
pub mod values;

// What goes wrong
pub mod error;
pub mod finding;

// From bytes to records and back
pub mod correlate;
mod leb128;
#[cfg(feature = "mmap")]
pub mod mapped;
pub mod memprof;
pub mod partial;
pub mod read;
pub mod release;
pub mod sink;
pub mod summary;
pub mod write;

// Many profiles to one
pub mod compat;
pub mod merge;

/// What the tests and fuzz targets of this repository reach. No release keeps it.
#[doc(hidden)]
pub mod internals {
    pub use crate::memprof::{is_read_by, relocate, version};
    pub use crate::read::names::for_each;
    pub use profrt_format::memop;
}

pub use error::Error;
pub use finding::{Finding, FindingKind, LossAccount};
pub use flags::Flags;
pub use name::{Name, NameId};
pub use profile::Profile;
pub use sink::{Format, Heading, RecordRef, Sink};
pub use values::{Value, ValueSites};
