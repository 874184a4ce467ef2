//! Puts profrt's archive where a clang looks for its own: the command `install` of `profrt` and of `cargo xtask`.
//!
//! An *overlay* is a resource directory of links to the compiler's own, in which only the profile archive is ours:
//! `clang -resource-dir OVERLAY …` needs no other change. *In place* replaces the compiler's archive and keeps it beside.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

// Who asks, and what for.
pub mod archive;
pub mod compiler;

// Two ways in.
pub mod in_place;
pub mod overlay;

// The command line.
pub mod command;
