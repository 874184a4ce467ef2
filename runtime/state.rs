//! Statics that several modules share.

use crate::sync::{AtomicBool, AtomicU32};

#[cfg(feature = "hosted")]
pub mod request;

/// Further writes to the file are skipped until the counters are reset: the profile was written at exit, or the program has called
/// `__llvm_profile_dump` or `__llvm_profile_set_dumped`.
pub static DUMPED: AtomicBool = AtomicBool::new(false);
/// How often the counters were reset: what was written before stays in the file.
pub static RESETS: AtomicU32 = AtomicU32::new(0);
