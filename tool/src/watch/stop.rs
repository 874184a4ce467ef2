//! What ends a watcher, and wakes it: signals.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result};

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Asked to stop, by SIGINT, SIGTERM or SIGHUP.
pub(super) struct Stop {
    signals: Receiver<()>,
}

impl Stop {
    /// Takes the signals that end a program. A second one ends it at once, which is as safe as any kill. Errors: those of the system.
    pub(super) fn new() -> Result<Stop> {
        let (sender, signals) = channel();
        ctrlc::set_handler(move || {
            if STOPPED.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            // The watcher may be gone.
            let _ = sender.send(());
        })
        .context("signals cannot be handled")?;
        Ok(Stop { signals })
    }

    /// Returns whether the watcher is to stop.
    pub(super) fn is_asked(&self) -> bool {
        STOPPED.load(Ordering::Relaxed)
    }

    /// Waits until the watcher is to stop, or the time is over.
    pub(super) fn wait(&self, time: Duration) {
        let _ = self.signals.recv_timeout(time);
    }
}
