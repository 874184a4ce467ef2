//! The statics, each with its invariant. (Statics of the value profiler stand beside its hot path.)

use core::sync::atomic::AtomicBool;

#[cfg(feature = "hosted")]
pub mod files;

/// The profile was dumped and nothing was reset since: further writes are skipped.
pub static DUMPED: AtomicBool = AtomicBool::new(false);
