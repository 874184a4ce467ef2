//! What object formats and linkers decide: section bounds, notes with build ids, and the binding and visibility of symbols. One file an object
//! format; nothing else in the runtime has assembler directives or names sections.

pub mod build_id;
#[macro_use]
mod elf;
#[cfg(all(not(feature = "hosted"), feature = "abi"))]
pub mod registered;

pub use build_id::MAX_NOTE_SEGMENTS;
pub use elf::*;
