//! How a watcher takes files away, and gives them back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{BUSY, Watcher, are};
use crate::watch::files::{Obstacle, Stamp};

/// Seconds after which a file that another watcher has taken away is reported.
const LATE: u64 = 3600;

impl Watcher<'_> {
    /// Takes files away that nobody has changed for a while.
    pub(super) fn take_away(&mut self) {
        for (path, stamp) in self.waiting.ready(false, &self.news.writing) {
            if stamp.size == 0 {
                self.empty(&path);
            } else if !self.take(&path) {
                self.waiting.delay(&path, BUSY.max(self.options.settle));
            }
        }
    }

    /// Takes a file away. Returns whether nothing is to be done with it any more.
    fn take(&mut self, path: &Path) -> bool {
        let text = match self.claims.claim(path) {
            Ok(Some(claim)) => {
                self.waiting.forget(path);
                if let Some((stamp, is_claim)) = self.scanner.look(&claim) {
                    self.see(claim, stamp, is_claim);
                }
                return true;
            }
            Ok(None) => return false,
            Err(Obstacle::Unreadable(error)) => {
                format!("cannot be read, and is not merged: {error}\n  remedy: let the watcher read it")
            }
            Err(Obstacle::Fixed(error)) => format!(
                "cannot be taken away, and is not merged: {error}\n  remedy: let the watcher write to its directory"
            ),
        };
        self.voice.problem(Some(path), &text);
        self.waiting.set_apart(path, self.options.rescan.max(BUSY));
        true
    }

    /// Takes files over that other watchers have taken away, if that is asked for; else says that they are there.
    ///
    /// What another watcher has taken away may be in its sum already. Only its list knows, so that this is never done without being asked.
    pub(super) fn adopt(&mut self, files: Vec<PathBuf>) {
        if self.options.adopt {
            for path in files {
                if self.failures == 0 && !self.take(&path) && self.options.once {
                    self.voice.problem(Some(&path), "somebody writes it; it is not merged");
                }
            }
            return;
        }
        let is_first = self.others.is_none() || self.options.once;
        let told = self.others.get_or_insert_default();
        let mut watchers = BTreeMap::<_, Vec<&Path>>::new();
        for path in &files {
            // Other watchers that run have files for as long as their interval.
            let is_late = || {
                let stamp = Stamp::at(path).ok().flatten();
                stamp.and_then(Stamp::age).is_some_and(|age| age.as_secs() >= LATE)
            };
            if let Some(other) = path.file_name().and_then(|name| self.claims.other(name))
                && !told.contains(other)
                && (is_first || is_late())
            {
                watchers.entry(other.to_owned()).or_default().push(path);
            }
        }
        for (other, files) in watchers {
            let text = format!(
                "{} in the hands of another watcher ({other}…), and in no result of this one\n  remedy: if it does not run any more, start it \
                 again with its own -o; if its OUT.watch is lost, take them over with --delete --adopt",
                are(files.len(), "is", "are")
            );
            self.voice.problem(files.first().copied(), &text);
            told.insert(other);
        }
    }

    /// Gives the files their names again that were taken away and are not in the state: so any watcher finds them. Returns how many are left.
    pub(super) fn give_back(&mut self) -> usize {
        let mut left = 0;
        for path in self.waiting.claims() {
            let is_merged = self.state.ledger.has_path(self.state.hashes.path(&path));
            if is_merged || self.claims.give_back(&path).is_err() {
                left += 1;
            }
        }
        left
    }
}
