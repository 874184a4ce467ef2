//! `LLVM_PROFILE_DUMP_SIGNALS`: dumps the profile when one of these signals arrives, before the signal has its usual effect.
//!
//! docs/LEAVING-EARLY.md has the promises to users. The dump at exit, or of a later signal, has what was counted since an earlier
//! one: each count is in the file once.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use super::signal_list::signals;
use crate::os;
use crate::report::{Grade, print};
use crate::sync::slot::Slot;

/// Writes the profile.
pub static PROFILE_DUMP: Slot<fn()> = Slot::empty();
/// Writes the `.gcda` files.
pub static GCOV_DUMP: Slot<fn()> = Slot::empty();

/// The process that handles signals. Another process with our memory is a child of `vfork`, which must not write its parent's counts.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// The number of threads whose handler writes. Invariant: only threads of [`PROCESS`].
static DUMPING: AtomicU32 = AtomicU32::new(0);

/// The environment was read.
static SET_UP: AtomicBool = AtomicBool::new(false);

/// Watches the signals that the user requests, once. (A second time our handler would find itself as the previous one.)
pub fn setup() {
    if SET_UP.swap(true, Ordering::Relaxed) {
        return;
    }
    let list = os::env(c"LLVM_PROFILE_DUMP_SIGNALS").filter(|list| !list.is_empty());
    let Some(list) = list else { return };
    in_this_process();
    for (word, signal) in signals(list.to_bytes()) {
        if let Err(why) = signal.map_or(Err(os::NO_SIGNAL), |number| os::watch(number, &(dump as extern "C" fn()))) {
            print(Grade::Warning, &[b"LLVM_PROFILE_DUMP_SIGNALS: \"", word, b"\" is left out: ", why, b"."]);
        }
    }
}

/// Makes this process, which has one thread, the one that handles signals.
pub extern "C" fn in_this_process() {
    DUMPING.store(0, Ordering::Relaxed);
    PROCESS.store(os::process_key(), Ordering::Relaxed);
}

/// Writes the profile, and `.gcda` files: only async-signal-safe calls.
pub extern "C" fn dump() {
    if os::process_key() != PROCESS.load(Ordering::Relaxed) {
        return;
    }
    DUMPING.fetch_add(1, Ordering::Relaxed);
    for dump in [&PROFILE_DUMP, &GCOV_DUMP] {
        if let Some(dump) = dump.get() {
            dump();
        }
    }
    DUMPING.fetch_sub(1, Ordering::Relaxed);
}

/// Empties the slot [`PROFILE_DUMP`] or [`GCOV_DUMP`] after its dump at exit. When both are empty, stops watching signals. Then, with `wait`, waits
/// for a dump in another thread's handler, whose signal is to end the process. (`wait` is false where this thread's own dump has called `exit`: it
/// would wait for itself.)
pub fn end_dump(dump: &Slot<fn()>, wait: bool) {
    dump.set(None);
    if [&PROFILE_DUMP, &GCOV_DUMP].iter().any(|dump| dump.get().is_some()) {
        return;
    }
    os::unwatch();
    let mut deadline = os::Deadline::new();
    while wait && DUMPING.load(Ordering::Relaxed) != 0 && !deadline.is_over() {
        os::pause();
    }
}
