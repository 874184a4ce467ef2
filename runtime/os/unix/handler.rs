//! Actions of signals, as `sigaction` knows them.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};

use super::last_error;
use crate::error::Result;

/// Signals that there are: 1 to this number.
pub const SIGNALS: c_int = 64;

/// What happens when a signal comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Action {
    /// Address of the function; `SIG_DFL` or `SIG_IGN`.
    pub handler: usize,
    /// `SA_*`.
    pub flags: c_int,
    /// Signals that wait meanwhile: bit N - 1 for signal N.
    pub mask: u64,
}

impl Action {
    /// What the system does by default.
    pub const DEFAULT: Action = Action { handler: libc::SIG_DFL, flags: 0, mask: 0 };

    /// Calls the handler in the form that its flags ask for.
    ///
    /// # Safety
    /// It must be the action of a handler that is still loaded; `info` and `context` those that the system gave for
    /// `number`.
    pub unsafe fn call(&self, number: c_int, info: *mut c_void, context: *mut c_void) {
        if self.flags & libc::SA_SIGINFO != 0 {
            // SAFETY: such a handler takes three arguments, by the flag.
            let handler: extern "C" fn(c_int, *mut c_void, *mut c_void) = unsafe { core::mem::transmute(self.handler) };
            handler(number, info, context);
        } else {
            // SAFETY: such a handler takes one.
            let handler: extern "C" fn(c_int) = unsafe { core::mem::transmute(self.handler) };
            handler(number);
        }
    }
}

/// The set of the signals in `bits`.
fn set_of(bits: u64) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: sigemptyset initialises the set; sigaddset refuses what is no signal.
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for number in (1..=SIGNALS).filter(|number| bits & bit(*number) != 0) {
            libc::sigaddset(set.as_mut_ptr(), number);
        }
        set.assume_init()
    }
}

/// The bit of a signal.
pub fn bit(number: c_int) -> u64 {
    1u64.wrapping_shl(number.wrapping_sub(1) as u32)
}

/// The action of a signal.
pub fn action(number: c_int) -> Result<Action> {
    exchange(number, ptr::null())
}

/// Sets the action of a signal. The one before.
pub fn set_action(number: c_int, new: &Action) -> Result<Action> {
    // SAFETY: all-zero is a valid action; field by field, for systems have more of them.
    let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
    action.sa_sigaction = new.handler;
    action.sa_mask = set_of(new.mask);
    action.sa_flags = new.flags;
    exchange(number, &action)
}

fn exchange(number: c_int, new: *const libc::sigaction) -> Result<Action> {
    let mut old = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: null or a valid action, and room for the old one.
    if unsafe { libc::sigaction(number, new, old.as_mut_ptr()) } != 0 {
        return Err(last_error());
    }
    // SAFETY: filled by the call that has succeeded.
    let old = unsafe { old.assume_init() };
    // SAFETY: a valid set.
    let blocked = (1..=SIGNALS).filter(|number| unsafe { libc::sigismember(&old.sa_mask, *number) } == 1);
    Ok(Action { handler: old.sa_sigaction, flags: old.sa_flags, mask: blocked.map(bit).sum() })
}

/// Sends this thread a signal that has come already once more, with all that was said of it.
pub fn send_again(number: c_int, info: *const c_void) {
    // SAFETY: no preconditions; the kernel reads `info` itself and refuses what it cannot read. By number, for C libraries
    // have no functions for them.
    unsafe {
        let (process, thread) = (libc::getpid(), libc::syscall(libc::SYS_gettid));
        if libc::syscall(libc::SYS_rt_tgsigqueueinfo, process, thread, number, info) != 0 {
            libc::syscall(libc::SYS_tgkill, process, thread, number);
        }
    }
}

/// Changes which signals wait for this thread. Those that waited before. By number: the C library's sets are 16 times as
/// large, and leave out its own signals.
fn mask(how: c_int, signals: u64) -> u64 {
    let mut before: u64 = 0;
    // SAFETY: two sets of the size that is given.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, how, &raw const signals, &raw mut before, size_of::<u64>()) };
    before
}

/// Lets a signal through to this thread, which comes at once if it is pending, and holds it back again if it was.
pub fn let_through(number: c_int) {
    let before = mask(libc::SIG_UNBLOCK, bit(number));
    mask(libc::SIG_SETMASK, before);
}

/// Puts the `errno` of the interrupted code back when it is dropped.
#[derive(Debug)]
pub struct Errno(c_int);

impl Errno {
    /// Keeps it.
    pub fn keep() -> Errno {
        // SAFETY: always a valid pointer to this thread's errno.
        Errno(unsafe { *libc::__errno_location() })
    }
}

impl Drop for Errno {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { *libc::__errno_location() = self.0 };
    }
}

/// Signals that wait until a dump is done.
static WAITING: AtomicU64 = AtomicU64::new(0);

/// Lets `signals` wait, from now on, while a [`HeldBack`] lives.
pub fn hold_back(signals: u64) {
    WAITING.store(signals, Ordering::Relaxed);
}

/// While this lives, some signals do not reach this thread.
#[derive(Debug)]
pub struct HeldBack {
    /// The mask before, where it was changed.
    before: Option<u64>,
}

impl HeldBack {
    /// Holds back the signals of [`hold_back`]. Costs nothing when there are none.
    #[inline]
    pub fn begin() -> HeldBack {
        let waiting = WAITING.load(Ordering::Relaxed);
        HeldBack { before: (waiting != 0).then(|| mask(libc::SIG_BLOCK, waiting)) }
    }

    /// Holds back all signals. A fault of this thread then ends the process at once.
    pub fn all() -> HeldBack {
        HeldBack { before: Some(mask(libc::SIG_BLOCK, u64::MAX)) }
    }
}

impl Drop for HeldBack {
    #[inline]
    fn drop(&mut self) {
        if let Some(before) = self.before {
            mask(libc::SIG_SETMASK, before);
        }
    }
}
