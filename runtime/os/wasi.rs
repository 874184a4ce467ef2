//! WASI, by its C library: files and the environment, without locks, process numbers and mapped files.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_int};

use crate::error::Error;
use crate::path::c_str;
use crate::sync::{AtomicU32, Ordering};

pub mod file;
mod memory;

pub use super::plain_files::{MAPS_FILES, Status};
pub use file::Fd;
pub use memory::{map_pages, page_size, unmap_pages};

unsafe extern "C" {
    // `__errno_location` is missing before wasi-sdk 20.
    static mut errno: c_int;
}

/// Returns the error in `errno`. One that only WASI has is `EPERM`: a name outside of the directories that the engine has opened.
pub fn last_error() -> Error {
    const ENOTCAPABLE: c_int = 76;
    // SAFETY: the C library's variable, in a program of one thread.
    match unsafe { errno } {
        ENOTCAPABLE => Error::EPERM,
        code => Error::os(code),
    }
}

/// Returns the value of a variable.
pub fn env(name: &CStr) -> Option<&'static CStr> {
    // SAFETY: a C string.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    // SAFETY: a C string of the environment. We read at start-up and copy at once.
    (!value.is_null()).then(|| unsafe { c_str(value) })
}

/// Does nothing, since there are no child processes.
pub fn set_env(_name: &CStr, _value: &CStr) {}

/// Registers a function that is called when the program exits. Returns whether the function is registered.
pub fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: a function of this module.
    unsafe { libc::atexit(function) == 0 }
}

/// Does nothing: exit handlers are called, or nothing.
pub fn at_process_end(_function: extern "C" fn()) {}

/// Returns a number that no other process has, in all likelihood: there are no process numbers. Without entropy, the time.
pub fn process_id() -> u32 {
    /// 0: not known yet.
    static ID: AtomicU32 = AtomicU32::new(0);
    let mut id = ID.load(Ordering::Relaxed);
    if id == 0 {
        // SAFETY: room for four bytes.
        if unsafe { libc::getentropy((&raw mut id).cast(), size_of::<u32>()) } != 0 {
            let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
            // SAFETY: room for the answer; a clock that every engine has.
            unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
            id = now.tv_nsec as u32 ^ (now.tv_sec as u32).rotate_left(16);
        }
        // A positive `int`.
        id = (id >> 1).max(1);
        ID.store(id, Ordering::Relaxed);
    }
    id
}

/// Returns a number that no parent of this process has.
pub fn process_key() -> u32 {
    1
}

/// Returns a number that is not 0: there is one thread.
pub fn thread_token() -> usize {
    1
}

/// Returns `None`: the host has no name.
pub fn host_name<R>(_use_it: impl FnOnce(&[u8]) -> R) -> Option<R> {
    None
}

/// Does nothing: nobody waits for others, whom no lock would show.
pub fn pause() {}

/// Does the same.
pub fn pause_for(_micros: u32) {}

/// A limit for waiting, which is over at once.
#[derive(Default, Debug)]
pub struct Deadline;

impl Deadline {
    /// Creates a limit.
    pub const fn new() -> Deadline {
        Deadline
    }

    /// Returns `true`.
    pub fn is_over(&mut self) -> bool {
        true
    }
}
