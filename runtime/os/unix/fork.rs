//! Children.

#![allow(unsafe_code)]

use core::ffi::c_int;

/// What `pthread_atfork` calls, if anything.
type Hook = Option<extern "C" fn()>;

unsafe extern "C" {
    // Not in the `libc` crate for all systems. The C library drops the functions when the image goes.
    fn pthread_atfork(prepare: Hook, parent: Hook, child: Hook) -> c_int;
}

/// Has `f` called in each child that `fork` makes, in its one thread, before `fork` returns there. Whether it worked.
pub fn at_fork_child(f: extern "C" fn()) -> bool {
    // SAFETY: registers a function of this image.
    unsafe { pthread_atfork(None, None, Some(f)) == 0 }
}
