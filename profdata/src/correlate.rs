//! Correlation: records and names of a profile that are only in its binary or in its debug info.
//!
//! [`ObjectFiles`] takes any number of programs, shared objects and files of debug info. A reader finds the one of each profile by its build id:
//!
//! ```no_run
//! use std::sync::Arc;
//!
//! use profdata::correlate::ObjectFiles;
//! use profdata::merge::{FileInput, MergeOptions, merge_files};
//!
//! let mut objects = ObjectFiles::new();
//! for path in ["bin/server", "lib/libcodec.so"] {
//!     objects.add(std::fs::read(path)?)?;
//! }
//! let options = MergeOptions { correlation: Some(Arc::new(objects)), ..MergeOptions::default() };
//! let files = [FileInput { path: "server.profraw".into(), weight: 1 }];
//! let (profile, report) = merge_files(&files, 1, &options, &|_, _| {})?.finish()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod debug_info;
mod objects;

pub use crate::read::raw::{Correlated, Correlation};
pub use objects::ObjectFiles;
