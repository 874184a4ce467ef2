//! What the tests, the benches and `xtask` share: where things are, how programs are run, the compilers of this machine, and the archives.

#![forbid(unsafe_code)]

// The ground: where things are, and how other programs are run.
pub mod paths;
pub mod run;
pub mod target;

// What is installed on this machine.
pub mod toolchain;

// What we ship.
pub mod dist;

// Real programs that are profiled, and the documented differences that C programs name.
pub mod compatibility;
pub mod programs;
