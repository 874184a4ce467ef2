//! The list of what has been merged: contents, never names, decide whether a file counts.
//!
//! The content of each input is remembered by a hash. A file with the same content as one that was merged before is not merged again,
//! whatever has happened in between: a kill, a rename, a second upload. Entries of files that are gone are forgotten when there are
//! more than a limit of newer ones.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use twox_hash::XxHash3_128;

use super::files::Stamp;

/// A file that was looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// Hash of its content.
    pub(super) content: u128,
    /// Hash of its content, inode and time: what makes two files with equal contents two.
    pub(super) file: u64,
    /// Hash of its path; 0 for members of archives, and for files that are known to be gone; [`LOST`].
    pub(super) path: u64,
    pub(super) lacks: Lack,
}

/// What of a file is not in the sum, which decides what becomes of it with `--delete`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Lack {
    /// Nothing: it is removed.
    #[default]
    Nothing,
    /// What is damaged: it is put aside, or removed if that is asked for.
    Damage,
    /// All of it: it was merged with another content before. It is put aside, so that its pool begins anew.
    Change,
    /// Some members of an archive, which were refused or are no profiles. It stays.
    Some,
    /// All of it: it was refused, and is not damaged. It stays, and another content under its name counts. Also an archive that was taken away
    /// and lacks whole members: another one under its name would count if it had been removed.
    All,
}

impl Lack {
    /// In the order of their numbers in the state.
    const ALL: [Lack; 5] = [Lack::Nothing, Lack::Damage, Lack::Change, Lack::Some, Lack::All];
}

/// The path of a file that may be gone, or somewhere else.
const LOST: u64 = 1;

/// Bytes of an entry in the state.
const SIZE: usize = 33;

impl Entry {
    /// Returns what two files have in common of which one counts.
    pub(super) fn key(&self, each_file: bool) -> u128 {
        if each_file { self.file.into() } else { self.content }
    }

    fn put(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.content.to_le_bytes());
        to.extend_from_slice(&self.file.to_le_bytes());
        to.extend_from_slice(&self.path.to_le_bytes());
        to.push(self.lacks as u8);
    }

    fn take(from: &[u8; SIZE]) -> Option<Entry> {
        let (content, rest) = from.split_first_chunk()?;
        let (file, rest) = rest.split_first_chunk()?;
        let (path, rest) = rest.split_first_chunk()?;
        Some(Entry {
            content: u128::from_le_bytes(*content),
            file: u64::from_le_bytes(*file),
            path: u64::from_le_bytes(*path),
            lacks: *Lack::ALL.get(usize::from(*rest.first()?))?,
        })
    }
}

/// The hashes of a watcher. Its random seed keeps files from being made to look like others.
#[derive(Clone, Debug)]
pub(super) struct Hashes {
    pub(super) seed: u64,
    /// The directory that is watched: paths count from there, so that it may be moved.
    pub(super) root: PathBuf,
}

impl Hashes {
    /// Returns the entry of a file with this content.
    pub(super) fn entry(&self, path: &Path, stamp: Stamp, bytes: &[u8]) -> Entry {
        let content = self.hash(bytes);
        let mut file = content.to_le_bytes().to_vec();
        for number in [stamp.inode.cast_signed(), stamp.modified.0, stamp.modified.1] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        Entry { content, file: self.hash(&file) as u64, path: self.path(path), lacks: Lack::Nothing }
    }

    /// Returns the entry of a member of an archive.
    pub(super) fn member(&self, archive: &Entry, number: u64, bytes: &[u8]) -> Entry {
        let content = self.hash(bytes);
        let file = [&archive.file.to_le_bytes()[..], &number.to_le_bytes()].concat();
        Entry { content, file: self.hash(&file) as u64, path: 0, lacks: Lack::Nothing }
    }

    /// Returns the hash of a path, which is neither 0 nor [`LOST`].
    pub(super) fn path(&self, path: &Path) -> u64 {
        let path = path.strip_prefix(&self.root).unwrap_or(path);
        (self.hash(path.as_os_str().as_encoded_bytes()) as u64).max(LOST + 1)
    }

    fn hash(&self, bytes: &[u8]) -> u128 {
        XxHash3_128::oneshot_with_seed(self.seed, bytes)
    }
}

/// All entries, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Ledger {
    entries: BTreeMap<u64, Entry>,
    next: u64,
    contents: HashMap<u128, u64>,
    files: HashMap<u64, u64>,
    paths: HashMap<u64, u64>,
}

impl Ledger {
    /// Returns the entry of a file with this content; where equal contents count each time, of this very file.
    pub(super) fn known(&self, entry: &Entry, each_file: bool) -> Option<&Entry> {
        let place = if each_file { self.files.get(&entry.file) } else { self.contents.get(&entry.content) };
        self.entries.get(place?)
    }

    /// Returns whether the path had another content before, of which something was merged.
    pub(super) fn is_changed(&self, entry: &Entry) -> bool {
        let before = self.paths.get(&entry.path).and_then(|place| self.entries.get(place));
        before.is_some_and(|before| before.content != entry.content && before.lacks != Lack::All)
    }

    /// Adds an entry; an equal one that is there becomes the newest. Returns whether there was none.
    pub(super) fn add(&mut self, entry: Entry) -> bool {
        let is_same = |place: &u64| self.entries.get(place).is_some_and(|old| old.path == entry.path);
        let same = self.files.get(&entry.file).copied().filter(is_same);
        same.into_iter().for_each(|place| self.remove(place));
        self.contents.insert(entry.content, self.next);
        self.files.insert(entry.file, self.next);
        if entry.path > LOST
            && let Some(before) = self.paths.insert(entry.path, self.next)
            && let Some(before) = self.entries.get_mut(&before)
        {
            before.path = 0;
        }
        self.entries.insert(self.next, entry);
        self.next += 1;
        same.is_none()
    }

    fn remove(&mut self, place: u64) {
        let Some(entry) = self.entries.remove(&place) else { return };
        if self.contents.get(&entry.content) == Some(&place) {
            self.contents.remove(&entry.content);
        }
        if self.files.get(&entry.file) == Some(&place) {
            self.files.remove(&entry.file);
        }
        if self.paths.get(&entry.path) == Some(&place) {
            self.paths.remove(&entry.path);
        }
    }

    /// Forgets what content a path had: its file has another name now. Returns whether that was known.
    pub(super) fn forget_path(&mut self, path: u64) -> bool {
        let entry = self.paths.remove(&path).and_then(|place| self.entries.get_mut(&place));
        entry.map(|entry| entry.path = 0).is_some()
    }

    /// Notes that a file was renamed. Returns whether it is known.
    pub(super) fn rename(&mut self, from: u64, to: u64) -> bool {
        let Some(place) = self.paths.remove(&from) else { return false };
        if let Some(before) = self.paths.insert(to, place)
            && let Some(before) = self.entries.get_mut(&before)
        {
            before.path = 0;
        }
        self.entries.get_mut(&place).map(|entry| entry.path = to).is_some()
    }

    /// Forgets all paths, and no content: the files may be gone.
    pub(super) fn lose_paths(&mut self) -> bool {
        for place in self.paths.values() {
            if let Some(entry) = self.entries.get_mut(place) {
                entry.path = LOST;
            }
        }
        !std::mem::take(&mut self.paths).is_empty()
    }

    /// Returns whether a file with this path was added.
    pub(super) fn has_path(&self, path: u64) -> bool {
        self.paths.contains_key(&path)
    }

    /// Forgets the paths that no file has any more, and the oldest entries without a path, until there are at most `most` of these. With
    /// `None`, nobody knows which files are there, and no path is forgotten. Returns whether there was something to forget.
    ///
    /// Each file that is there must have its entry: that of a file which was renamed and not read since would be forgotten.
    pub(super) fn trim(&mut self, present: Option<&HashSet<u64>>, most: usize) -> bool {
        let before = self.paths.len() + self.entries.len();
        let is_there = |path: &u64| *path != 0 && present.is_none_or(|present| present.contains(path));
        self.paths.retain(|path, _| is_there(path));
        let mut gone = Vec::new();
        for (place, entry) in &mut self.entries {
            if !is_there(&entry.path) {
                entry.path = 0;
                gone.push(*place);
            }
        }
        let surplus = gone.len().saturating_sub(most);
        gone.iter().take(surplus).for_each(|place| self.remove(*place));
        self.paths.len() + self.entries.len() < before
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Writes the entries.
    pub(super) fn put(&self, to: &mut Vec<u8>) {
        self.entries.values().for_each(|entry| entry.put(to));
    }

    /// Reads the first `number` entries; returns what follows. `None`: there are fewer.
    pub(super) fn take(number: usize, from: &[u8]) -> Option<(Ledger, &[u8])> {
        let (entries, rest) = from.split_at_checked(number.checked_mul(SIZE)?)?;
        let mut ledger = Ledger::default();
        for entry in entries.chunks_exact(SIZE) {
            ledger.add(Entry::take(entry.first_chunk()?)?);
        }
        Some((ledger, rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(content: u128, path: u64) -> Entry {
        Entry { content, file: content as u64 + 1000, path, lacks: Lack::ALL[content as usize % 4] }
    }

    #[test]
    fn entries_of_files_that_are_gone_are_bounded_and_the_others_stay() {
        let mut ledger = Ledger::default();
        (1..=100).for_each(|number| assert!(ledger.add(entry(number, number as u64))));
        assert!(!ledger.add(entry(100, 100)));
        let present: HashSet<u64> = [1, 2, 50].into();
        let present = Some(&present);
        assert!(!ledger.trim(None, 10), "nobody knows what is gone");
        assert!(ledger.trim(present, 10) && !ledger.trim(present, 10));
        assert_eq!(ledger.len(), 13);
        for number in 1..=100 {
            let stays = number > 90 || [1, 2, 50].contains(&number);
            assert_eq!(ledger.known(&entry(number, 0), false).is_some(), stays, "{number}");
            assert_eq!(ledger.known(&entry(number, 0), true).is_some(), stays, "{number}");
        }
        assert!(ledger.is_changed(&entry(7, 50)) && !ledger.is_changed(&entry(50, 50)));
        assert!(!ledger.is_changed(&entry(7, 99)), "the file that had the path is gone");
        assert!(ledger.forget_path(50) && !ledger.forget_path(50) && !ledger.is_changed(&entry(7, 50)));
        assert!(ledger.known(&entry(50, 0), false).is_some());
    }

    #[test]
    fn a_path_is_forgotten_with_all_that_it_has_meant() {
        let mut ledger = Ledger::default();
        (1..=3).for_each(|content| _ = ledger.add(entry(content, 77)));
        assert!(ledger.is_changed(&entry(4, 77)));
        let mut lost = ledger.clone();
        assert!(lost.lose_paths() && !lost.lose_paths() && !lost.is_changed(&entry(4, 77)) && !lost.trim(None, 2));
        assert!(lost.trim(Some(&HashSet::new()), 2) && lost.len() == 2);
        ledger.forget_path(77);
        let mut bytes = Vec::new();
        ledger.put(&mut bytes);
        let (read, _) = Ledger::take(3, &bytes).unwrap();
        assert!(!read.is_changed(&entry(4, 77)));
        assert!((1..=3).all(|content| read.known(&entry(content, 0), false).is_some()));
    }

    #[test]
    fn what_is_written_is_read() {
        let mut ledger = Ledger::default();
        for number in 1..=5 {
            ledger.add(entry(number, number as u64 % 5));
        }
        let mut bytes = Vec::new();
        ledger.put(&mut bytes);
        bytes.extend_from_slice(b"rest");
        let (read, rest) = Ledger::take(5, &bytes).unwrap();
        assert_eq!(rest, b"rest");
        assert!(read.entries.values().eq(ledger.entries.values()));
        assert!(Ledger::take(6, &bytes).is_none());
    }
}
