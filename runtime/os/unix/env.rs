//! The environment.

#![allow(unsafe_code)]

use core::ffi::CStr;

use super::auxv::secure;
use crate::path::c_str;

/// Returns the value of a variable, or `None` in a set-uid or set-gid process, whose caller has made its environment.
pub fn env(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: a C string. As with every reader of the environment, a program that changes it in another thread is at fault; we read at start-up
    // and copy at once. `getenv` takes no lock.
    let found = unsafe { libc::getenv(name.as_ptr()) };
    // SAFETY: a C string of the environment.
    (!found.is_null() && !secure()).then(|| unsafe { c_str(found) })
}

/// Sets an environment variable for child processes by the C library, which locks the environment and owns the copy. Not to be called in a
/// signal handler, since it uses the heap. Without memory, nothing is set.
pub fn set_env(name: &CStr, value: &CStr) {
    // SAFETY: C strings, which are copied.
    unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
}
