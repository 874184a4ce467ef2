//! The list of the files that are in the result. It is the note of the partial result that has their sum: one file, so that the two never disagree.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_128;

use super::claims::{is_claim, name, original, random};
use super::folder::Stamp;
use crate::inputs::display;

/// The list, as JSON in the note.
#[derive(Serialize, Deserialize)]
pub(super) struct Known {
    /// Number of the watcher, which is in the names of the files that it takes away.
    pub(super) watcher: u64,
    /// By path; files that were taken away by their unique name.
    files: BTreeMap<String, Entry>,
    /// Files that the last look has missed.
    #[serde(skip)]
    missed: BTreeSet<String>,
}

/// A file as it was when it was added.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
struct Entry {
    inode: u64,
    size: u64,
    modified: (i64, i64),
    /// Hash of the content.
    content: u64,
    /// It was missed when all files were: the directory was not mounted, or another file has the name when there is one again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    gone: bool,
}

/// What a content means for the sum.
#[derive(PartialEq, Eq)]
pub(super) enum Meaning {
    New,
    /// It is in the sum.
    Known,
    /// The path had another content when it was added: this one may have the same counts again.
    Changed,
}

fn key(path: &Path) -> String {
    display(if is_claim(name(path)) { Path::new(name(path)) } else { path })
}

impl Entry {
    fn is(&self, stamp: &Stamp) -> bool {
        (self.inode, self.size, self.modified) == (stamp.inode, stamp.size, stamp.modified)
    }
}

impl Known {
    /// Returns an empty list of a new watcher.
    pub(super) fn new() -> Known {
        Known { watcher: random(), files: BTreeMap::new(), missed: BTreeSet::new() }
    }

    /// Returns whether a file is in the sum as it is now.
    pub(super) fn has(&self, path: &Path, stamp: &Stamp) -> bool {
        self.files.get(&key(path)).is_some_and(|entry| entry.is(stamp))
    }

    /// Returns whether a file with this path is in the sum, whatever its content.
    pub(super) fn has_path(&self, path: &Path) -> bool {
        self.files.contains_key(&key(path))
    }

    /// Returns what the content of a file means.
    pub(super) fn meaning(&self, path: &Path, content: &[u8]) -> Meaning {
        match self.files.get(&key(path)).or_else(|| self.files.get(&key(&original(path)))) {
            None => Meaning::New,
            Some(entry) if entry.content == hash(content) => Meaning::Known,
            Some(entry) if entry.gone => Meaning::New,
            Some(_) => Meaning::Changed,
        }
    }

    /// Notes that a file is in the sum. What gets the name of one that was taken away begins anew.
    pub(super) fn add(&mut self, path: &Path, stamp: &Stamp, content: &[u8]) {
        self.files.remove(&key(&original(path)));
        let Stamp { inode, size, modified, .. } = *stamp;
        self.files.insert(key(path), Entry { inode, size, modified, content: hash(content), gone: false });
    }

    /// Follows files that were renamed, and forgets those that two looks have missed: one may miss a file that is renamed meanwhile. Where all
    /// are missed, the directory may not be mounted, and none is forgotten. Returns whether the next watcher must know that.
    pub(super) fn follow(&mut self, files: &BTreeMap<PathBuf, Stamp>) -> bool {
        let found: BTreeMap<String, &Stamp> = files.iter().map(|(path, stamp)| (key(path), stamp)).collect();
        let missed: BTreeMap<_, _>;
        (self.files, missed) =
            std::mem::take(&mut self.files).into_iter().partition(|(key, _)| found.contains_key(key));
        let before = std::mem::take(&mut self.missed);
        let mut is_news = false;
        for (key, entry) in &mut self.files {
            let is_back = entry.gone && found.get(key).is_some_and(|stamp| entry.is(stamp));
            entry.gone &= !is_back;
            is_news |= is_back;
        }
        let has_any = self.files.keys().any(|key| !is_claim(key.as_ref()));
        if missed.is_empty() {
            return is_news;
        }
        let new = found.iter().filter(|(key, _)| !self.files.contains_key(*key));
        let new: HashMap<_, _> =
            new.map(|(key, stamp)| ((stamp.inode, stamp.size, stamp.modified), key.clone())).collect();
        for (key, mut entry) in missed {
            match new.get(&(entry.inode, entry.size, entry.modified)) {
                // The name of a file that was taken away is its own for ever.
                Some(moved) if !is_claim(key.as_ref()) => {
                    self.files.insert(moved.clone(), entry);
                    is_news = true;
                }
                _ if before.contains(&key) && (has_any || is_claim(key.as_ref())) => is_news |= !is_claim(key.as_ref()),
                _ => {
                    is_news |= !entry.gone && before.contains(&key);
                    entry.gone |= before.contains(&key);
                    self.missed.insert(key.clone());
                    self.files.insert(key, entry);
                }
            }
        }
        is_news
    }
}

fn hash(content: &[u8]) -> u64 {
    XxHash3_128::oneshot(content) as u64
}
