//! Coverage reports of LLVM profiles.

#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

// The modules, in the order of the data flow.

// Words, names, numbers
pub mod general;
pub mod lines;
pub mod names;
pub mod parallel;
pub mod text;
pub mod totals;

// Programs, profiles, sources
pub mod load;
pub mod paths;

// What counts: not what is excluded, and of a change what is new
pub mod changes;
pub mod diff;
pub mod exclude;
mod rust;

// What ran
pub mod account;
pub mod files;

// What ran before
pub mod baseline;
pub mod comparison;

// What is written of it
pub mod format;
pub mod formats;
mod texts;

pub use profdata::coverage::Rules;
pub use texts::texts;
