//! `LLVM_PROFILE_FORK`: what forked children begin with.

use core::sync::atomic::{AtomicBool, Ordering};

use crate::os;
use crate::report::{Grade, print};

/// A warning about the value was printed. A program with a profile and `.gcda` files asks twice.
static WARNED: AtomicBool = AtomicBool::new(false);

/// Returns whether children start from zero. Warns of an unknown value, once.
pub fn is_reset() -> bool {
    match os::env(c"LLVM_PROFILE_FORK").map_or(b"" as &[u8], |how| how.to_bytes()) {
        b"" | b"inherit" => false,
        b"reset" => true,
        other => {
            if !WARNED.swap(true, Ordering::Relaxed) {
                let what = b"LLVM_PROFILE_FORK is ignored: it must be \"reset\" or \"inherit\", not \"";
                print(Grade::Warning, &[what, other, b"\"."]);
            }
            false
        }
    }
}
