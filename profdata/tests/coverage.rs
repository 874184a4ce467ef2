//! Coverage mappings of every installed compiler, read by this crate and by the `llvm-cov` of the same release.

#[path = "coverage/dump.rs"]
mod dump;
#[path = "coverage/functions.rs"]
mod functions;
#[path = "coverage/objects.rs"]
mod objects;
#[path = "coverage/programs.rs"]
mod programs;
