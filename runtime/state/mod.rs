//! The statics, each with its invariant. (Statics of the value profiler stand beside its hot path.)

use crate::sync::{AtomicBool, AtomicPtr, AtomicU32};

#[cfg(feature = "hosted")]
pub mod continuous;
#[cfg(feature = "hosted")]
pub mod files;
#[cfg(feature = "hosted")]
pub mod given;

/// The profile was dumped and nothing was reset since: further writes are skipped.
pub static DUMPED: AtomicBool = AtomicBool::new(false);
/// A function that brings the file of continuous mode up to date after a reset, null while there is none. Invariant: null, or
/// an `extern "C" fn()` of this image. (Called by address, so that programs without files do not link that code.)
pub static AFTER_RESET: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// How often counters were reset: what was written before a reset stays in the file.
pub static RESETS: AtomicU32 = AtomicU32::new(0);
