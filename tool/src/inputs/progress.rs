//! How far a command has come, on a terminal, when it takes more than a second.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use indicatif::{BinaryBytes, HumanDuration, ProgressBar, ProgressState, ProgressStyle};

use super::{Content, Feed, Sources};
use crate::report::percent;

/// How long a command may take without a line.
const QUIET: Duration = Duration::from_secs(1);

/// How often the line is drawn anew.
const STEP: Duration = Duration::from_millis(200);

/// A line about the inputs that were read. It goes away when the value is dropped.
pub struct Progress {
    bar: ProgressBar,
    read: Arc<Read>,
}

/// What was read, and not of archives and pipes.
#[derive(Default)]
struct Read {
    bytes: AtomicU64,
    inputs: AtomicU64,
}

impl Progress {
    /// Begins to measure what a feed hands out. `pass` is which of several it is, or empty. Nothing is shown where standard error is no
    /// terminal; of pipes nobody knows the length.
    pub fn of(sources: &Sources, feed: &Feed<'_>, pass: &'static str) -> Progress {
        let (read, total, packed) = (Arc::<Read>::default(), sources.bytes(), feed.packed_bytes());
        let own = read.clone();
        let line = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let bytes = own.bytes.load(Ordering::Relaxed).saturating_add(packed.load(Ordering::Relaxed));
            let share = if total > 0 { percent(bytes.min(total), total) + " of " } else { String::new() };
            let size = BinaryBytes(if total > 0 { total } else { bytes });
            let (inputs, time) = (own.inputs.load(Ordering::Relaxed), HumanDuration(state.elapsed()));
            // What cannot be drawn is no reason to fail.
            let _ = write!(out, "{pass}{share}{size}, {inputs} inputs, {time}");
        };
        Progress { bar: bar(line), read }
    }

    /// Begins to measure work on source files.
    pub fn of_files(total: usize) -> Progress {
        let read = Arc::<Read>::default();
        let own = read.clone();
        let line = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            let (files, time) = (own.inputs.load(Ordering::Relaxed), HumanDuration(state.elapsed()));
            let _ = write!(out, "{files} of {total} files, {time}");
        };
        Progress { bar: bar(line), read }
    }

    /// Adds a source file that was dealt with.
    pub fn add_file(&self) {
        self.read.inputs.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds an input that was read and dealt with. The bytes of archives and pipes are counted by the feed.
    pub fn add(&self, content: &Content, bytes: usize) {
        if matches!(content, Content::File { .. }) {
            self.read.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        }
        self.read.inputs.fetch_add(1, Ordering::Relaxed);
    }

    /// Calls a function that writes to the terminal, with the line out of its way.
    pub fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        self.bar.suspend(write)
    }
}

/// Returns a bar that is `line`, and not seen for the first second.
fn bar(line: impl Fn(&ProgressState, &mut dyn std::fmt::Write) + Clone + Send + Sync + 'static) -> ProgressBar {
    let late = move |state: &ProgressState, out: &mut dyn std::fmt::Write| {
        if state.elapsed() >= QUIET {
            line(state, out);
        }
    };
    let bar = ProgressBar::no_length();
    if let Ok(style) = ProgressStyle::with_template("{line}") {
        bar.set_style(style.with_key("line", late));
    }
    if !bar.is_hidden() {
        bar.enable_steady_tick(STEP);
    }
    bar
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
