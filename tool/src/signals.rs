//! Signals that must not end a command.
//!
//! - SIGXFSZ, so that a write past the limit of file sizes (`ulimit -f`) is an error like that of a full disk: the command then removes its
//!   temporary files and reports it.
//! - Those of SIGHUP, SIGINT and SIGTERM that were ignored when the command was started, as by `nohup` and for the background jobs of a
//!   shell. The crate `ctrlc` handles all three, whatever they meant before.
//!
//! Safe code cannot change what a signal does, but it can block the signal. Threads that start later block it too.
//! Only Linux tells which signals are ignored.

use std::fs;

use nix::sys::signal::{SigSet, Signal};

/// Blocks these signals. The program has no other thread yet.
pub fn block() {
    let ignored = fs::read_to_string("/proc/self/status").map_or(0, |status| ignored(&status));
    let is_ignored = |signal: &Signal| ignored >> (*signal as u32 - 1) & 1 == 1;
    let ends = [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM].into_iter().filter(is_ignored);
    let blocked: SigSet = ends.chain([Signal::SIGXFSZ]).collect();
    // The set is valid, so that this cannot fail.
    let _ = blocked.thread_block();
}

/// Returns the ignored signals of `/proc/PID/status`: bit 0 is signal 1.
fn ignored(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // More than 64 signals: MIPS has 128, with the high ones first.
    line.and_then(|mask| u128::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default() as u64
}

#[cfg(test)]
mod tests {
    use super::ignored;

    #[test]
    fn the_mask_is_found() {
        assert_eq!(
            ignored("Name:\tprofrt\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001003\nSigCgt:\tf\n"),
            0x1003
        );
        assert_eq!(ignored("SigIgn:\t00000000000000040000000000000001\n"), 1);
        assert_eq!(ignored(""), 0);
    }
}
