//! LLVM profiles as data: readers, merges and writers.

#![doc = include_str!("../README.md")]
#![cfg_attr(not(feature = "mmap"), forbid(unsafe_code))]
#![deny(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(
    not(all(feature = "correlate", feature = "coverage")),
    allow(dead_code, reason = "what modules share serves those of features, too")
)]
#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::unwrap_used, clippy::expect_used, clippy::panic))]

// The modules, in the order of the data flow.

// What goes wrong, and what a profile has
pub mod error;
pub mod finding;
mod flags;
pub mod name;
pub mod profile;
mod release;
pub mod sink;
mod sorted;
pub mod summary;
pub mod values;

// From bytes to records and back
mod chained;
#[cfg(feature = "correlate")]
pub mod correlate;
#[cfg(feature = "coverage")]
pub mod coverage;
mod leb128;
#[cfg(feature = "mmap")]
pub mod mapped;
mod maps;
pub mod memprof;
pub mod read;
#[cfg(any(feature = "correlate", feature = "coverage"))]
mod sections;
pub mod write;

// Many profiles to one
pub mod compat;
pub mod merge;

// Any input
mod file;

/// The layout of raw profiles, for programs that write them.
pub use profrt_format as format;

pub use error::Error;
pub use file::{File, Record, read};
pub use finding::Finding;
pub use merge::Merger;
pub use profile::Profile;
pub use release::Target;
