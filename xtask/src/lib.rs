//! What the project's commands are made of, in the order in which they build on one another.
//!
//! A library beside the `xtask` program, so that the tests (ours, and the harness in `c-tests/`) call the same code that the
//! commands do: the archive a test links is the archive that is shipped.

#![forbid(unsafe_code)]

// The ground: where things are, and how other programs are run.
pub mod paths;
pub mod run;
pub mod target;

// What is installed on this machine.
pub mod toolchain;

// What we ship, and how it gets into a compiler.
pub mod dist;
pub mod package;

// Proofs about what we ship.
pub mod audit;

// The long commands.
pub mod bench;
pub mod demo;
pub mod embedded;
pub mod suite;
