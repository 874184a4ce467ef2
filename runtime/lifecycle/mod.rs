//! From start to exit: which name the profile's file has, when it is written, and what is said when that fails.

pub mod beside;
pub mod continuous;
pub mod control;
mod earlier;
pub mod filename;
pub mod fork;
mod mapped;
pub mod merging;
pub mod mismatch;
mod numbered;
mod run;
pub mod signal_list;
pub mod signals;
pub mod signature;
pub mod start;
pub mod stream;
pub mod values;
pub mod write;
