//! What the kernel tells a process at its start.

#![allow(unsafe_code)]

use core::ffi::c_ulong;
use core::sync::atomic::{AtomicU8, Ordering};

/// Returns the value of a kind (`AT_…`); 0 where the kernel says none.
pub fn auxv(kind: c_ulong) -> usize {
    // SAFETY: no preconditions.
    unsafe { libc::getauxval(kind) as usize }
}

/// Returns whether the process has more rights than its caller, so that the caller's environment, working directory and descriptors are not
/// trusted.
pub fn secure() -> bool {
    /// 0: not known yet; 1: it has not; 2: it has.
    static KNOWN: AtomicU8 = AtomicU8::new(0);
    let mut known = KNOWN.load(Ordering::Relaxed);
    if known == 0 {
        known = if auxv(libc::AT_SECURE) == 0 { 1 } else { 2 };
        KNOWN.store(known, Ordering::Relaxed);
    }
    known == 2
}

/// Returns the effective user id that the process had at its start, without a system call.
pub fn user_at_start() -> u32 {
    auxv(libc::AT_EUID) as u32
}
