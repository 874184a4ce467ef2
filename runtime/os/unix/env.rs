//! The environment.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};
use core::ptr;

use super::auxv::auxv;
use crate::path::c_str;

unsafe extern "C" {
    // POSIX; not in the `libc` crate.
    static mut environ: *mut *mut c_char;
}

/// Returns the value of a variable, or `None` in a set-uid or set-gid process.
pub fn env(name: &CStr) -> Option<&'static CStr> {
    let mut found = ptr::null();
    each(|entry| {
        found = value_in(entry, name);
        found.is_null()
    });
    trusted(found)
}

/// The variables whose names begin like those of the runtime (`LLVM_`, `__LLVM_`, `PROFRT_`), found in one walk through the environment.
#[derive(Debug)]
pub struct Variables {
    list: [*const c_char; Variables::MOST],
    len: usize,
}

impl Variables {
    /// Largest number in the list. With more variables, each lookup walks through the environment.
    const MOST: usize = 4;

    /// Reads the environment.
    pub fn read() -> Variables {
        let mut found = Variables { list: [ptr::null(); Variables::MOST], len: 0 };
        each(|entry| {
            // SAFETY: a C string; its second byte is read only where the first is none of NUL.
            if unsafe {
                matches!(*entry as u8, b'L' | b'_' | b'P') && matches!(*entry.wrapping_add(1) as u8, b'L' | b'_' | b'R')
            } {
                if let Some(slot) = found.list.get_mut(found.len) {
                    *slot = entry;
                }
                found.len = found.len.wrapping_add(1);
            }
            true
        });
        found
    }

    /// Returns the value of a variable, as [`env`] does.
    pub fn get(&self, name: &CStr) -> Option<&'static CStr> {
        let Some(list) = self.list.get(..self.len) else { return env(name) };
        // No iterator that takes a function: those of all members share a member, and would bring this one along.
        for entry in list {
            let value = value_in(*entry, name);
            if !value.is_null() {
                return trusted(value);
            }
        }
        None
    }
}

/// Calls `each` with every `NAME=VALUE` of the environment, as long as it returns `true`.
#[inline(always)]
fn each(mut each: impl FnMut(*const c_char) -> bool) {
    // SAFETY: the list of pointers to C strings that `environ` points to ends with null, or is null itself. As with every
    // reader of the environment, a program that changes it in another thread is at fault; we read at start-up and copy at
    // once.
    unsafe {
        let mut next = environ;
        while !next.is_null() && !(*next).is_null() && each(*next) {
            next = next.wrapping_add(1);
        }
    }
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

/// Returns a value as a string; `None` for null, and where the process has more rights than its caller, which made the environment.
fn trusted(value: *const c_char) -> Option<&'static CStr> {
    if value.is_null() || auxv(libc::AT_SECURE) != Some(0) {
        return None;
    }
    // SAFETY: a C string of the environment.
    Some(unsafe { c_str(value) })
}

/// Sets an environment variable for child processes by the C library, which locks the environment and owns the copy. Not to be called in a
/// signal handler, since it uses the heap. Without memory, nothing is set.
pub fn set_env(name: &CStr, value: &CStr) {
    // SAFETY: C strings, which are copied.
    unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
}
