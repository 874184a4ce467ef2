//! Exit handlers.

#![allow(unsafe_code)]

/// Registers a function that is called when the process exits, or when the shared object with this image is unloaded. Returns whether the
/// function is registered. Not async-signal-safe: the C library may allocate memory.
pub fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: registers a function of this image; the C library drops it when the image goes.
    unsafe { libc::atexit(function) == 0 }
}
