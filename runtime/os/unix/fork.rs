//! Forked children.

#![allow(unsafe_code)]

use core::ffi::c_int;

type Handler = extern "C" fn();

unsafe extern "C" {
    // Not in the `libc` crate for every system.
    fn pthread_atfork(prepare: Option<Handler>, parent: Option<Handler>, child: Option<Handler>) -> c_int;
}

/// Has `f` called in every child that `fork` makes from now on, before `fork` returns there. The C library forgets it when
/// the image that holds us is unloaded. Whether it worked.
pub fn at_fork_child(f: extern "C" fn()) -> bool {
    // SAFETY: registers a function of this image.
    unsafe { pthread_atfork(None, None, Some(f)) == 0 }
}
