//! The environment.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};
use core::ptr;

use super::memory::map_pages;
use crate::copy::copy;
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
    list: [*const c_char; Variables::MOST],
    len: usize,
}

impl Variables {
    /// More of them are looked for one by one.
    const MOST: usize = 8;

    /// None yet.
    pub const fn none() -> Variables {
        Variables { list: [ptr::null(); Variables::MOST], len: 0 }
    }

    /// Finds those of now.
    pub fn find(&mut self) -> &Variables {
        let found = &mut *self;
        found.len = 0;
        each(|entry| {
            // SAFETY: a C string, read no further than its NUL.
            let (first, second) = unsafe {
                let first = *entry;
                (first as u8, if first == 0 { 0 } else { *entry.wrapping_add(1) as u8 })
            };
            if matches!((first, second), (b'L', b'L') | (b'_', b'_') | (b'P', b'R')) {
                if let Some(slot) = found.list.get_mut(found.len) {
                    *slot = entry;
                }
                found.len = found.len.wrapping_add(1);
            }
            true
        });
        self
    }

    /// As [`env`] for one of these.
    pub fn get(&self, name: &CStr) -> Option<&'static CStr> {
        let Some(list) = self.list.get(..self.len) else { return env(name) };
        let mut value = ptr::null();
        // No iterator that takes a function: those of all members share a member, and would bring this one along.
        for entry in list {
            value = value_in(*entry, name);
            if !value.is_null() {
                break;
            }
        }
        trusted(value)
    }
}

/// Calls `each` with every `NAME=VALUE` there is, as long as it says `true`.
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
    // SAFETY: no preconditions.
    if value.is_null() || unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
        return None;
    }
    // SAFETY: a C string of the environment.
    Some(unsafe { c_str(value) })
}

/// Adds `NAME=VALUE` to the environment that child processes inherit. Without the heap, which `setenv` would use: the
/// list is copied to fresh pages. Nothing is done when there are none.
pub fn mark_environment(entry: &[u8]) {
    // SAFETY: the list of pointers that `environ` points to ends with null, or is null itself. The constructor runs
    // this, at a time when nobody else changes the environment.
    unsafe {
        let old = environ;
        let mut count: usize = 0;
        while !old.is_null() && !(*old.add(count)).is_null() {
            count += 1;
        }
        let list = (count + 2) * size_of::<*mut c_char>();
        let Some(pages) = map_pages(list + entry.len() + 1) else { return };
        let new = pages.cast::<*mut c_char>();
        let text = pages.add(list);
        copy(text, entry.as_ptr(), entry.len());
        new.write(text.cast());
        copy(new.add(1).cast(), old.cast(), count * size_of::<*mut c_char>());
        new.add(count + 1).write(ptr::null_mut());
        environ = new;
    }
}
