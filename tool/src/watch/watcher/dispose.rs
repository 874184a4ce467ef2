//! What a watcher does with files that it has looked at.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::{BUSY, Watcher};
use crate::inputs::{IS_REPEATED, display};
use crate::watch::files::Stamp;
use crate::watch::ledger::Lack;
use crate::watch::looked::{Fate, Looked};

/// Members of an archive with a name that was there before: those that are named.
const REPEATED: usize = 10;

impl Watcher<'_> {
    /// Says what is wrong with a file.
    pub(super) fn complain(&mut self, looked: &Looked) {
        let original = self.claims.original(&looked.path);
        let taken = display(&looked.path);
        for member in looked.repeated.iter().take(REPEATED) {
            let member = member.strip_prefix(&taken).unwrap_or(member);
            self.voice.warn(&format!("{}{member}: {IS_REPEATED}", display(&original)));
        }
        match &looked.fate {
            Fate::Damaged(why) => self.voice.problem(Some(&original), why),
            Fate::Refused(_, why) => {
                self.voice.problem(Some(&original), &format!("{why}\n  the file stays where it is"))
            }
            Fate::Kept(_, why) if self.options.delete => {
                self.voice.warn(&format!("{}: {why}\n  the file stays where it is", display(&original)));
            }
            Fate::Changed => {
                let text = "changed after it was merged; what it has now is not in the result\n  remedy: --delete takes pool files away \
                            before it reads them; --changed add counts each new content as another run";
                self.voice.problem(Some(&original), text);
            }
            Fate::Unreadable(error) => self.voice.problem(Some(&original), &format!("cannot be read: {error}")),
            Fate::Whole | Fate::Kept(..) | Fate::Duplicate(_) | Fate::Busy | Fate::Gone => {}
        }
    }

    /// Does with a file what its fate asks for. The result that has it is on the disk.
    pub(super) fn dispose(&mut self, looked: &Looked, directories: &mut HashSet<PathBuf>) {
        let path = &looked.path;
        let original = self.claims.original(path);
        let is_claim = &original != path;
        let lacks = match &looked.fate {
            Fate::Whole => Lack::Nothing,
            Fate::Duplicate(lacks) | Fate::Kept(lacks, _) | Fate::Refused(lacks, _) => *lacks,
            Fate::Damaged(_) => Lack::Damage,
            Fate::Changed => Lack::Change,
            Fate::Busy => return self.waiting.delay(path, BUSY.max(self.options.settle)),
            Fate::Gone => return self.waiting.forget(path),
            Fate::Unreadable(_) => return self.waiting.set_apart(path, self.options.rescan.max(BUSY)),
        };
        if !is_claim {
            return self.waiting.done(path);
        }
        if looked.fate.stays() {
            return self.leave(looked, &original, directories);
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
        let may_go = match lacks {
            Lack::Nothing => true,
            Lack::Damage => self.options.delete_damaged,
            Lack::Change | Lack::Some | Lack::All => false,
        };
        let removed = if is_same && may_go { fs::remove_file(path) } else { self.claims.put_aside(path).map(drop) };
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

    /// Gives a file its name again that was refused and is not damaged. It is not read again as long as nobody changes it.
    fn leave(&mut self, looked: &Looked, original: &Path, directories: &mut HashSet<PathBuf>) {
        let path = match self.claims.leave(&looked.path) {
            Ok(path) => path,
            Err(error) => {
                self.voice.problem(Some(original), &format!("is not merged, and cannot get its name again: {error}"));
                return self.waiting.delay(&looked.path, self.options.rescan.max(BUSY));
            }
        };
        directories.extend(path.parent().map(Path::to_path_buf));
        self.waiting.forget(&looked.path);
        self.present.remove(&self.state.hashes.path(&looked.path));
        self.present.insert(self.state.hashes.path(&path));
        // The list has it under its own name.
        if path != *original {
            let (from, to) = (self.state.hashes.path(original), self.state.hashes.path(&path));
            self.is_news |= self.state.ledger.rename(from, to);
        }
        if let (Ok(Some(now)), Some(then)) = (Stamp::at(&path), looked.stamp)
            && now.is_same_content(&then)
        {
            self.waiting.leave(&path, now);
        }
    }
}
