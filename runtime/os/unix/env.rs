//! The environment.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};
use core::ptr;

use super::memory::map_pages;

unsafe extern "C" {
    // glibc and musl; not in the `libc` crate.
    fn secure_getenv(name: *const c_char) -> *const c_char;
    static mut environ: *mut *mut c_char;
}

/// The value of a variable; `None` in a set-uid or set-gid process, whoever set it.
pub fn env(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: a C string. As with every reader of the environment, a program that changes it in another thread is at
    // fault; we read at start-up and copy at once.
    let value = unsafe { secure_getenv(name.as_ptr()) };
    // SAFETY: not null; a C string of the environment.
    (!value.is_null()).then(|| unsafe { CStr::from_ptr(value) })
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
        for (index, byte) in entry.iter().enumerate() {
            text.add(index).write_volatile(*byte);
        }
        new.write(text.cast());
        for index in 0..count {
            new.add(index + 1).write_volatile(*old.add(index));
        }
        new.add(count + 1).write(ptr::null_mut());
        environ = new;
    }
}
