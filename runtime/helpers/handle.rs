//! The file behind a C stream of the program.

#![allow(unsafe_code)]

use core::ffi::c_int;

/// Locks or unlocks the file behind a stream. 0, or -1.
///
/// # Safety
/// `stream` must be an open stream.
pub unsafe fn lock(stream: *mut libc::FILE, on: bool) -> c_int {
    // SAFETY: the caller's contract.
    super::lock(unsafe { descriptor(stream) }, on)
}

/// The file behind a stream; -1 when there is none.
///
/// # Safety
/// `stream` must be an open stream.
pub unsafe fn descriptor(stream: *mut libc::FILE) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { libc::fileno(stream) }
}
