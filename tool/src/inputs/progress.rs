//! A progress bar with an estimate, on a terminal, when it takes more than a second.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{Content, Feed, Sources};

/// How long a command may take without a bar.
const QUIET: Duration = Duration::from_secs(1);

/// How often the bar is drawn anew.
const STEP: Duration = Duration::from_millis(200);

/// A bar of the bytes of inputs. It goes away when the value is dropped.
pub struct Progress {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    bytes: AtomicU64,
    inputs: AtomicU64,
    /// What is drawn now. Whoever writes to the terminal has the lock.
    bar: Mutex<Option<ProgressBar>>,
    ended: Mutex<bool>,
    end: Condvar,
}

impl Progress {
    /// Begins to measure what a feed hands out. `pass` is which of several it is, or empty. Nothing is shown where standard error is no
    /// terminal; of pipes, whose length nobody knows, there is no estimate.
    pub fn of(sources: &Sources, feed: &Feed<'_>, pass: &'static str) -> Progress {
        let state = Arc::new(State {
            bytes: AtomicU64::new(0),
            inputs: AtomicU64::new(0),
            bar: Mutex::new(None),
            ended: Mutex::new(false),
            end: Condvar::new(),
        });
        let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        let thread = is_terminal.then(|| {
            let (state, total, packed) = (state.clone(), sources.bytes(), feed.packed_bytes());
            std::thread::spawn(move || state.draw(total, &packed, pass))
        });
        Progress { state, thread }
    }

    /// Adds an input that was read and dealt with. The bytes of archives and pipes are counted by the feed.
    pub fn add(&self, content: &Content, bytes: usize) {
        if matches!(content, Content::File { .. }) {
            self.state.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
        self.state.inputs.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls a function that writes to the terminal, with the bar out of its way.
    pub fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        let bar = self.state.bar.lock().unwrap_or_else(PoisonError::into_inner);
        match &*bar {
            Some(bar) => bar.suspend(write),
            None => write(),
        }
    }
}

impl Drop for Progress {
    /// Removes the bar.
    fn drop(&mut self) {
        *self.state.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.state.end.notify_all();
        if let Some(thread) = self.thread.take() {
            // A bar that cannot be drawn is no reason to fail.
            let _ = thread.join();
        }
    }
}

impl State {
    /// Waits; returns whether the work has ended.
    fn wait(&self, time: Duration) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        *self.end.wait_timeout_while(ended, time, |ended| !*ended).unwrap_or_else(PoisonError::into_inner).0
    }

    fn draw(&self, total: u64, packed: &AtomicU64, pass: &'static str) {
        if self.wait(QUIET) {
            return;
        }
        let new = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let template = if total > 0 {
            "{prefix}{bar:30} {percent}% of {binary_total_bytes}, {msg} inputs, {eta} left"
        } else {
            "{prefix}{spinner} {binary_bytes}, {msg} inputs, {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            new.set_style(style);
        }
        new.set_prefix(pass);
        loop {
            {
                let mut bar = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
                let bar = bar.get_or_insert_with(|| new.clone());
                bar.set_position(self.bytes.load(Ordering::Relaxed).saturating_add(packed.load(Ordering::Relaxed)));
                bar.set_message(self.inputs.load(Ordering::Relaxed).to_string());
            }
            if self.wait(STEP) {
                break;
            }
        }
        new.finish_and_clear();
    }
}
