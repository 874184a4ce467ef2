//! Who we are.

#![allow(unsafe_code)]

use core::ffi::{CStr, c_char};
use core::mem::MaybeUninit;

use super::auxv::auxv;
use super::file::open_for_reading;
use super::kernel;
use super::process_id::process_id;

/// The user in whose name files are opened and made.
pub fn user_id() -> u32 {
    // SAFETY: no preconditions.
    unsafe { kernel::geteuid() as u32 }
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
    clock(libc::CLOCK_REALTIME)
}

/// Nanoseconds of a clock.
fn clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: room for the answer.
    unsafe { kernel::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// When this process began, in nanoseconds of the system's clock as it is set now, to a hundredth of a second, and not later than it was.
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

/// The field `starttime` in the text of `/proc/PID/stat`, the 22nd. The second, a name in parentheses, may have anything in it.
fn started_in(text: &[u8]) -> Option<u64> {
    let name = text.iter().rposition(|byte| *byte == b')')?;
    let field = text.get(name..)?.split(|byte| *byte == b' ').nth(20)?;
    field.iter().try_fold(0u64, |sum, byte| {
        let digit = (*byte as char).to_digit(10)?;
        sum.checked_mul(10)?.checked_add(u64::from(digit))
    })
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

/// A number that nobody can predict, and that says nothing about this process: random bytes of the system; where it has none (yet), a hash
/// of [`random`], the time and the process id.
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

/// Where the program headers of the executable are; 0 where the system does not say.
pub fn program_headers() -> usize {
    auxv(libc::AT_PHDR).unwrap_or(0)
}

/// The end of waiting for others: half a minute after [`Deadline::is_over`] was first called. Whoever waits without an end hangs when the
/// other process was stopped, and its own exit with it.
#[derive(Default, Debug)]
pub struct Deadline(Option<u64>);

impl Deadline {
    /// Nobody has waited yet.
    pub const fn new() -> Deadline {
        Deadline(None)
    }

    /// Whether the time is over. By a clock, for signals end naps early.
    pub fn is_over(&mut self) -> bool {
        const NANOS: u64 = 30_000_000_000;
        let now = clock(libc::CLOCK_MONOTONIC);
        now >= *self.0.get_or_insert(now.saturating_add(NANOS))
    }
}

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

/// While this lives, the death of our parent sends this thread no signal: it would end the process inside a write, or while it waits
/// for a lock. If the parent has died meanwhile, the signal comes when this is dropped.
#[derive(Debug)]
pub struct ParentDeath {
    /// The signal; 0: nothing was changed.
    signal: i32,
    parent: isize,
}

impl ParentDeath {
    /// Suspends the signal, if there is one. (A parent outside of our namespace of processes has no number here, so that nobody could
    /// tell whether it has died: its signal stays.)
    pub fn suspend() -> ParentDeath {
        let signal = parent_death_signal();
        if signal == 0 {
            return ParentDeath { signal, parent: 0 };
        }
        // Before the signal is off: a parent that dies in between sends it still.
        // SAFETY: no preconditions.
        let parent = unsafe { kernel::getppid() };
        if parent == 0 {
            return ParentDeath { signal: 0, parent };
        }
        set_parent_death_signal(0);
        ParentDeath { signal, parent }
    }
}

impl Drop for ParentDeath {
    fn drop(&mut self) {
        if self.signal == 0 {
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
