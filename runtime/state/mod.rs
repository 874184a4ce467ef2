//! The statics, each with its invariant. (Statics of the value profiler stand beside its hot path.)

use core::sync::atomic::{AtomicBool, AtomicU32};

#[cfg(feature = "hosted")]
pub mod continuous;
#[cfg(feature = "hosted")]
pub mod files;

/// The profile was dumped and nothing was reset since: further writes are skipped.
pub static DUMPED: AtomicBool = AtomicBool::new(false);
/// How often counters were reset: what was written before a reset stays in the file.
pub static RESETS: AtomicU32 = AtomicU32::new(0);
