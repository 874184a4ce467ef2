//! What the project's commands are made of, in the order in which they build on one another.
//!
//! A library beside the `xtask` program, so that tests and benches call the same code that the commands do.

#![forbid(unsafe_code)]

// What a release uploads.
pub mod package;

// Proofs about what we ship.
pub mod audit;

// The long commands.
pub mod embedded;
pub mod suite;
