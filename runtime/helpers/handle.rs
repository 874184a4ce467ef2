//! The file of a C stream of the program.

#![allow(unsafe_code)]

use core::ffi::c_int;

/// Locks or unlocks the file of a stream. Returns 0, or -1 where the system has no locks for it.
///
/// # Safety
/// `stream` must be an open stream.
pub unsafe fn lock(stream: *mut libc::FILE, on: bool) -> c_int {
    // SAFETY: an open stream by this function's contract.
    super::lock(unsafe { descriptor(stream) }, on)
}

/// Returns the file descriptor of a stream; -1 where it has none.
///
/// # Safety
/// `stream` must be an open stream.
pub unsafe fn descriptor(stream: *mut libc::FILE) -> c_int {
    // SAFETY: an open stream by this function's contract.
    unsafe { libc::fileno(stream) }
}
