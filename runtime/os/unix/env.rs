//! The environment.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};
use core::ptr;

use super::auxv::secure;
use crate::path::c_str;

unsafe extern "C" {
    // POSIX; not in the `libc` crate.
    static mut environ: *mut *mut c_char;
}

/// Returns the value of a variable, or `None` in a set-uid or set-gid process.
pub fn env(name: &CStr) -> Option<&'static CStr> {
    let mut found: *const c_char = ptr::null();
    // SAFETY: the list of pointers to C strings that `environ` points to ends with null, or is null itself. As with every
    // reader of the environment, a program that changes it in another thread is at fault; we read at start-up and copy at
    // once.
    unsafe {
        let mut next = environ;
        while found.is_null() && !next.is_null() && !(*next).is_null() {
            found = value_in(*next, name);
            next = next.wrapping_add(1);
        }
    }
    // The caller of a process with more rights has made its environment.
    if found.is_null() || secure() {
        return None;
    }
    // SAFETY: a C string of the environment.
    Some(unsafe { c_str(found) })
}

/// Returns the value in an entry of the variable `name`; null for another variable.
fn value_in(entry: *const c_char, name: &CStr) -> *const c_char {
    let mut at = entry;
    for byte in name.to_bytes() {
        // SAFETY: a C string; not read beyond a NUL, which no name has.
        if unsafe { *at } as u8 != *byte {
            return ptr::null();
        }
        at = at.wrapping_add(1);
    }
    // SAFETY: behind bytes that are not NUL.
    if unsafe { *at } as u8 == b'=' { at.wrapping_add(1) } else { ptr::null() }
}

/// Sets an environment variable for child processes by the C library, which locks the environment and owns the copy. Not to be called in a
/// signal handler, since it uses the heap. Without memory, nothing is set.
pub fn set_env(name: &CStr, value: &CStr) {
    // SAFETY: C strings, which are copied.
    unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
}
