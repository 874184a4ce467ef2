//! The host tool of profrt: merges, watches, shows, compares, converts, checks, receives and rebuilds profiles.
//!
//! What formats mean is the business of the crate `profdata`, and what ran of which source that of `profrt-coverage`. Only what makes raw profiles
//! (`rebuild`) and takes them from devices (`receive`) uses their layout, [`profdata::format`]. How commands report is the business of `report`.

#![forbid(unsafe_code)]
#![warn(missing_docs)]
#![cfg_attr(not(feature = "live"), allow(dead_code, reason = "some of what commands share is for `profrt live` alone"))]

mod hand_on;
#[macro_use]
mod say;

// What commands share: words, reports, inputs, pages.
pub mod inputs;
mod page;
mod places;
pub mod report;
pub mod text;

// What a profile says.
pub mod show;

// Is it whole?
pub mod check;

// From an ELF file and memory.
pub mod rebuild;

// From a device.
pub mod receive;

// LLVM's tool, replaced.
pub mod llvm_profdata;

// Many profiles to one, for a chosen compiler.
pub mod merge;

// The same, as profiles appear.
#[cfg(unix)]
pub mod watch;
// A profile in another form.
pub mod convert;

// What is different between two profiles.
pub mod diff;

// What a profile is worth for a program.
pub mod quality;

// The same as a page, and what is different.
pub mod profile_page;

// What ran of the source.
pub mod cov;

// Which compilers, runtimes and profiles go together, and how ours gets into a compiler.
#[cfg(unix)]
pub mod doctor;
#[cfg(unix)]
pub mod install;

// All commands: signals, and the command line with its man pages and completions.
pub mod command_line;
pub mod manual;
#[cfg(unix)]
pub mod signals;
