//! Names of signals. Not as pointers to strings, which the loader of each program would have to move.

use super::kernel::libc;

/// Why a word is no signal.
pub const NO_SIGNAL: &[u8] = b"it is no signal";

/// A name, filled up with zeros.
pub type SignalName = [u8; 6];

/// Returns a name of at most six letters, filled up with zeros.
const fn name(text: &[u8]) -> SignalName {
    let mut name = [0; 6];
    let (head, _) = name.split_at_mut(text.len());
    head.copy_from_slice(text);
    name
}

/// Returns signals with their names without `SIG`, then those of other names.
macro_rules! signals {
    ($($signal:ident)*; $($other:literal $number:ident)*) => {[
        $((name(stringify!($signal).as_bytes().split_at(3).1), libc::$signal),)*
        $((name($other), libc::$number),)*
    ]};
}

/// Signals by name, without `SIG`.
pub const SIGNAL_NAMES: [(SignalName, i32); 34] = signals! {
    SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE SIGALRM
    SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM SIGPROF
    SIGWINCH SIGIO SIGPOLL SIGPWR SIGSYS;
    b"IOT" SIGABRT b"CLD" SIGCHLD
};
