//! The 64-bit atomic addition that counting code calls on CPUs whose atomic instructions end at 32 bits, where there is no libatomic: code
//! that rustc instruments counts atomically, and so does clang's with `-fprofile-update=atomic`.

#![allow(unsafe_code)]

use core::ffi::c_int;

use crate::sync::{AtomicU64, Ordering};

crate::link::hide!("__atomic_fetch_add_8");

/// Adds to a counter, and returns its value before. No addition is lost, whatever other calls of this function run at the same time.
///
/// # Safety
/// `number` must be valid and aligned. Meanwhile it must be changed only by calls of this function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_fetch_add_8(number: *mut u64, by: u64, _order: c_int) -> u64 {
    // SAFETY: `number` is valid, aligned and used atomically by this function's contract.
    unsafe { AtomicU64::from_ptr(number) }.fetch_add(by, Ordering::Relaxed)
}
