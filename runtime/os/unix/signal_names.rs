//! Names of signals.

#![allow(unsafe_code)]

/// Signals by name, without `SIG`.
pub const SIGNAL_NAMES: [(&[u8], i32); 34] = [
    (b"HUP", libc::SIGHUP),
    (b"INT", libc::SIGINT),
    (b"QUIT", libc::SIGQUIT),
    (b"ILL", libc::SIGILL),
    (b"TRAP", libc::SIGTRAP),
    (b"ABRT", libc::SIGABRT),
    (b"IOT", libc::SIGABRT),
    (b"BUS", libc::SIGBUS),
    (b"FPE", libc::SIGFPE),
    (b"KILL", libc::SIGKILL),
    (b"USR1", libc::SIGUSR1),
    (b"SEGV", libc::SIGSEGV),
    (b"USR2", libc::SIGUSR2),
    (b"PIPE", libc::SIGPIPE),
    (b"ALRM", libc::SIGALRM),
    (b"TERM", libc::SIGTERM),
    (b"STKFLT", libc::SIGSTKFLT),
    (b"CHLD", libc::SIGCHLD),
    (b"CLD", libc::SIGCHLD),
    (b"CONT", libc::SIGCONT),
    (b"STOP", libc::SIGSTOP),
    (b"TSTP", libc::SIGTSTP),
    (b"TTIN", libc::SIGTTIN),
    (b"TTOU", libc::SIGTTOU),
    (b"URG", libc::SIGURG),
    (b"XCPU", libc::SIGXCPU),
    (b"XFSZ", libc::SIGXFSZ),
    (b"VTALRM", libc::SIGVTALRM),
    (b"PROF", libc::SIGPROF),
    (b"WINCH", libc::SIGWINCH),
    (b"IO", libc::SIGIO),
    (b"POLL", libc::SIGPOLL),
    (b"PWR", libc::SIGPWR),
    (b"SYS", libc::SIGSYS),
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
