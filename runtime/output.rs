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
    OUTPUT.lock.lock(block, false).map(OutputGuard)
}

/// Makes the state usable in a forked child, if another thread of the parent had it locked. To be called in the fork handler.
pub fn release_in_child() {
    OUTPUT.lock.reset_in_child();
}

pub mod thread_lock {
    //! A lock that belongs to a thread, so that a signal handler knows whether it has interrupted the owner.

    use core::sync::atomic::{AtomicUsize, Ordering};

    use crate::os::{self, BlockedSignals, Deadline};

    /// A lock. The word is the token of the thread that has it; 0: nobody. The layout may not change (see `gcov::images`).
    #[repr(transparent)]
    pub struct ThreadLock(AtomicUsize);

    impl ThreadLock {
        /// Creates a free lock.
        pub const fn new() -> ThreadLock {
            ThreadLock(AtomicUsize::new(0))
        }

        /// Locks it, with signals blocked by `block`. Waits for another thread; returns `None` when that has not released it within half a minute,
        /// and where this thread has the lock, unless `nested`.
        pub fn lock(&'static self, block: fn() -> BlockedSignals, nested: bool) -> Option<Locked> {
            let _uncancelled = os::Uncancelled::begin();
            let blocked = block();
            let mut deadline = Deadline::new();
            let me = os::thread_token();
            loop {
                let lock = match self.0.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed) {
                    Ok(_) => Some(self),
                    Err(owner) if owner == me && nested => None,
                    Err(owner) if owner == me || deadline.is_over() => return None,
                    Err(_) => {
                        os::with_mask(blocked.mask_before(), os::pause);
                        continue;
                    }
                };
                return Some(Locked { lock, blocked, _uncancelled });
            }
        }

        /// Returns whether this thread has the lock. A thread that has forked a process is the same one in the child.
        pub fn is_own(&self) -> bool {
            self.0.load(Ordering::Relaxed) == os::thread_token()
        }

        /// Releases the lock in a forked child, where only the thread that has forked exists.
        pub fn reset_in_child(&self) {
            if !self.is_own() {
                self.0.store(0, Ordering::Relaxed);
            }
        }
    }

    /// A guard of a lock. The thread cannot be canceled while the guard lives, and signals wait (all, or those that write a profile): a handler
    /// could fork, and leave two processes in one write, with one lock of its file. Nothing waits for another process meanwhile.
    ///
    /// The saved signal mask and cancelability live in this guard, not in a static: a handler of a fault may fork during a dump.
    pub struct Locked {
        /// The lock; `None`: this thread had it before. The caller is in a signal handler, or in a function that the owner has called.
        lock: Option<&'static ThreadLock>,
        // Dropped in this order, after the lock is free: pending signals arrive before the thread can be canceled.
        blocked: BlockedSignals,
        _uncancelled: os::Uncancelled,
    }

    impl Locked {
        /// Returns the signal mask from before, for [`os::with_mask`].
        pub fn mask_before(&self) -> Option<u64> {
            self.blocked.mask_before()
        }
    }

    impl Drop for Locked {
        fn drop(&mut self) {
            if let Some(lock) = self.lock {
                lock.0.store(0, Ordering::Release);
            }
        }
    }
}
