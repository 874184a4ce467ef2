//! `LLVM_PROFILE_FORK`: what forked children begin with.

use core::sync::atomic::{AtomicBool, Ordering};

use crate::os;
use crate::report::{Grade, print};

/// Children start from zero.
pub static RESET: AtomicBool = AtomicBool::new(false);
/// The environment was read. A program with a profile and `.gcda` files asks twice.
static LEARNED: AtomicBool = AtomicBool::new(false);

/// Reads the environment, once. Warns of an unknown value.
pub fn learn() {
    if !os::FORKS || LEARNED.swap(true, Ordering::Relaxed) {
        return;
    }
    match os::env(c"LLVM_PROFILE_FORK").map_or(b"" as &[u8], |how| how.to_bytes()) {
        b"" | b"inherit" => {}
        b"reset" => RESET.store(true, Ordering::Relaxed),
        other => {
            let what = b"LLVM_PROFILE_FORK is ignored: it must be \"reset\" or \"inherit\", not \"";
            print(Grade::Warning, &[what, other, b"\"."]);
        }
    }
}
