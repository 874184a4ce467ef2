//! Statics that several modules share.

use crate::sync::{AtomicBool, AtomicPtr, AtomicU32};

#[cfg(feature = "hosted")]
pub mod request;

/// Further writes to the file are skipped until the counters are reset: the profile was written at exit, or the program has called
/// `__llvm_profile_dump`, `__llvm_profile_set_dumped` or `lprofSetProfileDumped`, which can also clear the mark.
pub static DUMPED: AtomicBool = AtomicBool::new(false);
/// The function that resets counters beside writes of a file, and calls [`crate::reset::forget_dump`]; null without files. Invariant: null, or
/// an `extern "C" fn()` of this image. (Called by address, so that programs without files do not link that code.)
pub static RESET_BESIDE_WRITES: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// How often the counters were reset: what was written before stays in the file.
pub static RESETS: AtomicU32 = AtomicU32::new(0);
