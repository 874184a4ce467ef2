//! What happens when the image is loaded: learn the name, tell later images and children that the run has begun, and
//! arrange for the profile to be written at exit.
//!
//! No file is touched here. The official runtime truncates the old profile at this point, so that a killed process
//! loses it; here the file is only looked at (`run`), and who writes first replaces it.

use core::ffi::{c_char, c_int};
use core::sync::atomic::Ordering;

use super::later_writes::LaterWrites;
use super::{continuous_start, filename, fork, run, signals, value_limits, write};
use crate::error::Error;
use crate::os::{self, Variables};
use crate::report::set_verbose;
use crate::state::output::{self, ENDINGS_KNOWN, EXIT_REGISTERED};

/// Learns the name and begins the run, once.
pub fn initialize_file(variables: &Variables) {
    fork::register();
    if variables.get(c"LLVM_PROFILE_VERBOSE").is_some() {
        set_verbose();
    }
    let Some(mut output) = output::lock() else { return };
    filename::learn(&mut output, variables.get(filename::VARIABLE));
    run::begin(&mut output, variables);
    continuous_start::begin(&mut output);
}

/// Everything the constructor does, which is given the program's arguments and its environment, or nothing that has a meaning.
pub fn construct(count: c_int, arguments: *const *const c_char, environment: *const *const c_char) {
    os::learn_threads();
    os::learn_auxv(count, arguments, environment);
    begin();
}

/// The same for a program that calls it.
pub fn initialize() {
    os::learn_threads();
    begin();
}

fn begin() {
    let mut variables = Variables::none();
    let variables = variables.find();
    value_limits::setup(variables);
    initialize_file(variables);
    // Once only: a handler of ours that found itself would never end.
    if !ENDINGS_KNOWN.swap(true, Ordering::Relaxed) {
        fork::setup(variables);
        signals::setup(variables);
    }
    register_exit();
}

/// Has the profile written at exit. Whether that is arranged; twice is once.
pub fn register_exit() -> bool {
    if EXIT_REGISTERED.swap(true, Ordering::Relaxed) {
        return true;
    }
    fork::register();
    let done = os::at_exit(at_exit);
    EXIT_REGISTERED.store(done, Ordering::Relaxed);
    done
}

extern "C" fn at_exit() {
    // A set-uid program writes nothing that it has not asked for: its working directory and environment are its caller's.
    if os::secure() {
        return;
    }
    // Where signals write too, one may come to another thread right behind this and has to find our part.
    // Whatever went wrong has been said; the program's exit code is its own.
    let later_writes = if os::watching() { LaterWrites::Possible } else { LaterWrites::None };
    let written = write::write_file(later_writes);
    signals::leave(written != Err(Error::BUSY));
}
