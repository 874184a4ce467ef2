//! Prevents the signals that a failing write sends from killing the program.

#![allow(unsafe_code)]

use core::ffi::c_int;
use core::ptr;

use super::kernel;

/// A guard that blocks the signals of a failing write, `SIGXFSZ` (file-size limit) and `SIGPIPE` (no reader), for this thread, so that a write fails with an error instead.
/// Signals that writes of the runtime have made pending are discarded when the guard is dropped.
#[derive(Debug)]
pub struct WriteSignalsBlocked {
    before: u64,
    pending: u64,
}

/// Bytes of a set.
const SET: usize = size_of::<u64>();
const OURS: u64 = bit(libc::SIGXFSZ) | bit(libc::SIGPIPE);

/// Returns whether the process has a file-size limit: only then can a write to a regular file send a signal.
pub fn file_size_limited() -> bool {
    file_size_limit() != Some(libc::RLIM_INFINITY)
}

/// Returns whether a file of this size is within the file-size limit, as far as the system tells the limit.
pub fn is_size_allowed(size: usize) -> bool {
    file_size_limit().is_none_or(|limit| libc::rlim_t::try_from(size).is_ok_and(|size| size <= limit))
}

/// Returns the file-size limit, where the system tells it.
fn file_size_limit() -> Option<libc::rlim_t> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: room for the answer.
    let status = unsafe { kernel::prlimit(0, libc::RLIMIT_FSIZE as _, ptr::null(), &mut limit) };
    (status == 0).then_some(limit.rlim_cur)
}

/// Returns the bit of a signal in a set of signals.
pub const fn bit(number: c_int) -> u64 {
    1u64.wrapping_shl(number.wrapping_sub(1) as u32)
}

/// Signals that may be about what this thread is just doing, so that they cannot wait: faults, and system calls that a sandbox answers in a
/// handler.
pub const URGENT: u64 = bit(libc::SIGSEGV)
    | bit(libc::SIGBUS)
    | bit(libc::SIGILL)
    | bit(libc::SIGFPE)
    | bit(libc::SIGTRAP)
    | bit(libc::SIGSYS);

/// Changes the set of blocked signals of this thread, and returns the previous set. Sets are the kernel's: those of the C library are 16 times
/// as large, and exclude its own signals.
pub fn mask(how: c_int, signals: u64) -> u64 {
    let mut before: u64 = 0;
    // SAFETY: two sets.
    unsafe { kernel::rt_sigprocmask(how, &raw const signals, &raw mut before, SET) };
    before
}

/// Returns the pending signals of this thread and of the process.
pub fn pending() -> u64 {
    let mut set: u64 = 0;
    // SAFETY: a set.
    unsafe { kernel::rt_sigpending(&raw mut set, SET) };
    set
}

/// Discards those signals of a set that are pending.
fn take_all(signals: u64) {
    let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a set, and a time-out of nothing in whichever form the kernel reads it.
    while unsafe { kernel::rt_sigtimedwait(&raw const signals, ptr::null_mut(), &raw const now, SET) } > 0 {}
}

impl WriteSignalsBlocked {
    /// Blocks the two signals for this thread.
    pub fn begin() -> WriteSignalsBlocked {
        let pending = pending();
        WriteSignalsBlocked { before: mask(libc::SIG_BLOCK, OURS), pending }
    }
}

impl Drop for WriteSignalsBlocked {
    fn drop(&mut self) {
        // A signal that was pending before is left for the program.
        take_all(OURS & !self.pending);
        mask(libc::SIG_SETMASK, self.before);
    }
}
