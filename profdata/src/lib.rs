//! LLVM profiles as data: readers, merges and writers.

#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "mmap"), forbid(unsafe_code))]
#![deny(unsafe_code)]
#![warn(missing_docs)]
// What modules share serves all of them, and a build with some features has not all.
#![cfg_attr(
    not(all(feature = "compat", feature = "correlate", feature = "partial", feature = "text", feature = "write")),
    allow(dead_code)
)]
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

// The modules, in the order of the data flow.

// What goes wrong, and what a profile has
pub mod error;
pub mod finding;
mod flags;
#[doc(hidden)]
pub mod name;
#[doc(hidden)]
pub mod profile;
mod release;
pub mod sink;
mod sorted;
#[doc(hidden)]
pub mod summary;
#[doc(hidden)]
pub mod values;

// From bytes to records and back
#[cfg(any(feature = "memprof", feature = "write"))]
mod chained;
#[cfg(feature = "correlate")]
pub mod correlate;
#[cfg(feature = "coverage")]
pub mod coverage;
mod leb128;
#[cfg(feature = "mmap")]
pub mod mapped;
#[cfg(feature = "memprof")]
pub mod memprof;
pub mod read;
#[cfg(any(feature = "correlate", feature = "coverage"))]
mod sections;
#[cfg(feature = "write")]
pub mod write;

// Many profiles to one
#[cfg(feature = "compat")]
pub mod compat;
#[cfg(feature = "merge")]
pub mod merge;

// Any input
mod file;

/// What the tests and fuzz targets of this repository reach. No release keeps it.
#[doc(hidden)]
pub mod internals {
    #[cfg(feature = "memprof")]
    pub use crate::memprof::{is_read_by, relocate, version};
    pub use crate::read::names::for_each;
    pub use profrt_format::memop;
}

pub use error::Error;
pub use file::{File, Record, read};
pub use finding::Finding;
#[cfg(feature = "merge")]
pub use merge::Merger;
pub use profile::Profile;
pub use release::Target;
