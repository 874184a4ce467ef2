//! A progress bar with an estimate, on a terminal, when it takes more than a second.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a command may take without a bar.
const QUIET: Duration = Duration::from_secs(1);

/// How often the bar is drawn anew.
const STEP: Duration = Duration::from_millis(200);

/// A bar of bytes.
pub struct Progress {
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

struct State {
    bytes: AtomicU64,
    inputs: AtomicU64,
    ended: Mutex<bool>,
    end: Condvar,
}

impl Progress {
    /// Begins to measure `total` bytes of inputs. `packed` are bytes that are counted elsewhere. Nothing is shown where standard error is no
    /// terminal, or the total is not known.
    pub fn new(total: u64, packed: Arc<AtomicU64>) -> Progress {
        let state = Arc::new(State {
            bytes: AtomicU64::new(0),
            inputs: AtomicU64::new(0),
            ended: Mutex::new(false),
            end: Condvar::new(),
        });
        let is_terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
        let thread = is_terminal.then(|| {
            let state = state.clone();
            std::thread::spawn(move || state.draw(total, &packed))
        });
        Progress { state, thread }
    }

    /// Adds an input of so many bytes that was read.
    pub fn add(&self, bytes: u64) {
        self.state.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.state.inputs.fetch_add(1, Ordering::Relaxed);
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

    fn draw(&self, total: u64, packed: &AtomicU64) {
        if self.wait(QUIET) {
            return;
        }
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let template = if total > 0 {
            "{bar:30} {percent}% of {binary_total_bytes}, {msg} inputs, {eta} left"
        } else {
            "{spinner} {binary_bytes}, {msg} inputs, {elapsed}"
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        loop {
            bar.set_position(self.bytes.load(Ordering::Relaxed).saturating_add(packed.load(Ordering::Relaxed)));
            bar.set_message(self.inputs.load(Ordering::Relaxed).to_string());
            if self.wait(STEP) {
                break;
            }
        }
        bar.finish_and_clear();
    }
}
