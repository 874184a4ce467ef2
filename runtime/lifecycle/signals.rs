//! `LLVM_PROFILE_DUMP_SIGNALS`: signals that have the profile written before they do what they do anyway.
//!
//! docs/LEAVING-EARLY.md says what users may rely on. A dump here is a dump like any other, so the one at exit, or of a
//! later signal, takes its place in the file: each count is in there once.

use core::sync::atomic::{AtomicU32, Ordering};

use super::later_writes::LaterWrites;
use super::signal_list::{SystemSignals, signals};
use super::write;
use crate::os::{self, Variables, Watched};
use crate::report::{Grade, print, say};
use crate::state::output::STREAM;

/// The process that handles signals. Another one with our memory is a child of `vfork`: it must not write what is its
/// parent's.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Threads whose handler writes. Invariant: only those of [`PROCESS`].
static DUMPING: AtomicU32 = AtomicU32::new(0);

/// Watches the signals that are asked for. To be called once.
pub fn setup(variables: &Variables) {
    let list = variables.get(c"LLVM_PROFILE_DUMP_SIGNALS").filter(|list| !list.is_empty());
    let Some(list) = list else { return };
    in_this_process();
    let system = SystemSignals { names: &os::SIGNAL_NAMES, realtime: os::realtime_signals() };
    for (word, signal) in signals(list.to_bytes(), system) {
        let why: &[u8] = match signal.map(|number| os::watch(number, dump)) {
            Some(Watched::Yes | Watched::Ignored) => continue,
            Some(Watched::Unloadable) => b"\" is left out: this shared object cannot be kept loaded.",
            Some(Watched::Refused) => b"\" is left out: it cannot be caught.",
            None => b"\" is left out: it is no signal.",
        };
        print(Grade::Warning, &[b"LLVM_PROFILE_DUMP_SIGNALS: \"", word, why]);
    }
}

/// This process is one of its own from now on, with one thread.
pub fn in_this_process() {
    DUMPING.store(0, Ordering::Relaxed);
    PROCESS.store(os::process_id(), Ordering::Relaxed);
}

/// What the handler does. Only async-signal-safe calls from here on.
extern "C" fn dump() {
    if os::process_id() != PROCESS.load(Ordering::Relaxed) {
        return;
    }
    if STREAM.load(Ordering::Relaxed) != 0 {
        return say(
            Grade::Warning,
            b"No profile is written when a signal comes: it goes to a stream of the program, which may be in use.",
        );
    }
    DUMPING.fetch_add(1, Ordering::Relaxed);
    // What went wrong has been said.
    let _ = write::write_file(LaterWrites::Possible);
    DUMPING.fetch_sub(1, Ordering::Relaxed);
}

/// No more signals: the profile of exit is written. Where one came to another thread, that is waited for, since what the
/// signal does then is the end of the process, and not this exit. (`wait`: not where it was our own dump that led here.)
pub fn leave(wait: bool) {
    os::leave();
    let mut deadline = os::Deadline::new();
    while wait && DUMPING.load(Ordering::Relaxed) != 0 && !deadline.is_over() {
        os::pause();
    }
}
