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

/// The variables whose names may begin with `LLVM_`, `__LLVM_` or `PROFRT_`, found in one walk through the environment: most variables that
/// the runtime looks up are not set.
#[derive(Debug)]
pub struct Variables {
    list: [EnvironmentEntry; Variables::MOST],
    len: usize,
}

/// A `NAME=VALUE` in the environment.
#[derive(Clone, Copy, Debug)]
struct EnvironmentEntry {
    /// Address of the `=`.
    sign: *const c_char,
    /// Bytes before the `=`.
    name_len: usize,
}

impl Variables {
    /// Largest number in the list. With more variables, each lookup walks through the environment.
    const MOST: usize = 4;

    /// Creates an empty list.
    pub const fn empty() -> Variables {
        Variables { list: [EnvironmentEntry { sign: ptr::null(), name_len: 0 }; Variables::MOST], len: 0 }
    }

    /// Reads the environment into `storage`, which is returned.
    pub fn read(storage: &mut Variables) -> &Variables {
        let found = &mut *storage;
        found.len = 0;
        each(|entry| {
            // SAFETY: a C string, read no further than its NUL.
            let first = unsafe { *entry } as u8;
            if matches!(first, b'L' | b'_' | b'P') {
                found.add(entry, first);
            }
            true
        });
        storage
    }

    /// Adds a variable, if its first two bytes are those of a prefix.
    fn add(&mut self, entry: *const c_char, first: u8) {
        // SAFETY: a C string, read no further than its NUL; the first byte is none.
        let byte = |at| unsafe { *entry.wrapping_add(at) } as u8;
        if byte(1) != if first == b'P' { b'R' } else { first } {
            return;
        }
        let mut sign = entry;
        loop {
            sign = sign.wrapping_add(1);
            // SAFETY: as above.
            match unsafe { *sign } as u8 {
                b'=' => break,
                0 => return,
                _ => {}
            }
        }
        if let Some(slot) = self.list.get_mut(self.len) {
            *slot = EnvironmentEntry { sign, name_len: sign.addr().wrapping_sub(entry.addr()) };
        }
        self.len = self.len.wrapping_add(1);
    }

    /// Returns the value of a variable, as [`env`] does.
    pub fn get(&self, name: &CStr) -> Option<&'static CStr> {
        let Some(list) = self.list.get(..self.len) else { return env(name) };
        let name = name.to_bytes();
        // No iterator that takes a function: those of all members share a member, and would bring this one along.
        for entry in list {
            if entry.name_len == name.len() && is_before(entry.sign, name) {
                return trusted(entry.sign.wrapping_add(1));
            }
        }
        None
    }
}

/// Returns whether `name` stands before the `=` of an entry, whose name is as long. Compares from the end, since the names begin alike.
fn is_before(sign: *const c_char, name: &[u8]) -> bool {
    let mut at = sign;
    for byte in name.iter().rev() {
        at = at.wrapping_sub(1);
        // SAFETY: the entry has a byte for each of the name's.
        if unsafe { *at } as u8 != *byte {
            return false;
        }
    }
    true
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
