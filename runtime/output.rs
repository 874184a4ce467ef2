//! The state of the profile file of this image, and its lock.

#![allow(unsafe_code)]

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::{AtomicBool, AtomicUsize};

use crate::continuous::Continuous;
use crate::merge::contribution::Contribution;
use crate::name::Name;
use crate::os;
use crate::path::PathBuf;

pub mod thread_lock;

use thread_lock::{Locked, ThreadLock};

/// [`at_exit`](crate::lifecycle::start::at_exit) writes: the constructor has run, or an exit handler is registered.
pub static WRITES_AT_EXIT: AtomicBool = AtomicBool::new(false);
/// The handler for forked children of programs with a profile is registered.
pub static FORK_HANDLED: AtomicBool = AtomicBool::new(false);
/// The address of the program's stream that receives the profile instead of a file; 0: none.
pub static STREAM: AtomicUsize = AtomicUsize::new(0);
/// The profile is merged with the one in the stream's file.
pub static STREAM_MERGES: AtomicBool = AtomicBool::new(false);

/// The state of the profile file of this image. Small fields come first: their accesses take shorter instructions.
#[repr(C)]
pub struct Output {
    /// The run was begun, by this process or an ancestor: the files of an earlier run are removed.
    pub run_begun: bool,
    /// This process has begun the run, so it prints the warnings that would otherwise come from each process.
    pub is_first: bool,
    /// What was written under the name.
    pub contribution: Contribution,
    /// The name.
    pub name: Name,
    /// The file that counters are mapped onto.
    pub continuous: Continuous,
    /// The last expansion of the name.
    pub path: PathBuf,
}

impl Output {
    /// Returns the name for messages: the pattern, where it could not be expanded.
    pub fn shown(&self) -> &[u8] {
        match self.path.as_bytes() {
            b"" => self.name.pattern.as_bytes(),
            path => path,
        }
    }
}

/// The memory of the state, which only the owner of the lock uses. The lock is on its first page, so that this page is first written to: a read before
/// would cost another page fault.
#[repr(C)]
struct OutputCell {
    lock: ThreadLock,
    output: UnsafeCell<Output>,
}

// SAFETY: only the owner of the lock, of which there is one at a time, uses the state (`lock`).
unsafe impl Sync for OutputCell {}

static OUTPUT: OutputCell = OutputCell {
    lock: ThreadLock::new(),
    output: UnsafeCell::new(Output {
        run_begun: false,
        is_first: false,
        contribution: Contribution::NONE,
        name: Name::UNSET,
        continuous: Continuous::NONE,
        path: PathBuf::new(),
    }),
};

/// A lock of [`Output`].
pub struct OutputGuard(Locked);

impl Deref for OutputGuard {
    type Target = Output;
    #[inline]
    fn deref(&self) -> &Output {
        // SAFETY: an `OutputGuard` is only made for the owner.
        unsafe { &*OUTPUT.output.get() }
    }
}

impl DerefMut for OutputGuard {
    #[inline]
    fn deref_mut(&mut self) -> &mut Output {
        // SAFETY: an `OutputGuard` is only made for the owner, who has only one; the reference borrows it mutably.
        unsafe { &mut *OUTPUT.output.get() }
    }
}

impl OutputGuard {
    /// Returns the signal mask from before, for [`os::with_mask`].
    pub fn mask_before(&self) -> Option<u64> {
        self.0.mask_before()
    }
}

/// Returns whether this thread has the state locked: it is inside a write, or was when its process was forked.
pub fn is_inside() -> bool {
    OUTPUT.lock.is_own()
}

/// Locks the state of the profile file, and holds signals back. Waits for the write of another thread. Returns `None` when this thread is inside
/// a write (in a handler of a fault), or when the other write does not end.
pub fn lock() -> Option<OutputGuard> {
    lock_with(os::BlockedSignals::all_but_synchronous)
}

/// Locks the state as [`lock`], for work that writes no profile: only the signals that write one are held back.
pub fn lock_without_write() -> Option<OutputGuard> {
    lock_with(os::BlockedSignals::begin)
}

fn lock_with(block: fn() -> os::BlockedSignals) -> Option<OutputGuard> {
    OUTPUT.lock.lock(block).filter(Locked::is_outermost).map(OutputGuard)
}

/// Makes the state usable in a forked child, if another thread of the parent had it locked. To be called in the fork handler.
pub fn release_in_child() {
    OUTPUT.lock.reset_in_child();
}
