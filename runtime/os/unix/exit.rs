//! Exit handlers.

#![allow(unsafe_code)]

/// Has `function` called when the process exits, or when the shared object that holds us is unloaded. Whether it worked.
pub fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: registers a function of this image; the C library drops it when the image goes.
    unsafe { libc::atexit(function) == 0 }
}
