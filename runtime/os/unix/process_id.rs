//! The id of this process, and a number that no parent of it has: apart from `process`, which reads files, whose locks need the id.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicU32, Ordering};

use super::kernel;

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
