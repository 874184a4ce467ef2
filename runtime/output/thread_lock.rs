//! A lock that belongs to a thread, so that a signal handler knows whether it has interrupted the owner.

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::os::{self, Deadline};

/// The result of an attempt to take a lock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taken {
    /// The lock was free, or became free.
    Now,
    /// This thread has it: the caller is in a signal handler, or in a function that the owner has called.
    Before,
    /// Another thread has not released it within half a minute.
    Not,
}

/// A lock. The word is the token of the thread that has it; 0: nobody. The layout may not change (see `gcov::images`).
#[derive(Debug)]
#[repr(transparent)]
pub struct ThreadLock(AtomicUsize);

impl ThreadLock {
    /// Creates a free lock.
    pub const fn new() -> ThreadLock {
        ThreadLock(AtomicUsize::new(0))
    }

    /// Takes the lock. Waits for another thread, under the signal mask `meanwhile` if there is one.
    pub fn take(&self, meanwhile: Option<u64>) -> Taken {
        let mut deadline = Deadline::new();
        loop {
            let me = os::thread_token();
            match self.0.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Taken::Now,
                Err(owner) if owner == me => return Taken::Before,
                Err(_) if deadline.is_over() => return Taken::Not,
                Err(_) => os::with_mask(meanwhile, os::pause),
            }
        }
    }

    /// Releases the lock, which this thread has.
    pub fn release(&self) {
        self.0.store(0, Ordering::Release);
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
