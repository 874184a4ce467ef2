//! Handles `fork` in the child. docs/LEAVING-EARLY.md has the promises to users.
//!
//! By default a child keeps its parent's counts, as under LLVM's runtime; with `LLVM_PROFILE_FORK=reset` it starts from zero.

#![allow(unsafe_code)]

use core::sync::atomic::Ordering;

use super::signals::{self, FORKS_RESET};
use crate::os;
use crate::output::{self, FORK_HANDLED, Output};
use crate::reset::{note_reset, reset};
use crate::value::linked;

/// Registers the handler for forked children, once. Returns whether it is registered. Never called in a write: a signal handler that writes
/// the profile may have interrupted a `fork` that holds the lock of the C library's list of such handlers.
///
/// Without the handler, in the child: a value site that another thread was changing takes no new values, and a write finds the state locked by that
/// thread and fails after half a minute.
pub fn register() -> bool {
    if FORK_HANDLED.swap(true, Ordering::Relaxed) {
        return true;
    }
    let done = os::at_fork_child(in_child);
    FORK_HANDLED.store(done, Ordering::Relaxed);
    done
}

/// Releases in the child what other threads of the parent held, and starts its counts from zero where that is requested.
extern "C" fn in_child() {
    os::count_fork();
    signals::in_this_process();
    if let Some(release) = linked::release_locks() {
        release();
    }
    output::release_in_child();
    // Inside of a write of this thread, in a handler of a fault, no file can be changed.
    if output::lock_without_write().as_ref().is_some_and(|output| output.continuous.has_begun()) {
        // Changes files: needs the lock that blocks all signals.
        if let Some(output) = &mut output::lock() {
            let Output { continuous, name, .. } = &mut **output;
            continuous.in_child(name);
        }
        // The counts start from zero, or `in_child` has warned: `LLVM_PROFILE_FORK` has nothing left to do.
        return note_reset();
    }
    if FORKS_RESET.load(Ordering::Relaxed) {
        reset();
    }
}
