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

/// The value of a variable; `None` in a set-uid or set-gid process, whoever set it.
pub fn env(name: &CStr) -> Option<&'static CStr> {
    let mut found = ptr::null();
    each(|entry| {
        found = value_in(entry, name);
        found.is_null()
    });
    trusted(found)
}

/// The variables whose names begin with `LLVM_`, `__LLVM_` or `PROFRT_`, as of one moment: to be asked for several, of which
/// most are not there.
#[derive(Debug)]
pub struct Variables {
    list: [EnvironmentEntry; Variables::MOST],
    len: usize,
}

/// A `NAME=VALUE`.
#[derive(Clone, Copy, Debug)]
struct EnvironmentEntry {
    /// Where the `=` is.
    sign: *const c_char,
    /// Bytes before it.
    name_len: usize,
}

impl Variables {
    /// More of them are looked for one by one.
    const MOST: usize = 4;

    /// None yet.
    pub const fn none() -> Variables {
        Variables { list: [EnvironmentEntry { sign: ptr::null(), name_len: 0 }; Variables::MOST], len: 0 }
    }

    /// Finds those of now.
    pub fn find(&mut self) -> &Variables {
        let found = &mut *self;
        found.len = 0;
        each(|entry| {
            // SAFETY: a C string, read no further than its NUL.
            let first = unsafe { *entry } as u8;
            if matches!(first, b'L' | b'_' | b'P') {
                found.add(entry, first);
            }
            true
        });
        self
    }

    /// Notes a variable if it may be one of those.
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

    /// As [`env`] for one of these.
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

/// Whether these bytes stand before the `=` of an entry that has as many. From the end: names that are asked for begin alike.
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

/// Calls `each` with every `NAME=VALUE` there is, as long as it says `true`.
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

/// What stands behind `name` and a `=` in an entry; null when it is another variable's.
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

/// A value of this process's own environment as a string; `None` for null, and where somebody else gave the environment to a
/// process with more rights.
fn trusted(value: *const c_char) -> Option<&'static CStr> {
    if value.is_null() || auxv(libc::AT_SECURE) != Some(0) {
        return None;
    }
    // SAFETY: a C string of the environment.
    Some(unsafe { c_str(value) })
}

/// Sets a variable of the environment that child processes inherit, by the C library, which keeps out of the way of other threads that
/// change it, and owns the copy. Not in a signal handler, for it takes memory from the heap. Where it has none, nothing is set.
pub fn set_env(name: &CStr, value: &CStr) {
    // SAFETY: C strings, which are copied.
    unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
}
