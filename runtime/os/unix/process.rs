//! Who we are.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};
use core::mem::MaybeUninit;

use super::auxv::auxv;
use super::kernel;

/// This process's id, also after fork.
pub fn process_id() -> u32 {
    // SAFETY: no preconditions.
    unsafe { kernel::getpid() as u32 }
}

/// A number that no other living thread of this process has; not 0, and 64 or more from that of any other. Costs no system
/// call: it is where the thread keeps its own data.
pub fn thread_token() -> usize {
    super::threads::own_block().unwrap_or_else(|| {
        // SAFETY: no preconditions.
        unsafe { libc::__errno_location() as usize }
    })
}

/// Nanoseconds of the system's clock.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: room for the answer.
    unsafe { kernel::clock_gettime(libc::CLOCK_REALTIME, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// A number that the system has made up for this program when it was started; 0 where it does none.
pub fn random() -> u64 {
    let bytes: *const u64 = core::ptr::with_exposed_provenance(auxv(libc::AT_RANDOM).unwrap_or(0));
    if bytes.is_null() {
        return 0;
    }
    // SAFETY: where they are, they are 16 bytes on the first stack.
    let (first, second) = unsafe { (bytes.read_unaligned(), bytes.wrapping_add(1).read_unaligned()) };
    // Both halves are secrets of the C library, which what becomes of them must not give away.
    (first ^ second.rotate_left(29)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// Where the program headers of the executable are; 0 where the system does not say.
pub fn program_headers() -> usize {
    auxv(libc::AT_PHDR).unwrap_or(0)
}

/// How often [`pause`] is called before another one is given up: about half a minute. (Who waits without an end hangs when the
/// other was stopped, and his own exit with him.)
pub const PATIENCE: u32 = 30_000;

/// Lets other threads run for about a millisecond.
pub fn pause() {
    pause_for(1000);
}

/// Lets others run for some microseconds, less than a second.
pub fn pause_for(micros: u32) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::from(micros.min(999_999) as i32).wrapping_mul(1000) };
    // SAFETY: a valid time; no remainder is asked for.
    unsafe { kernel::nanosleep(&time, core::ptr::null_mut()) };
}

/// Calls `use_it` with the host's name, or returns `None`.
#[inline]
pub fn host_name<R>(use_it: impl FnOnce(&[u8]) -> R) -> Option<R> {
    const ROOM: usize = 256;
    let mut name = MaybeUninit::<[c_char; ROOM]>::uninit();
    let start: *mut c_char = name.as_mut_ptr().cast();
    // SAFETY: within the room. The last byte is kept as terminator, for a name that is cut need not have one.
    let status = unsafe {
        start.wrapping_add(ROOM - 1).write(0);
        kernel::gethostname(start, ROOM - 1)
    };
    // SAFETY: the call has written a name and its end, or as much of a name as there was room for; the last byte is still 0.
    (status == 0).then(|| use_it(unsafe { CStr::from_ptr(start) }.to_bytes()))
}

/// The signal that the death of our parent sends us; 0: none.
#[inline]
pub fn parent_death_signal() -> i32 {
    let mut signal: libc::c_int = 0;
    // SAFETY: room for the answer.
    unsafe { kernel::prctl(libc::PR_GET_PDEATHSIG, (&raw mut signal).expose_provenance()) };
    signal
}

/// Sets the signal that the death of our parent sends us.
#[inline]
pub fn set_parent_death_signal(signal: i32) {
    // SAFETY: a signal number or 0.
    unsafe { kernel::prctl(libc::PR_SET_PDEATHSIG, signal as usize) };
}
