//! Actions of signals, as `sigaction` knows them.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};

use super::signal::{OF_WRITES, SYNCHRONOUS, bit, mask};
use super::{kernel, last_error};
use crate::error::Result;

/// Signals that there are: 1 to this number.
pub const SIGNALS: u32 = 64;

/// What happens when a signal comes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Action {
    /// Address of the function; `SIG_DFL` or `SIG_IGN`.
    pub handler: usize,
    /// `SA_*`.
    pub flags: c_int,
    /// Signals blocked while the handler runs (`sa_mask`): bit N - 1 for signal N.
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

/// What a set of a C library begins with: all signals that there are.
#[cfg(not(target_os = "macos"))]
type Bits = u64;
#[cfg(target_os = "macos")]
type Bits = u32;

/// Converts signals between the kernel's bits, signal N in bit N - 1, and the words at the start of the C libraries' sets.
const fn words(bits: u64) -> u64 {
    if cfg!(all(target_endian = "big", target_pointer_width = "32")) { bits.rotate_left(32) } else { bits }
}

/// Returns the set of the signals in `bits`.
fn set_of(bits: u64) -> libc::sigset_t {
    let mut set = MaybeUninit::<libc::sigset_t>::zeroed();
    // SAFETY: a set begins with these bits; all-zero is a valid set, and any bits are.
    unsafe {
        set.as_mut_ptr().cast::<Bits>().write_unaligned(words(bits) as Bits);
        set.assume_init()
    }
}

/// Returns the signals in a set, as bits.
fn bits_of(set: &libc::sigset_t) -> u64 {
    // SAFETY: a set begins with these bits.
    words(unsafe { ptr::from_ref(set).cast::<Bits>().read_unaligned() } as _)
}

/// Returns the action of a signal.
pub fn action(number: c_int) -> Result<Action> {
    exchange(number, ptr::null())
}

/// Sets the action of a signal. Returns the previous one.
pub fn set_action(number: c_int, new: &Action) -> Result<Action> {
    // SAFETY: all-zero is a valid action; field by field, for systems have more of them.
    let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
    action.sa_sigaction = new.handler;
    action.sa_mask = set_of(new.mask);
    action.sa_flags = new.flags;
    exchange(number, &action)
}

/// Returns the action of a signal, and sets it to `new` unless that is null.
fn exchange(number: c_int, new: *const libc::sigaction) -> Result<Action> {
    let mut old = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: null or a valid action, and room for the old one.
    if unsafe { libc::sigaction(number, new, old.as_mut_ptr()) } != 0 {
        return Err(last_error());
    }
    // SAFETY: filled by the call that has succeeded.
    let old = unsafe { old.assume_init() };
    Ok(Action { handler: old.sa_sigaction, flags: old.sa_flags, mask: bits_of(&old.sa_mask) })
}

/// Raises a delivered signal in this thread again, with its original `siginfo`.
pub fn raise_again(number: c_int, info: *const c_void) {
    // SAFETY: no preconditions; the kernel reads `info` itself and refuses what it cannot read.
    unsafe {
        let (process, thread) = (kernel::getpid() as c_int, kernel::gettid() as c_int);
        if kernel::rt_tgsigqueueinfo(process, thread, number, info) != 0 {
            kernel::tgkill(process, thread, number);
        }
    }
}

/// Delivers a blocked signal to this thread now, if it is pending. The mask is restored.
pub fn deliver_pending(number: c_int) {
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
        Errno(unsafe { *super::errno_place() })
    }
}

impl Drop for Errno {
    fn drop(&mut self) {
        // SAFETY: the C library always returns a valid pointer to the errno of this thread.
        unsafe { *super::errno_place() = self.0 };
    }
}

/// The signals that [`BlockedSignals::begin`] blocks.
static BLOCKED: AtomicU64 = AtomicU64::new(0);

/// Sets the signals that [`BlockedSignals::begin`] blocks: those that write a profile.
pub fn set_blocked(signals: u64) {
    BLOCKED.store(signals, Ordering::Relaxed);
}

/// While this lives, some signals do not reach this thread.
#[derive(Debug)]
pub struct BlockedSignals {
    /// The mask before, where it was changed.
    before: Option<u64>,
}

impl BlockedSignals {
    /// Blocks the signals of [`set_blocked`]. Costs nothing when there are none.
    #[inline]
    pub fn begin() -> BlockedSignals {
        let signals = BLOCKED.load(Ordering::Relaxed);
        if signals == 0 { BlockedSignals { before: None } } else { BlockedSignals::block(signals) }
    }

    /// Blocks all signals. A fault of this thread then ends the process at once.
    pub fn all() -> BlockedSignals {
        BlockedSignals::block(u64::MAX)
    }

    /// Blocks all signals but those that cannot wait.
    pub fn all_but_synchronous() -> BlockedSignals {
        BlockedSignals::block(!SYNCHRONOUS)
    }

    fn block(signals: u64) -> BlockedSignals {
        BlockedSignals { before: Some(mask(libc::SIG_BLOCK, signals)) }
    }

    /// Returns the mask that is put back at the end, for [`with_mask`]; `None`: it was not changed.
    pub fn mask_before(&self) -> Option<u64> {
        self.before
    }
}

/// Calls `meanwhile` under the mask `other` from before the guard ([`BlockedSignals::mask_before`]), so that signals are delivered while it waits.
/// SIGXFSZ and SIGPIPE stay blocked.
#[inline]
pub fn with_mask<R>(other: Option<u64>, meanwhile: impl FnOnce() -> R) -> R {
    let _restored = BlockedSignals { before: other.map(|other| mask(libc::SIG_SETMASK, other | OF_WRITES)) };
    meanwhile()
}

impl Drop for BlockedSignals {
    fn drop(&mut self) {
        if let Some(before) = self.before {
            mask(libc::SIG_SETMASK, before);
        }
    }
}
