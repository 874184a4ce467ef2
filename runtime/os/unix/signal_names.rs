//! Names of signals. Not as pointers to strings, which the loader of each program would have to move.

#![allow(unsafe_code)]

/// A name, filled up with zeros.
pub type Name = [u8; 6];

/// A name of at most six letters.
pub const fn name(text: &[u8]) -> Name {
    let mut name = [0; 6];
    let (head, _) = name.split_at_mut(text.len());
    head.copy_from_slice(text);
    name
}

/// Signals by name, without `SIG`.
pub const SIGNAL_NAMES: [(Name, i32); 34] = [
    (name(b"HUP"), libc::SIGHUP),
    (name(b"INT"), libc::SIGINT),
    (name(b"QUIT"), libc::SIGQUIT),
    (name(b"ILL"), libc::SIGILL),
    (name(b"TRAP"), libc::SIGTRAP),
    (name(b"ABRT"), libc::SIGABRT),
    (name(b"IOT"), libc::SIGABRT),
    (name(b"BUS"), libc::SIGBUS),
    (name(b"FPE"), libc::SIGFPE),
    (name(b"KILL"), libc::SIGKILL),
    (name(b"USR1"), libc::SIGUSR1),
    (name(b"SEGV"), libc::SIGSEGV),
    (name(b"USR2"), libc::SIGUSR2),
    (name(b"PIPE"), libc::SIGPIPE),
    (name(b"ALRM"), libc::SIGALRM),
    (name(b"TERM"), libc::SIGTERM),
    (name(b"STKFLT"), libc::SIGSTKFLT),
    (name(b"CHLD"), libc::SIGCHLD),
    (name(b"CLD"), libc::SIGCHLD),
    (name(b"CONT"), libc::SIGCONT),
    (name(b"STOP"), libc::SIGSTOP),
    (name(b"TSTP"), libc::SIGTSTP),
    (name(b"TTIN"), libc::SIGTTIN),
    (name(b"TTOU"), libc::SIGTTOU),
    (name(b"URG"), libc::SIGURG),
    (name(b"XCPU"), libc::SIGXCPU),
    (name(b"XFSZ"), libc::SIGXFSZ),
    (name(b"VTALRM"), libc::SIGVTALRM),
    (name(b"PROF"), libc::SIGPROF),
    (name(b"WINCH"), libc::SIGWINCH),
    (name(b"IO"), libc::SIGIO),
    (name(b"POLL"), libc::SIGPOLL),
    (name(b"PWR"), libc::SIGPWR),
    (name(b"SYS"), libc::SIGSYS),
];

unsafe extern "C" {
    // What `SIGRTMIN` and `SIGRTMAX` stand for: the C library keeps some for itself.
    safe fn __libc_current_sigrtmin() -> i32;
    safe fn __libc_current_sigrtmax() -> i32;
}

/// First and last real-time signal that programs may use.
pub fn realtime_signals() -> (i32, i32) {
    (__libc_current_sigrtmin(), __libc_current_sigrtmax())
}
