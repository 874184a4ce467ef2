//! Statics that several modules share.

use crate::sync::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering};

#[cfg(feature = "hosted")]
pub mod request;

/// Further writes to the file are skipped until the counters are reset: the program has called `__llvm_profile_dump`,
/// `__llvm_profile_set_dumped` or `lprofSetProfileDumped`, which can also clear the mark.
pub static DUMPED: AtomicBool = AtomicBool::new(false);
/// The function that resets counters beside writes of a file, and calls [`crate::reset::forget_dump`]; null without files. Invariant: null, or
/// an `extern "C" fn()` of this image. (Called by address, so that programs without files do not link that code.)
pub static RESET_BESIDE_WRITES: AtomicPtr<()> = AtomicPtr::new(core::ptr::null_mut());
/// The number of counters that merges from memory have saturated since the last report.
pub static SATURATED_IN_MEMORY: AtomicUsize = AtomicUsize::new(0);
/// Name hash of the function of the first of them. Has a meaning only while the number above is not 0.
pub static FIRST_SATURATED_IN_MEMORY: AtomicU64 = AtomicU64::new(0);

/// Adds the saturated counters of one merge.
pub fn note_saturated(saturated: usize, function: u64) {
    if saturated > 0 && SATURATED_IN_MEMORY.fetch_add(saturated, Ordering::Relaxed) == 0 {
        FIRST_SATURATED_IN_MEMORY.store(function, Ordering::Relaxed);
    }
}

/// How often the counters were reset: what was written before stays in the file.
pub static RESETS: AtomicU32 = AtomicU32::new(0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_saturated_function_of_several_merges_is_kept() {
        note_saturated(1, 7);
        note_saturated(0, 8);
        note_saturated(2, 9);
        assert_eq!(SATURATED_IN_MEMORY.load(Ordering::Relaxed), 3);
        assert_eq!(FIRST_SATURATED_IN_MEMORY.load(Ordering::Relaxed), 7);
    }
}
