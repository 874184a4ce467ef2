//! Keeping signals that a failing write sends from killing the program.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;
use core::ptr;

/// While this lives, `SIGXFSZ` (file-size limit) and `SIGPIPE` (reader gone) do not reach this thread: the write fails
/// with an error instead. What a write of ours has made pending is taken back when it is dropped.
#[derive(Debug)]
pub struct Quiet {
    before: libc::sigset_t,
    pending: libc::sigset_t,
}

const OURS: [libc::c_int; 2] = [libc::SIGXFSZ, libc::SIGPIPE];

fn ours() -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: sigemptyset initialises the set, sigaddset takes valid signals.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in OURS {
            libc::sigaddset(set.as_mut_ptr(), signal);
        }
        set.assume_init()
    }
}

/// Whether this process may not write files of any size: only then can a write to a regular file send a signal.
pub fn file_size_limited() -> bool {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: room for the answer.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &mut limit) };
    status != 0 || limit.rlim_cur != libc::RLIM_INFINITY
}

impl Quiet {
    /// Blocks the two signals for this thread.
    pub fn begin() -> Quiet {
        let mut before = ours();
        let mut pending = ours();
        // SAFETY: valid sets; the calls write just those.
        unsafe {
            libc::sigpending(&mut pending);
            libc::pthread_sigmask(libc::SIG_BLOCK, &ours(), &mut before);
        }
        Quiet { before, pending }
    }
}

impl Drop for Quiet {
    fn drop(&mut self) {
        for signal in OURS {
            // SAFETY: valid sets and a zero time-out. A signal that was pending before is left for the program.
            unsafe {
                if libc::sigismember(&self.pending, signal) == 0 {
                    let mut one = ours();
                    libc::sigemptyset(&mut one);
                    libc::sigaddset(&mut one, signal);
                    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
                    libc::sigtimedwait(&one, ptr::null_mut(), &now);
                }
            }
        }
        // SAFETY: the mask that was there.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, ptr::null_mut()) };
    }
}
