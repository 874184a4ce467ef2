//! Handlers at exit and in forked children. To register them is not async-signal-safe: the C library may allocate memory and has locks.

#![allow(unsafe_code)]

use core::ffi::c_int;

/// A function that `pthread_atfork` calls, or null.
type Hook = Option<extern "C" fn()>;

unsafe extern "C" {
    // Not in the `libc` crate for all systems. The C library drops the functions when the image goes.
    fn pthread_atfork(prepare: Hook, parent: Hook, child: Hook) -> c_int;
}

/// Registers a function that is called when the process exits, or when the shared object with this image is unloaded. Returns whether the
/// function is registered.
pub fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: registers a function of this image; the C library drops it when the image goes.
    unsafe { libc::atexit(function) == 0 }
}

/// Registers a function that `fork` calls in each child before it returns there. Returns whether the function is registered.
pub fn at_fork_child(f: extern "C" fn()) -> bool {
    // SAFETY: registers a function of this image.
    unsafe { pthread_atfork(None, None, Some(f)) == 0 }
}
