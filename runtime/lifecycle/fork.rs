//! What a child of `fork` begins with. docs/LEAVING-EARLY.md says what users may rely on.
//!
//! By default it has its parent's counts, as under LLVM's runtime; `LLVM_PROFILE_FORK=reset` lets it begin with none, so
//! that parent and children add up.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicBool, Ordering};

use super::{continuous_mode, run, signals};
use crate::os::{self, Variables};
use crate::report::{Grade, print};
use crate::reset;
use crate::state::output;
use crate::value::linked::linked;

/// Children begin with no counts.
static RESET: AtomicBool = AtomicBool::new(false);
/// The handler for forked children is registered.
static REGISTERED: AtomicBool = AtomicBool::new(false);

/// Learns what children begin with. To be called once.
pub fn setup(variables: &Variables) {
    match variables.get(c"LLVM_PROFILE_FORK").map_or(b"" as &[u8], |how| how.to_bytes()) {
        b"" | b"inherit" => {}
        b"reset" => RESET.store(true, Ordering::Relaxed),
        other => print(
            Grade::Warning,
            &[b"LLVM_PROFILE_FORK is ignored: it must be \"reset\" or \"inherit\", not \"", other, b"\"."],
        ),
    }
}

/// Registers the handler for forked children, once. Returns whether it is registered. Never in a write: the C library's list of such
/// handlers has a lock, which a `fork` holds that a signal has interrupted, and the signal's handler may write the profile.
///
/// Without the handler a site that another thread was at when the process forked takes no new values in the child, and a lock that a
/// killed parent had stays as long as its child.
pub fn register() -> bool {
    REGISTERED.swap(true, Ordering::Relaxed) || os::at_fork_child(in_child)
}

linked! {
    /// Who frees sites that other threads were at.
    fn freer() -> fn() = crate::value::forget::others, "profrt_values_free";
}

/// The child has one thread, whatever the others were doing: what they held nobody will give back.
extern "C" fn in_child() {
    signals::in_this_process();
    if let Some(free) = freer() {
        free();
    }
    // A lock that another thread had in the parent is for the parent to keep or to give back.
    if !output::is_inside() {
        os::file::close_inherited();
    }
    if continuous_mode::in_child() {
        // It counts from zero in a file of its own, or in one of another process that has ended: nothing to reset.
        reset::forget_dump();
    } else if RESET.load(Ordering::Relaxed) {
        reset::reset();
    }
    if let Some(mut output) = output::lock() {
        run::in_child(&mut output);
    }
}
