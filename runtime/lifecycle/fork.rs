//! Handles `fork` in the child. docs/LEAVING-EARLY.md has the promises to users.
//!
//! By default a child keeps its parent's counts, as under LLVM's runtime; with `LLVM_PROFILE_FORK=reset` it starts from zero.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicBool, Ordering};

use super::{filename, fork_request, run, signals};
use crate::continuous::mode::{self, ChildCounts};
use crate::os::{self, Variables};
use crate::reset;
use crate::state::output::{self, FORK_HANDLED};
use crate::value::optional::optional;

/// Children start from zero.
static RESET: AtomicBool = AtomicBool::new(false);

/// Reads from the environment whether children start from zero. To be called once.
pub fn setup(variables: &Variables) {
    RESET.store(fork_request::is_reset(variables), Ordering::Relaxed);
}

/// Registers the handler for forked children, once. Returns whether it is registered. Never called in a write: a signal handler that writes
/// the profile may have interrupted a `fork` that holds the lock of the C library's list of such handlers.
///
/// Without the handler, a value site that another thread was changing when the process forked takes no new values in the child, and the lock
/// of a killed parent stays as long as its child lives.
pub fn register() -> bool {
    if FORK_HANDLED.swap(true, Ordering::Relaxed) {
        return true;
    }
    let done = os::at_fork_child(in_child);
    FORK_HANDLED.store(done, Ordering::Relaxed);
    done
}

optional! {
    /// Returns the function that frees sites that other threads were changing; absent in programs without value sites.
    fn freer() -> fn() = crate::value::reset::release_locks, "profrt_values_release_locks";
}

/// Releases in the child what other threads of the parent held, and starts its counts from zero where that is requested.
extern "C" fn in_child() {
    os::count_fork();
    signals::in_this_process();
    if let Some(free) = freer() {
        free();
    }
    // A file lock of another thread stays the parent's.
    if !output::is_inside() {
        os::file::close_inherited();
    }
    // Another thread of the parent may have been changing the name: then the child has none.
    if let Some(mut output) = output::lock_briefly() {
        filename::ensure(&mut output);
    }
    match mode::in_child() {
        ChildCounts::Settled => reset::forget_dump(),
        ChildCounts::Inherited if RESET.load(Ordering::Relaxed) => reset::reset(),
        ChildCounts::Inherited => {}
    }
    if let Some(mut output) = output::lock_briefly() {
        run::in_child(&mut output);
    }
}
