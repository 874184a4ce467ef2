//! What a watcher does with files that it has looked at.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{BUSY, Watcher};
use crate::watch::batch::{Fate, Looked};
use crate::watch::files::Stamp;

impl Watcher<'_> {
    /// Says what is wrong with a file.
    pub(super) fn complain(&mut self, looked: &Looked) {
        let original = self.claims.original(&looked.path);
        match &looked.fate {
            Fate::Damaged(why) => self.voice.problem(Some(&original), why),
            Fate::Changed => {
                let text = "changed after it was merged; what it has now is not in the result\n  remedy: --delete takes pool files away \
                            before it reads them; --changed add counts each new content as another run";
                self.voice.problem(Some(&original), text);
            }
            Fate::Unreadable(error) => self.voice.problem(Some(&original), &format!("cannot be read: {error}")),
            Fate::Whole | Fate::Duplicate { .. } | Fate::Busy | Fate::Gone => {}
        }
    }

    /// Does with a file what its fate asks for. The result that has it is on the disk.
    pub(super) fn dispose(&mut self, looked: &Looked, directories: &mut HashSet<PathBuf>) {
        let path = &looked.path;
        let original = self.claims.original(path);
        let is_claim = &original != path;
        let is_damaged = match &looked.fate {
            Fate::Whole => false,
            Fate::Duplicate { damaged } => *damaged,
            Fate::Damaged(_) | Fate::Changed => true,
            Fate::Busy => return self.waiting.delay(path, BUSY.max(self.options.settle)),
            Fate::Gone => return self.waiting.forget(path),
            Fate::Unreadable(_) => return self.waiting.set_apart(path, self.options.rescan.max(BUSY)),
        };
        if !is_claim {
            return self.waiting.done(path);
        }
        let now = match Stamp::at(path) {
            Ok(now) => now,
            Err(error) => {
                self.voice.problem(Some(&original), &format!("is merged, and cannot be removed: {error}"));
                return self.waiting.delay(path, self.options.rescan.max(BUSY));
            }
        };
        let is_same = now.zip(looked.stamp).is_some_and(|(now, then)| now.is_same_content(&then));
        if !is_same {
            self.voice
                .problem(Some(&original), "changed while it was merged; what was added to it is not in the result");
        }
        let removed = if is_same && (!is_damaged || self.options.delete_damaged) {
            fs::remove_file(path)
        } else {
            self.claims.put_aside(path).map(drop)
        };
        match removed {
            Ok(()) => {
                directories.extend(path.parent().map(Path::to_path_buf));
                self.waiting.forget(path);
                for path in [path, &original] {
                    self.present.remove(&self.state.hashes.path(path));
                }
                self.state.ledger.forget_path(self.state.hashes.path(path));
            }
            Err(error) => {
                self.voice.problem(Some(&original), &format!("is merged, and cannot be removed: {error}"));
                self.waiting.done(path);
            }
        }
    }
}
