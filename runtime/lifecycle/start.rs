//! The start and the exit of a process. Start: removes the profile of an earlier run, reads the name, the fork mode and the dump signals from the
//! environment. Exit: writes the profile.
//!
//! The first process of a run removes the regular file of its name, and makes its directories; then it sets the variable by which LLVM's
//! runtime tells its children that the file was truncated. So processes with both runtimes mix, and no run leaves the profile of an earlier one
//! when it is killed.

use core::ffi::CStr;
use core::sync::atomic::Ordering;

use super::content::LaterWrites;
use super::signals::PROFILE_DUMP;
use super::{fork, signals, value_limits, write};
use crate::continuous;
use crate::error::Error;
use crate::os;
use crate::output::{self, Output, WRITES_AT_EXIT};
use crate::path::directory;
use crate::publish;
use crate::report::{Grade, learn_verbose};
use crate::reset::{self, LOCKED_RESET};
use crate::state::request;

/// Environment variable `NAME=NAME`, inherited by child processes: a process of this run has started, so the old profile is already removed.
const BEGUN: &CStr = c"__LLVM_PROFILE_RT_INIT_ONCE";

/// Sets the name from the environment, begins the run once, and starts continuous mode if it is requested.
pub fn initialize_file() {
    fork::register();
    learn_verbose();
    {
        let Some(output) = &mut output::lock_without_write() else { return };
        output.name.learn();
        begin_run(output);
    }
    if request::enabled()
        && let Some(output) = &mut output::lock()
    {
        begin_continuous(output);
    }
}

/// Begins the run, unless this process or an ancestor has. (A set-uid program removes nothing here, and does not set the variable.)
fn begin_run(output: &mut Output) {
    if output.run_begun || os::secure() {
        return;
    }
    output.run_begun = true;
    if os::env(BEGUN).is_some() {
        return;
    }
    output.is_first = true;
    let Output { name, path, .. } = output;
    if name.check_allowed().and_then(|()| name.resolve(None, path)).is_ok() {
        // What cannot be removed or created shows when the file is written.
        if name.is_pooled() {
            // Later runs add to a pool file.
        } else if os::file::LOCKS && name.flags.continuous {
            continuous::remove_slots(path);
        } else {
            let _ = publish::remove_old(path);
        }
        if !directory(path.as_bytes()).is_empty() {
            let _ = publish::make_directories(path.as_bytes());
        }
    }
    os::set_env(BEGUN, BEGUN);
}

/// Starts continuous mode, if it is requested and the profile goes to no stream.
pub fn begin_continuous(output: &mut Output) {
    if output::STREAM.load(Ordering::Relaxed) != 0 {
        return;
    }
    let grade = if output.is_first { Grade::Warning } else { Grade::Note };
    let Output { continuous, name, .. } = output;
    if continuous.begin(name, grade) {
        fork::register();
        LOCKED_RESET.set(Some(&(reset_mapped as fn())));
    }
}

/// Resets counters in memory, under the lock of [`Output`], so that no write of another thread overlaps. Resets them also if the lock stays busy
/// for half a minute.
fn reset_in_memory() {
    let _output = output::lock_without_write();
    reset::clear();
    reset::note_reset();
}

/// Resets counters that are pages of a file.
fn reset_mapped() {
    let _suspended = os::ParentDeath::suspend();
    let Some(output) = &mut output::lock() else { return write::report_busy(b"Counters were not reset") };
    let Output { continuous, name, .. } = &mut **output;
    continuous.reset(name);
    reset::note_reset();
}

/// Does the work of the constructor: reads the environment.
pub extern "C" fn initialize() {
    os::learn_threads();
    PROFILE_DUMP.set(Some(&(write::dump_in_handler as fn())));
    value_limits::setup();
    // Not again in `__llvm_profile_initialize`.
    if LOCKED_RESET.get().is_none() {
        LOCKED_RESET.set(Some(&(reset_in_memory as fn())));
    }
    initialize_file();
    signals::setup();
    if os::needs_exit_handler() {
        register_exit();
    }
    // From here on `at_exit` writes. On ELF the destructor calls it; elsewhere, and beside a sanitizer, `register_exit` has registered it above.
    WRITES_AT_EXIT.store(true, Ordering::Relaxed);
}

/// Registers [`at_exit`] as an exit handler, unless [`WRITES_AT_EXIT`] says that it will be called already. Returns whether it will be called.
pub fn register_exit() -> bool {
    if WRITES_AT_EXIT.swap(true, Ordering::Relaxed) {
        return true;
    }
    fork::register();
    os::at_process_end(at_exit);
    let done = os::at_exit(at_exit);
    WRITES_AT_EXIT.store(done, Ordering::Relaxed);
    done
}

/// Writes the profile at exit, or when the shared object with this image is unloaded: as a destructor after those of the program, whose counts
/// belong to the profile, or as an exit handler.
pub extern "C" fn at_exit() {
    // A set-uid program writes nothing unasked: its working directory and environment are its caller's. Nor does a process
    // that exits before our constructor was called.
    if os::secure() || !WRITES_AT_EXIT.load(Ordering::Relaxed) {
        return;
    }
    // Errors have been reported; the exit code is the program's own.
    let written = write::write_file(LaterWrites::None);
    // A dump of this thread has called `exit` (in a handler), or another thread did not release `Output` in time.
    let state_was_busy = written == Err(Error::BUSY);
    signals::end_dump(&PROFILE_DUMP, !state_was_busy);
}
