//! System calls, in the kernel's form: a result, or the error's number less than 0.
//!
//! Each function of the C library that a program refers to is looked up by the loader, which costs the program's start more
//! than all else that a runtime does there. So where the calls have the same form on all CPUs, which is Linux with 64 bits,
//! they are made by number; elsewhere through the C library's functions, with 64-bit offsets everywhere.
//!
//! Calls on files that a signal has interrupted are made again here, but for `fallocate`, of which not every file system keeps what it
//! has done until then.

// Others with 64 bits have other forms of some calls.
#[cfg(kernel_by_number)]
mod by_number;
#[cfg(kernel_by_number)]
mod system_call;
#[cfg(kernel_by_number)]
pub use by_number::*;

#[cfg(not(kernel_by_number))]
mod by_name;
#[cfg(not(kernel_by_number))]
pub use by_name::*;

/// The C library with types and calls that have 64-bit file offsets.
#[cfg(large_files_by_other_names)]
#[path = "kernel/large.rs"]
pub mod libc;
#[cfg(not(large_files_by_other_names))]
pub use ::libc;

use crate::error::{Error, Result};

/// The option of `prctl` that returns the auxiliary vector; the `libc` crate lacks it.
const PR_GET_AUXV: core::ffi::c_int = 0x4155_5856;

/// Converts the result of a system call.
#[inline]
pub fn checked(result: isize) -> Result<usize> {
    // Errors are the last page of addresses, which no call returns otherwise.
    const ERRORS: usize = 4096;
    let value = result as usize;
    if value > usize::MAX - ERRORS { Err(Error::os(result.wrapping_neg() as i32)) } else { Ok(value) }
}

/// Converts the result of a system call that returns only success or an error.
pub fn done(result: isize) -> Result {
    checked(result).map(drop)
}

/// Returns the negative `errno` of the last call of the C library.
#[cfg(not(kernel_by_number))]
fn negative_errno() -> isize {
    // SAFETY: always a valid pointer to this thread's errno.
    #[allow(unsafe_code)]
    (unsafe { *libc::__errno_location() } as isize).wrapping_neg()
}
