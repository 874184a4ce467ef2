//! Coverage mappings of every installed compiler, read by this crate and by the `llvm-cov` of the same release.

#[path = "coverage/dump.rs"]
mod dump;
#[path = "coverage/files.rs"]
mod files;
#[path = "coverage/formats.rs"]
mod formats;
#[path = "coverage/functions.rs"]
mod functions;
#[path = "coverage/hostile.rs"]
mod hostile;
#[path = "coverage/made.rs"]
mod made;
#[path = "coverage/objects.rs"]
mod objects;
#[path = "coverage/programs.rs"]
mod programs;
#[path = "coverage/read_all.rs"]
mod read_all;
