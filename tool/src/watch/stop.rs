//! What ends a watcher, and wakes it: signals.

use std::io::{PipeReader, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::retry_on_intr;

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Asked to stop, by SIGINT, SIGTERM or SIGHUP.
pub(super) struct Stop {
    pipe: PipeReader,
}

impl Stop {
    /// Takes the signals that end a program. A second one ends it at once, which is as safe as any kill. Errors: those of the system.
    pub(super) fn new() -> Result<Stop> {
        let (pipe, mut wake) = std::io::pipe().context("no pipe")?;
        ctrlc::set_handler(move || {
            if STOPPED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            // The pipe has space for the only byte.
            let _ = wake.write_all(b"!");
        })
        .context("signals cannot be handled")?;
        Ok(Stop { pipe })
    }

    /// Returns whether the watcher is to stop.
    pub(super) fn is_asked(&self) -> bool {
        STOPPED.load(Ordering::Relaxed)
    }

    /// Waits until the watcher is to stop, or the time is over. Errors: those of the system.
    pub(super) fn wait(&self, time: Duration) -> Result<()> {
        let time =
            Timespec { tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX), tv_nsec: time.subsec_nanos().into() };
        // A signal interrupts the call before its handler has run.
        retry_on_intr(|| poll(&mut [PollFd::new(&self.pipe, PollFlags::IN)], Some(&time)))
            .map(drop)
            .context("signals cannot be awaited")
    }
}
