//! Initializes the runtime when the image is loaded: sets the name, informs others of the run, and registers the exit handler.
//!
//! No existing profile is truncated here (see `run`). Missing directories can be created, and with `%c` the continuous file is written.

use core::ffi::{c_char, c_int};
use core::sync::atomic::Ordering;

use super::merged_content::LaterWrites;
use super::{filename, fork, run, signals, value_limits, write};
use crate::continuous;
use crate::error::Error;
use crate::os::{self, Variables};
use crate::report::set_verbose;
use crate::state::output::{self, ENDINGS_KNOWN, EXIT_REGISTERED, PROFILE_DUMP};

/// Sets the name from the environment, begins the run once, and starts continuous mode if it is requested.
pub fn initialize_file(variables: &Variables) {
    fork::register();
    if variables.get(c"LLVM_PROFILE_VERBOSE").is_some() {
        set_verbose();
    }
    {
        let Some(mut output) = output::lock_briefly() else { return };
        filename::learn(&mut output, variables.get(filename::VARIABLE));
        run::begin(&mut output, variables);
    }
    if continuous::request::enabled()
        && let Some(mut output) = output::lock()
    {
        continuous::start::begin_or_move(&mut output);
    }
}

/// Does the work of the constructor. Its arguments are the program's arguments and environment, or have no meaning.
pub fn construct(count: c_int, arguments: *const *const c_char, environment: *const *const c_char) {
    os::learn_threads();
    os::learn_auxv(count, arguments, environment);
    begin();
}

/// Does the work of the constructor for a program that calls `__llvm_profile_initialize`.
pub fn initialize() {
    os::learn_threads();
    begin();
}

/// Reads the environment, and registers the exit handler.
fn begin() {
    let variables = &Variables::read();
    value_limits::setup(variables);
    initialize_file(variables);
    if !ENDINGS_KNOWN.swap(true, Ordering::Relaxed) {
        fork::setup(variables);
        PROFILE_DUMP.store(write::dump_in_handler as *mut (), Ordering::Relaxed);
        signals::setup(variables);
    }
    register_exit();
}

/// Registers the exit handler, once. Returns whether it is registered.
pub fn register_exit() -> bool {
    if EXIT_REGISTERED.swap(true, Ordering::Relaxed) {
        return true;
    }
    fork::register();
    let done = os::at_exit(at_exit);
    EXIT_REGISTERED.store(done, Ordering::Relaxed);
    done
}

/// Writes the profile at exit.
extern "C" fn at_exit() {
    // A set-uid program writes nothing unasked: its working directory and environment are its caller's.
    if os::secure() {
        return;
    }
    output::give_up_wait();
    // If signals are watched, one may reach another thread after this write, and its dump has to find our share.
    // Errors have been reported; the exit code is the program's own.
    let later_writes = if os::watching() { LaterWrites::Possible } else { LaterWrites::None };
    let written = write::write_file(later_writes);
    // A dump of this thread has led here, or another thread has kept the state.
    let state_was_busy = written == Err(Error::BUSY);
    signals::leave_after(&PROFILE_DUMP, !state_was_busy);
}
