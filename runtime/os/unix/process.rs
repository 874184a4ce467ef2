//! This process: its user, start, host and parent; clocks and random numbers.

#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use super::auxv::auxv;
use super::file::open_for_reading;
use super::kernel;
use super::process_id::{process_id, process_key};
use crate::path::c_str;

/// Returns the effective user id.
pub fn user_id() -> u32 {
    // SAFETY: no preconditions.
    unsafe { kernel::geteuid() as u32 }
}

/// Returns whether user ids tell users apart. In a user namespace without a map (`unshare -U`) all users have the system's overflow id.
pub fn users_are_known() -> bool {
    const OVERFLOW: u32 = 65534;
    let mut map = [0];
    user_id() != OVERFLOW
        || !open_for_reading(c"/proc/self/uid_map".into())
            .and_then(|file| file.read_at(&mut map, 0))
            .is_ok_and(|len| len == 0)
}

/// Returns a number that no other living thread of this process has; not 0, and at least 64 from that of any other. Needs no system call:
/// it is the address of the thread's own data.
pub fn thread_token() -> usize {
    super::threads::own_block().unwrap_or_else(|| {
        // SAFETY: no preconditions.
        unsafe { libc::__errno_location() as usize }
    })
}

/// Returns the time of the system's clock in nanoseconds.
pub fn now() -> u64 {
    clock(libc::CLOCK_REALTIME)
}

/// Returns the time of a clock in nanoseconds; 0 where a sandbox refuses the call.
fn clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: room for the answer.
    unsafe { kernel::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// Returns when this process has started, in nanoseconds of the system's clock as it is set now, rounded down to a hundredth of a second;
/// `None` where the system does not tell.
pub fn started() -> Option<u64> {
    let mut text = [0u8; 1024];
    let read = open_for_reading(c"/proc/self/stat".into()).and_then(|file| file.read_at(&mut text, 0)).ok()?;
    let ticks = started_in(text.get(..read)?)?;
    let per_second = auxv(libc::AT_CLKTCK).filter(|ticks| *ticks > 0).unwrap_or(100) as u64;
    let start = ticks.checked_mul(1_000_000_000)?.checked_div(per_second)?;
    // Both clocks go on while the machine sleeps.
    let age = clock(libc::CLOCK_BOOTTIME).checked_sub(start)?;
    now().checked_sub(age)
}

/// Returns the field `starttime`, the 22nd, in the text of `/proc/PID/stat`. The second field, a name in parentheses, may contain any byte.
fn started_in(text: &[u8]) -> Option<u64> {
    let name = text.iter().rposition(|byte| *byte == b')')?;
    let field = text.get(name..)?.split(|byte| *byte == b' ').nth(20)?;
    field.iter().try_fold(0u64, |sum, byte| {
        let digit = (*byte as char).to_digit(10)?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Returns a random number of the kernel that is fixed from the start of the process; 0 where the kernel passes none.
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

/// Returns an unpredictable number, from which nothing about this process can be derived: random bytes of the kernel; where it has none
/// (yet), a hash of [`random`], the time and the process id.
pub fn unpredictable() -> u64 {
    const GRND_NONBLOCK: libc::c_uint = 1;
    let mut number: u64 = 0;
    // SAFETY: the 8 bytes of the number.
    let got = unsafe { kernel::getrandom((&raw mut number).cast(), size_of::<u64>(), GRND_NONBLOCK) };
    if got == size_of::<u64>() as isize {
        return number;
    }
    let mut hash: u64 = 0;
    for word in [random(), now(), u64::from(process_id())] {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash
}

/// Returns the address of the executable's program headers; 0 where it is not known.
pub fn program_headers() -> usize {
    auxv(libc::AT_PHDR).unwrap_or(0)
}

/// A limit for waiting for other processes: half a minute after the first call of [`Deadline::is_over`]. Waiting without a limit for a
/// stopped process would never end.
#[derive(Default, Debug)]
pub struct Deadline {
    /// Nanoseconds of the clock; 0: nobody has waited yet.
    end: u64,
    /// How often the clock could not be asked.
    unknown: u32,
}

impl Deadline {
    /// Creates a limit that has not begun.
    pub const fn new() -> Deadline {
        Deadline { end: 0, unknown: 0 }
    }

    /// Returns whether the time is over. Measured by a clock, since signals end a sleep early; in a sandbox without a clock by the number of
    /// sleeps, of a millisecond or less.
    pub fn is_over(&mut self) -> bool {
        const NANOS: u64 = 30_000_000_000;
        const NAPS: u32 = 30_000;
        let now = clock(libc::CLOCK_MONOTONIC);
        if now == 0 {
            self.unknown = self.unknown.saturating_add(1);
            return self.unknown > NAPS;
        }
        if self.end == 0 {
            self.end = now.saturating_add(NANOS);
        }
        now >= self.end
    }
}

/// Sleeps for about a millisecond.
pub fn pause() {
    pause_for(1000);
}

/// Sleeps for some microseconds, less than a second.
pub fn pause_for(micros: u32) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::from(micros.min(999_999) as i32).wrapping_mul(1000) };
    // SAFETY: a valid time; no remainder is asked for.
    unsafe { kernel::nanosleep(&time, core::ptr::null_mut()) };
}

/// Calls `use_it` with the host's name. Returns `None` where the name is not known.
#[inline]
pub fn host_name<R>(use_it: impl FnOnce(&[u8]) -> R) -> Option<R> {
    let mut names = MaybeUninit::<libc::utsname>::uninit();
    // SAFETY: room for the answer.
    let status = unsafe { kernel::uname(names.as_mut_ptr()) };
    // SAFETY: filled by the call if it has succeeded; the name is a C string.
    (status == 0).then(|| use_it(unsafe { c_str(names.assume_init_ref().nodename.as_ptr()) }.to_bytes()))
}

/// Returns the signal that this thread gets when its parent dies; 0: none.
#[inline]
pub fn parent_death_signal() -> i32 {
    let mut signal: libc::c_int = 0;
    // SAFETY: room for the answer.
    unsafe { kernel::prctl(libc::PR_GET_PDEATHSIG, (&raw mut signal).expose_provenance(), 0, 0, 0) };
    signal
}

/// Sets the signal that this thread gets when its parent dies.
#[inline]
pub fn set_parent_death_signal(signal: i32) {
    // SAFETY: a signal number or 0.
    unsafe { kernel::prctl(libc::PR_SET_PDEATHSIG, signal as usize, 0, 0, 0) };
}

/// A guard that suspends the signal of the parent's death for this thread, since the signal would end the process inside a write or while it
/// waits for a lock. If the parent has died meanwhile, the signal is sent when the guard is dropped.
#[derive(Debug)]
pub struct ParentDeath {
    /// The suspended signal; 0: none is suspended.
    signal: i32,
    parent: isize,
    /// The process in which it is suspended. A child that is forked meanwhile has no such signal.
    process: u32,
}

impl ParentDeath {
    /// Suspends the signal, if there is one. (A parent outside of our PID namespace has no id, so its death could not be noticed: its
    /// signal is not suspended.)
    pub fn suspend() -> ParentDeath {
        let signal = parent_death_signal();
        if signal == 0 {
            return ParentDeath { signal, parent: 0, process: 0 };
        }
        // Before the signal is off: a parent that dies in between sends it still.
        // SAFETY: no preconditions.
        let parent = unsafe { kernel::getppid() };
        if parent == 0 {
            return ParentDeath { signal: 0, parent, process: 0 };
        }
        set_parent_death_signal(0);
        ParentDeath { signal, parent, process: process_key() }
    }
}

impl Drop for ParentDeath {
    fn drop(&mut self) {
        if self.signal == 0 || self.process != process_key() {
            return;
        }
        set_parent_death_signal(self.signal);
        // The kernel sends it once, when the parent dies.
        // SAFETY: no preconditions; a signal that the program has asked for, to itself.
        unsafe {
            if kernel::getppid() != self.parent {
                kernel::kill(kernel::getpid() as i32, self.signal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_start_among_the_fields() {
        let text =
            b"7 (a) b (c d) S 1 7 7 0 -1 4194560 94 0 0 0 0 0 0 0 20 0 1 0 123456 2654208 224 18446744073709551615 1\n";
        assert_eq!(started_in(text), Some(123_456));
        assert_eq!((started_in(b""), started_in(b"7 (a) S 1"), started_in(b"7 a S 1 2")), (None, None, None));
    }

    #[test]
    fn this_process_has_begun() {
        let (start, now) = (started().unwrap(), now());
        assert!(start <= now && now - start < 3_600_000_000_000, "{start} {now}");
    }
}
