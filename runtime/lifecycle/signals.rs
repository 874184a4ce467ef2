//! What the environment requests for forks and signals. `LLVM_PROFILE_FORK`: what forked children begin with. `LLVM_PROFILE_DUMP_SIGNALS`: dumps
//! the profile when one of these signals arrives, before the signal has its usual effect.
//!
//! docs/LEAVING-EARLY.md has the promises to users. The dump at exit, or of a later signal, has what was counted since an earlier
//! one: each count is in the file once.

use core::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::os::{self, SIGNAL_NAMES, SIGNALS};
use crate::path::{decimal, packed};
use crate::report::{Grade, print};
use crate::sync::Slot;

/// Writes the profile.
pub static PROFILE_DUMP: Slot<fn()> = Slot::empty();
/// Writes the `.gcda` files.
pub static GCOV_DUMP: Slot<fn()> = Slot::empty();

/// The process that handles signals. Another process with our memory is a child of `vfork`, which must not write its parent's counts.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// The number of threads whose handler writes. Invariant: only threads of [`PROCESS`].
static DUMPING: AtomicU32 = AtomicU32::new(0);

/// Forked children start from zero.
pub static FORKS_RESET: AtomicBool = AtomicBool::new(false);

/// The environment was read. A program with a profile and `.gcda` files asks twice.
static SET_UP: AtomicBool = AtomicBool::new(false);

/// Reads the environment, once: sets [`FORKS_RESET`], and watches the signals. (A second time our handler would find itself as the previous one.)
pub fn setup() {
    if SET_UP.swap(true, Ordering::Relaxed) {
        return;
    }
    if let Some(how) = os::env(c"LLVM_PROFILE_FORK").filter(|how| os::FORKS && !how.is_empty()) {
        if how == c"reset" {
            FORKS_RESET.store(true, Ordering::Relaxed);
        } else if how != c"inherit" {
            let text = b"LLVM_PROFILE_FORK is ignored: it must be \"reset\" or \"inherit\", not \"@\".";
            print(Grade::Warning, &[text, how.to_bytes()]);
        }
    }
    let list = os::env(c"LLVM_PROFILE_DUMP_SIGNALS").filter(|list| !list.is_empty());
    let Some(list) = list else { return };
    in_this_process();
    for (word, signal) in signals(list.to_bytes()) {
        if let Err(why) = signal.map_or(Err(os::NO_SIGNAL), |number| os::watch(number, &(dump as extern "C" fn()))) {
            print(Grade::Warning, &[b"LLVM_PROFILE_DUMP_SIGNALS: \"@\" is left out: @.", word, why]);
        }
    }
}

// The list: `TERM, sigint,15`.

/// Returns the words of a list with their signals; `None` for a word that is no signal.
pub fn signals(mut list: &[u8]) -> impl Iterator<Item = (&[u8], Option<i32>)> {
    core::iter::from_fn(move || {
        while !list.is_empty() {
            let ends = |byte: &u8| *byte == b',' || byte.is_ascii_whitespace();
            let len = list.iter().position(ends).unwrap_or(list.len());
            let word = list.get(..len)?;
            list = list.get(len.wrapping_add(1)..).unwrap_or_default();
            if !word.is_empty() {
                return Some((word, signal(word)));
            }
        }
        None
    })
}

/// Returns the number of the signal that a word names.
fn signal(word: &[u8]) -> Option<i32> {
    if let Some(number) = decimal(word) {
        return (1..=SIGNALS).contains(&number).then_some(number as i32);
    }
    let (mut name, mut prefix) = (0, const { packed(b"SIG") });
    for letter in word {
        name = name << 8 | u64::from(letter.to_ascii_uppercase());
        if name == prefix {
            (name, prefix) = (0, 0);
        }
    }
    SIGNAL_NAMES.iter().find(|(known, _)| *known == name).map(|(_, number)| *number)
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    fn of(list: &str) -> Vec<Option<i32>> {
        signals(list.as_bytes()).map(|(_, signal)| signal).collect()
    }

    #[test]
    fn names_in_any_form() {
        assert_eq!(of("TERM,INT"), [Some(15), Some(2)]);
        assert_eq!(of("sigterm,Int,SigInt"), [Some(15), Some(2), Some(2)]);
        assert_eq!(of("IO"), [Some(29)]);
    }

    #[test]
    fn spaces_and_empty_words() {
        assert_eq!(of(" TERM , INT\t,,2 "), [Some(15), Some(2), Some(2)]);
        assert_eq!(of("TERM INT"), [Some(15), Some(2)]);
        assert_eq!((of(""), of(" , ,")), (Vec::new(), Vec::new()));
    }

    #[test]
    fn numbers() {
        assert_eq!(of("15,064,1"), [Some(15), Some(64), Some(1)]);
        assert_eq!(of("0,65,999,1000,99999999999999999999,-1,+1,1x,0x1,SIG15"), [None; 10]);
    }

    #[test]
    fn unknown_words_are_told_and_the_rest_stays() {
        let words: Vec<_> = signals(b"TERM,FOO,SIG,SIGSIGINT,INT").collect();
        let unknown: Vec<_> = words.iter().filter(|(_, signal)| signal.is_none()).map(|(word, _)| *word).collect();
        assert_eq!(unknown, [b"FOO" as &[u8], b"SIG", b"SIGSIGINT"]);
        assert_eq!(words.iter().filter_map(|(_, signal)| *signal).collect::<Vec<_>>(), [15, 2]);
    }
}
