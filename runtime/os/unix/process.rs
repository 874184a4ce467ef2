//! This process: its id, user, host and parent; what the kernel tells it at its start; waiting; handlers at exit and in forked children;
//! cancellation of its threads.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_ulong};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use super::file::open_for_reading;
use super::kernel::{self, libc};
use crate::path::c_str;

/// Returns the effective user id.
pub fn user_id() -> u32 {
    // SAFETY: no preconditions.
    unsafe { kernel::geteuid() as u32 }
}

/// Ends this process, as `_exit` does.
#[allow(dead_code, reason = "only the archive has `_exit`")]
pub fn leave_process(status: i32) -> ! {
    loop {
        // SAFETY: no preconditions; does not return.
        unsafe { kernel::exit_group(status) };
    }
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
    super::threads::thread_block().unwrap_or_else(|| {
        // SAFETY: no preconditions.
        unsafe { super::errno_place() as usize }
    })
}

/// Returns the time of a clock in nanoseconds; 0 where a sandbox refuses the call.
fn clock(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: room for the answer.
    unsafe { kernel::clock_gettime(clock, &mut time) };
    (time.tv_sec as u64).wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec as u64)
}

/// A limit for waiting for other processes: half a minute after the first call of [`Deadline::is_over`]. Waiting without a limit for a
/// stopped process would never end.
#[derive(Default, Debug)]
pub struct Deadline {
    /// Nanoseconds of the clock; 0: nobody has waited yet.
    end: u64,
}

impl Deadline {
    /// Creates a limit that has not begun.
    pub const fn new() -> Deadline {
        Deadline { end: 0 }
    }

    /// Returns whether the time is over. Measured by a clock, since signals end a sleep early; in a sandbox without a clock nobody waits.
    pub fn is_over(&mut self) -> bool {
        const NANOS: u64 = 30_000_000_000;
        let now = clock(libc::CLOCK_MONOTONIC);
        if self.end == 0 {
            self.end = now.saturating_add(NANOS);
        }
        now == 0 || now >= self.end
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

/// Sets the signal that this thread gets when its parent dies.
#[inline]
fn set_parent_death_signal(signal: i32) {
    // SAFETY: a signal number or 0.
    unsafe { kernel::prctl(libc::PR_SET_PDEATHSIG, signal as usize) };
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
        let mut signal: libc::c_int = 0;
        // SAFETY: room for the answer.
        unsafe { kernel::prctl(libc::PR_GET_PDEATHSIG, (&raw mut signal).expose_provenance()) };
        // Before the signal is off: a parent that dies in between sends it still.
        // SAFETY: no preconditions.
        let parent = if signal == 0 { 0 } else { unsafe { kernel::getppid() } };
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

/// Returns the id of this process, in a forked child that of the child.
pub fn process_id() -> u32 {
    // SAFETY: `getpid` has no preconditions.
    unsafe { kernel::getpid() as u32 }
}

/// The number of forks between the process that was started and this one, as far as fork handlers have counted them.
static FORKS: AtomicU32 = AtomicU32::new(0);
/// Bits of a process id.
const BITS: u32 = 22;

/// Counts a fork, in the child.
pub fn count_fork() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Returns a number of this process that its parent does not have. (In a namespace of its own, a child may have its parent's id.) The lowest
/// bits are the process id; a process that shares memory with its parent (`vfork`) has its own number, too.
pub fn process_key() -> u32 {
    process_id() | FORKS.load(Ordering::Relaxed) << BITS
}

/// A function that `pthread_atfork` calls, or null.
type Hook = Option<extern "C" fn()>;

unsafe extern "C" {
    // Not in the `libc` crate for all systems. The C library drops the functions when the image goes.
    fn pthread_atfork(prepare: Hook, parent: Hook, child: Hook) -> c_int;
}

/// Registers a function that is called when the process exits, or when the shared object with this image is unloaded. Returns whether the
/// function is registered.
pub fn at_exit(function: extern "C" fn()) -> bool {
    // SAFETY: registers a function of this image; the C library drops it when the image goes.
    unsafe { libc::atexit(function) == 0 }
}

/// Does nothing: at the end of a process the C library calls the exit handlers, or (`_exit`) no code at all.
#[inline(always)]
pub fn at_process_end(_function: extern "C" fn()) {}

/// Registers a function that `fork` calls in each child before it returns there. Returns whether the function is registered.
pub fn at_fork_child(f: extern "C" fn()) -> bool {
    // SAFETY: registers a function of this image.
    unsafe { pthread_atfork(None, None, Some(f)) == 0 }
}

#[cfg(not(target_os = "android"))]
unsafe extern "C" {
    // Not in the `libc` crate.
    fn pthread_setcancelstate(state: c_int, old: *mut c_int) -> c_int;
}

/// Does nothing: Android cancels no threads.
///
/// # Safety
/// None.
#[cfg(target_os = "android")]
unsafe fn pthread_setcancelstate(_state: c_int, _old: *mut c_int) -> c_int {
    0
}

const PTHREAD_CANCEL_DISABLE: c_int = if cfg!(target_os = "macos") { 0 } else { 1 };

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

/// Returns the value of a kind (`AT_…`); 0 where the kernel says none.
pub(super) fn auxv(kind: c_ulong) -> usize {
    // SAFETY: no preconditions.
    unsafe { libc::getauxval(kind) as usize }
}

/// Returns the size of a page.
pub fn page_size() -> usize {
    auxv(libc::AT_PAGESZ)
}

/// Returns whether the process has more rights than its caller, so that the caller's environment, working directory and descriptors are not
/// trusted.
pub fn secure() -> bool {
    /// 0: not known yet; 1: it has not; 2: it has.
    static KNOWN: AtomicU8 = AtomicU8::new(0);
    let mut known = KNOWN.load(Ordering::Relaxed);
    if known == 0 {
        known = if auxv(libc::AT_SECURE) == 0 { 1 } else { 2 };
        KNOWN.store(known, Ordering::Relaxed);
    }
    known == 2
}

/// Returns the effective user id that the process had at its start, without a system call.
pub fn user_at_start() -> u32 {
    auxv(libc::AT_EUID) as u32
}
