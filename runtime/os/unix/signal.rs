//! Prevents the signals that a failing write sends from killing the program.

#![allow(unsafe_code)]

use core::ffi::c_int;
use core::ptr;

use super::kernel;
use crate::error::Error;
use crate::path::packed;

/// Bytes of a set.
const SET: usize = size_of::<u64>();
/// The signals of a failing write: `SIGXFSZ` (file-size limit) and `SIGPIPE` (no reader).
pub const OF_WRITES: u64 = bit(libc::SIGXFSZ) | bit(libc::SIGPIPE);

/// Returns the bit of a signal in a set of signals.
pub const fn bit(number: c_int) -> u64 {
    1u64.wrapping_shl(number.wrapping_sub(1) as u32)
}

/// Signals that the current instruction or system call of this thread causes (faults, SIGTRAP, seccomp's SIGSYS), so they cannot be blocked: the
/// kernel would kill the process.
pub const SYNCHRONOUS: u64 = bit(libc::SIGSEGV)
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

/// Returns the result of a system call that writes. Discards the signal that came with a failure, which would kill the program when it is
/// let through. The caller has [`OF_WRITES`] blocked.
pub fn written(result: isize) -> isize {
    if matches!(kernel::done(result), Err(Error::EFBIG | Error::EPIPE)) {
        let now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let signals = OF_WRITES;
        // SAFETY: a set, and a time-out of nothing in whichever form the kernel reads it.
        while unsafe { kernel::rt_sigtimedwait(&raw const signals, ptr::null_mut(), &raw const now, SET) } > 0 {}
    }
    result
}

/// Why a word is no signal.
pub const NO_SIGNAL: &[u8] = b"it is no signal";

/// Returns signals with their names without `SIG`, then those of other names.
macro_rules! signals {
    ($($signal:ident)*; $($other:literal $number:ident)*) => {[
        $((packed(stringify!($signal).as_bytes().split_at(3).1), kernel::libc::$signal),)*
        $((packed($other), kernel::libc::$number),)*
    ]};
}

/// Signals by name, without `SIG`. (Not strings, whose addresses the loader of each program would have to move.)
pub const SIGNAL_NAMES: [(u64, i32); 34] = signals! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM
    SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF
    SIGWINCH SIGIO SIGPOLL SIGPWR SIGSYS;
    b"IOT" SIGABRT b"CLD" SIGCHLD
};
