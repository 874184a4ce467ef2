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

    /// Locks it, with signals blocked by `block`. Waits for another thread; returns `None` when that has not released it within half a minute.
    pub fn lock(&'static self, block: fn() -> BlockedSignals) -> Option<Locked> {
        let _uncancelled = os::Uncancelled::begin();
        let blocked = block();
        let mut deadline = Deadline::new();
        loop {
            let me = os::thread_token();
            let lock = match self.0.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => Some(self),
                Err(owner) if owner == me => None,
                Err(_) if deadline.is_over() => return None,
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
    /// Returns whether the lock was free.
    pub fn is_outermost(&self) -> bool {
        self.lock.is_some()
    }

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
