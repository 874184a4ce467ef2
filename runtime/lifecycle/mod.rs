//! From start to exit: which name the profile's file has, when it is written, and what is said when that fails.

pub mod beside;
pub mod continuous;
pub mod control;
pub mod filename;
mod mapped;
pub mod mismatch;
pub mod signature;
pub mod start;
pub mod values;
pub mod write;
