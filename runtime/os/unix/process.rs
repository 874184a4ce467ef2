//! Who we are.

#![allow(unsafe_code)]

use core::ffi::CStr;

/// This process's id, also after fork.
pub fn process_id() -> u32 {
    // SAFETY: no preconditions.
    unsafe { libc::getpid() as u32 }
}

/// A number that no other living thread of this process has; not 0. Costs no system call: it is where the thread keeps
/// its errno.
pub fn thread_token() -> usize {
    // SAFETY: no preconditions.
    unsafe { libc::__errno_location() as usize }
}

/// Nanoseconds of the system's clock.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: room for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// Where the program headers of the executable are; 0 where the system does not say.
pub fn program_headers() -> usize {
    // SAFETY: no preconditions.
    unsafe { libc::getauxval(libc::AT_PHDR) as usize }
}

/// Lets other threads run for about a millisecond.
pub fn pause() {
    pause_for(1000);
}

/// Lets others run for some microseconds, less than a second.
pub fn pause_for(micros: u32) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::from(micros.min(999_999) as i32).wrapping_mul(1000) };
    // SAFETY: a valid time; no remainder is asked for.
    unsafe { libc::nanosleep(&time, core::ptr::null_mut()) };
}

/// Calls `use_it` with the host's name, or returns `None`.
pub fn host_name<R>(use_it: impl FnOnce(&[u8]) -> R) -> Option<R> {
    let mut name = [0u8; 256];
    // SAFETY: the last byte is kept as terminator, for a name that is cut need not have one.
    let status = unsafe { libc::gethostname(name.as_mut_ptr().cast(), name.len() - 1) };
    // SAFETY: the last byte is still 0.
    (status == 0).then(|| use_it(unsafe { CStr::from_ptr(name.as_ptr().cast()) }.to_bytes()))
}

/// The signal that the death of our parent sends us; 0: none.
pub fn parent_death_signal() -> i32 {
    let mut signal: libc::c_int = 0;
    // SAFETY: room for the answer.
    unsafe { libc::prctl(libc::PR_GET_PDEATHSIG, &mut signal) };
    signal
}

/// Sets the signal that the death of our parent sends us.
pub fn set_parent_death_signal(signal: i32) {
    // SAFETY: a signal number or 0.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, signal) };
}
