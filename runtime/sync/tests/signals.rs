//! In place of the instructions that mask interrupts: on a system, its signals are the interrupts.

#![allow(unsafe_code)]

use core::{mem, ptr};

pub fn mask() -> libc::sigset_t {
    // SAFETY: sets of signals on the stack; zeroes are one.
    unsafe {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
        before
    }
}

pub fn restore(before: libc::sigset_t) {
    // SAFETY: a set that `mask` was given.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut()) };
}
