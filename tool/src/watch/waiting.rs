//! Files that wait until nobody changes them any more, and those that are done.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::files::Stamp;

/// A file that will be read.
#[derive(Clone, Copy, Debug)]
struct Wait {
    stamp: Stamp,
    /// When it was seen so; later if it cannot be read.
    since: Instant,
    until: Instant,
    is_claim: bool,
}

/// All files that were seen.
pub(super) struct Waiting {
    settle: Duration,
    waits: HashMap<PathBuf, Wait>,
    done: HashMap<PathBuf, Stamp>,
}

impl Waiting {
    pub(super) fn new(settle: Duration) -> Waiting {
        Waiting { settle, waits: HashMap::new(), done: HashMap::new() }
    }

    /// Notes that a file is there, with this stamp.
    pub(super) fn see(&mut self, path: PathBuf, stamp: Stamp, is_claim: bool) {
        let is_done = self.done.get(&path) == Some(&stamp);
        let waits = self.waits.get(&path).is_some_and(|wait| wait.stamp == stamp);
        if is_done || waits {
            return;
        }
        // The clock of another machine may be ahead: then the time since we have seen the file decides.
        let age = stamp.age().unwrap_or_default().min(self.settle);
        let now = Instant::now();
        self.waits.insert(path, Wait { stamp, since: now, until: now + (self.settle - age), is_claim });
    }

    /// Forgets a file that is gone.
    pub(super) fn forget(&mut self, path: &Path) {
        self.waits.remove(path);
        self.done.remove(path);
    }

    /// Forgets all files that are not among these.
    pub(super) fn keep(&mut self, files: &HashSet<PathBuf>) {
        self.waits.retain(|path, _| files.contains(path));
        self.done.retain(|path, _| files.contains(path));
    }

    /// Notes that nothing is to be done with a file as long as it stays as it is.
    pub(super) fn done(&mut self, path: &Path) {
        if let Some(wait) = self.waits.remove(path) {
            self.done.insert(path.to_path_buf(), wait.stamp);
        }
    }

    /// Notes the same of a file with this stamp that may not have waited.
    pub(super) fn leave(&mut self, path: &Path, stamp: Stamp) {
        self.waits.remove(path);
        self.done.insert(path.to_path_buf(), stamp);
    }

    /// Lets a file wait longer.
    pub(super) fn delay(&mut self, path: &Path, time: Duration) {
        if let Some(wait) = self.waits.get_mut(path) {
            wait.until = Instant::now() + time;
        }
    }

    /// Lets a file wait longer that nobody can read.
    pub(super) fn set_apart(&mut self, path: &Path, time: Duration) {
        self.delay(path, time);
        if let Some(wait) = self.waits.get_mut(path) {
            wait.since = Instant::now();
        }
    }

    /// Returns for how long a file waits that nobody has changed since it was seen.
    pub(super) fn time(&self, path: &Path) -> Duration {
        self.waits.get(path).map_or(Duration::ZERO, |wait| wait.since.elapsed())
    }

    /// Returns whether a file waits that was seen before this time.
    pub(super) fn has_since(&self, time: Instant) -> bool {
        self.waits.values().any(|wait| wait.since <= time)
    }

    /// Returns the files that were taken away and wait.
    pub(super) fn claims(&self) -> Vec<PathBuf> {
        self.waits.iter().filter(|(_, wait)| wait.is_claim).map(|(path, _)| path.clone()).collect()
    }

    /// Returns the files that can be read, or taken away, sorted by path.
    pub(super) fn ready(&self, claims: bool, writing: &HashSet<PathBuf>) -> Vec<(PathBuf, Stamp)> {
        let now = Instant::now();
        let is_ready =
            |(path, wait): &(&PathBuf, &Wait)| wait.is_claim == claims && wait.until <= now && !writing.contains(*path);
        let mut ready: Vec<_> =
            self.waits.iter().filter(is_ready).map(|(path, wait)| (path.clone(), wait.stamp)).collect();
        ready.sort_by(|a, b| a.0.cmp(&b.0));
        ready
    }

    /// Returns when the next file has waited long enough: of those that were taken away, of the others, or (`None`) of all.
    pub(super) fn next(&self, claims: Option<bool>, writing: &HashSet<PathBuf>) -> Option<Instant> {
        let counts = |path: &PathBuf, wait: &Wait| {
            claims.is_none_or(|claims| wait.is_claim == claims) && !writing.contains(path)
        };
        self.waits.iter().filter(|(path, wait)| counts(path, wait)).map(|(_, wait)| wait.until).min()
    }

    /// Returns when all files that were taken away have waited long enough.
    pub(super) fn last_claim(&self) -> Option<Instant> {
        self.waits.values().filter(|wait| wait.is_claim).map(|wait| wait.until).max()
    }

    /// Returns the number of files that wait.
    pub(super) fn len(&self) -> usize {
        self.waits.len()
    }
}
