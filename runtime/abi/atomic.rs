//! What counting calls on CPUs whose atomic instructions end at 32 bits, where there is no libatomic: rustc's coverage counts
//! atomically everywhere, and so does clang's with `-fprofile-update=atomic`.

#![allow(unsafe_code)]

use core::ffi::c_int;

use crate::sync::{AtomicU64, Ordering};

core::arch::global_asm!(".hidden __atomic_fetch_add_8");

/// Adds to a counter, and returns what was there before. Exact, whoever adds at the same time by the same call.
///
/// # Safety
/// `number` must be valid and aligned, and used by nobody but in this way.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_fetch_add_8(number: *mut u64, by: u64, _order: c_int) -> u64 {
    // SAFETY: the caller's contract.
    unsafe { AtomicU64::from_ptr(number) }.fetch_add(by, Ordering::Relaxed)
}
