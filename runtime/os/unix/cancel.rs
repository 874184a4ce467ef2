//! Cancellation of threads.

#![allow(unsafe_code)]

use core::ffi::c_int;

unsafe extern "C" {
    // Not in the `libc` crate.
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

const PTHREAD_CANCEL_DISABLE: c_int = 1;

/// A guard that disables cancellation of this thread: a cancelled `write` would never return, and locks would stay locked.
#[derive(Debug)]
pub struct Uncancelled(c_int);

impl Uncancelled {
    /// Disables cancellation until the guard is dropped.
    pub fn begin() -> Uncancelled {
        let mut old = 0;
        // SAFETY: room for the old state.
        unsafe { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &mut old) };
        Uncancelled(old)
    }
}

impl Drop for Uncancelled {
    fn drop(&mut self) {
        // SAFETY: the state that was there.
        unsafe { pthread_setcancelstate(self.0, core::ptr::null_mut()) };
    }
}
