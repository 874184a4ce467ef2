//! Correlation: records and names of a profile that are only in its binary or in its debug info.
//!
//! [`ElfFiles`] takes any number of programs, shared objects and files of debug info. A reader finds the one of each profile by its build id:
//!
#![cfg_attr(feature = "correlate", doc = "```no_run")]
#![cfg_attr(not(feature = "correlate"), doc = "```ignore")]
//! use std::sync::Arc;
//!
//! use profdata::correlate::ElfFiles;
//! use profdata::merge::{FileInput, MergeOptions, merge_files};
//!
//! let mut elf = ElfFiles::new();
//! for path in ["bin/server", "lib/libcodec.so"] {
//!     elf.add(std::fs::read(path)?)?;
//! }
//! let options = MergeOptions { correlation: Some(Arc::new(elf)), ..MergeOptions::default() };
//! let files = [FileInput { path: "server.profraw".into(), weight: 1 }];
//! let (profile, report) = merge_files(&files, 1, &options, &|_, _| {})?.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::sync::Arc;

use crate::error::Error;
use crate::name::Name;
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
