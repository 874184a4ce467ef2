//! The environment. It is read where the C library has it: a program may define `getenv` (shells do), and would find calls in it that it has not
//! made.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};

use super::process::secure;
use crate::path::c_str;

#[cfg(not(target_os = "macos"))]
unsafe extern "C" {
    // Of glibc and musl. (`environ` may be a variable of the program.) Android's C library has no other name.
    #[cfg_attr(target_os = "android", link_name = "environ")]
    #[cfg_attr(not(target_os = "android"), link_name = "__environ")]
    static ENVIRONMENT: *const *const c_char;
}

/// Returns the value of a variable, or `None` in a set-uid or set-gid process, whose caller has made its environment.
pub fn env(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: the C library's variable: null, or the addresses of C strings up to a null. As with every reader of the environment, a program that
    // changes it in another thread is at fault; we read at start-up and copy at once.
    #[cfg(not(target_os = "macos"))]
    let mut entry = unsafe { ENVIRONMENT };
    // SAFETY: the same.
    #[cfg(target_os = "macos")]
    let mut entry: *const *const c_char = unsafe { *libc::_NSGetEnviron() }.cast();
    if entry.is_null() {
        return None;
    }
    let (first, rest) = name.to_bytes().split_first()?;
    loop {
        // SAFETY: not after the null at the end.
        let text = unsafe { entry.read() }.cast::<u8>();
        if text.is_null() {
            return None;
        }
        // SAFETY: a C string of the environment, which has a byte.
        let begins = unsafe { text.read() } == *first;
        // SAFETY: its first byte is not its NUL, so another C string begins after it.
        if begins && let Some(value) = unsafe { value_of(rest, text.wrapping_add(1)) } {
            // SAFETY: the rest of that C string.
            return (!secure()).then(|| unsafe { c_str(value) });
        }
        entry = entry.wrapping_add(1);
    }
}

/// Returns the address of the value in `NAME=VALUE`, if the name is this one.
///
/// # Safety
/// `text` must be the address of a C string, and the name must have no NUL.
unsafe fn value_of(name: &[u8], text: *const u8) -> Option<*const c_char> {
    let mut at = text;
    for byte in name {
        // SAFETY: the text goes on at least to here, since no byte before was its NUL.
        if unsafe { at.read() } != *byte {
            return None;
        }
        at = at.wrapping_add(1);
    }
    // SAFETY: as above.
    (unsafe { at.read() } == b'=').then_some(at.wrapping_add(1).cast())
}

/// Sets an environment variable for child processes by the C library, which locks the environment and owns the copy. Not to be called in a
/// signal handler, since it uses the heap. Without memory, nothing is set.
pub fn set_env(name: &CStr, value: &CStr) {
    // SAFETY: C strings, which are copied.
    unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
}
