//! The names of a section by their hashes.

use std::sync::OnceLock;

use super::{Blobs, SEPARATOR, empty_name};
use crate::error::Error;
use crate::name::{LANES, Name, name_hashes};

/// The number of names up to which repeated ones are kept.
const LIMIT: usize = 1 << 16;
/// The number of names that are hashed together.
const BATCH: usize = 128 * LANES;

/// The names of a section by their hashes. Of two names with one hash the first counts.
#[derive(Clone, Debug, Default)]
pub struct NameTable {
    /// The texts of all blobs.
    text: Vec<u8>,
    /// All names, in the order of the section.
    entries: Vec<TableEntry>,
    /// The hashes in rising order, each with its entry. Made when a name is sought out of order.
    index: OnceLock<Vec<(u64, usize)>>,
}

#[derive(Clone, Copy, Debug)]
struct TableEntry {
    hash: u64,
    start: usize,
    len: usize,
}

impl NameTable {
    /// Returns the names of a section. The offsets of errors count from the start of the section.
    pub fn read(section: &[u8]) -> Result<NameTable, Error> {
        match NameTable::salvage(section) {
            (table, None) => Ok(table),
            (_, Some(error)) => Err(error),
        }
    }

    /// Returns what can be read of a section that may be cut or damaged, and the error that a strict reader gives.
    pub fn salvage(section: &[u8]) -> (NameTable, Option<Error>) {
        let mut table = NameTable::default();
        let mut blobs = Blobs::new(section);
        let mut first = None;
        let mut limit = section.len().max(LIMIT);
        loop {
            let blob = match blobs.next() {
                Ok(Some(blob)) => blob,
                Ok(None) => break,
                Err(error) => {
                    first.get_or_insert(error);
                    break;
                }
            };
            let start = table.text.len();
            let result = blob.append_to(&mut table.text);
            let whole = result.is_ok();
            if let Err(error) = result {
                first.get_or_insert(error);
            }
            if !table.split(start, whole, &mut limit) {
                first.get_or_insert_with(|| empty_name(blob.start));
            }
        }
        (table, first)
    }

    /// Adds the names of the text from `start` on; the last one only if the text is whole. Returns whether no name is empty.
    fn split(&mut self, start: usize, whole: bool, limit: &mut usize) -> bool {
        let text = self.text.get(start..).unwrap_or(&[]);
        let (mut at, mut sound) = (start, true);
        let mut hashed = self.entries.len();
        let mut names = text.split(|byte| *byte == SEPARATOR).peekable();
        while let Some(name) = names.next() {
            let last = names.peek().is_none();
            if name.is_empty() {
                sound = false;
            } else if whole || !last {
                self.entries.push(TableEntry { hash: 0, start: at, len: name.len() });
            }
            if last || self.entries.len().saturating_sub(hashed) >= BATCH {
                complete_hashes(&self.text, self.entries.get_mut(hashed..).unwrap_or(&mut []));
                remove_repeated(&mut self.entries, limit);
                hashed = self.entries.len();
            }
            at = at.saturating_add(name.len()).saturating_add(1);
        }
        sound || !whole
    }

    /// Returns the size of all names.
    pub(crate) fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns all names, in the order of the section.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Name<'_>> {
        self.entries.iter().map(|entry| self.name(entry))
    }

    fn name(&self, entry: &TableEntry) -> Name<'_> {
        let bytes = self.text.get(entry.start..).and_then(|rest| rest.get(..entry.len));
        Name { hash: entry.hash, bytes }
    }

    /// Returns the name with this hash.
    pub fn get(&self, hash: u64) -> Option<Name<'_>> {
        self.entry(self.find(hash)?)
    }

    /// Returns the name with this hash. Sets `next` to the number of the name after it, and looks there first: records mostly stand in the
    /// order of their names.
    pub fn get_after(&self, hash: u64, next: &mut usize) -> Option<Name<'_>> {
        let number = match self.entries.get(*next) {
            Some(entry) if entry.hash == hash => *next,
            _ => self.find(hash)?,
        };
        *next = number.saturating_add(1);
        self.entry(number)
    }

    fn entry(&self, number: usize) -> Option<Name<'_>> {
        Some(self.name(self.entries.get(number)?))
    }

    /// Returns the number of the first name with this hash.
    fn find(&self, hash: u64) -> Option<usize> {
        let index = self.index.get_or_init(|| {
            let mut index: Vec<_> =
                self.entries.iter().enumerate().map(|(number, entry)| (entry.hash, number)).collect();
            index.sort_unstable();
            index
        });
        let first = index.partition_point(|(other, _)| *other < hash);
        index.get(first).filter(|(found, _)| *found == hash).map(|(_, number)| *number)
    }
}

/// Sets the hashes of names in this text.
fn complete_hashes(text: &[u8], entries: &mut [TableEntry]) {
    for entries in entries.chunks_mut(LANES) {
        let mut names: [&[u8]; LANES] = [&[]; LANES];
        for (name, entry) in names.iter_mut().zip(&*entries) {
            *name = text.get(entry.start..).and_then(|rest| rest.get(..entry.len)).unwrap_or(&[]);
        }
        for (entry, hash) in entries.iter_mut().zip(name_hashes(&names)) {
            entry.hash = hash;
        }
    }
}

/// Removes names that are there twice when there are more than `limit`, and doubles a limit that is still too small. A blob of one name
/// over and over would else need a hundred times the memory of its text, which is a thousand times its compressed form.
fn remove_repeated(entries: &mut Vec<TableEntry>, limit: &mut usize) {
    if entries.len() <= *limit {
        return;
    }
    entries.sort_unstable_by_key(|entry| (entry.hash, entry.start));
    entries.dedup_by_key(|entry| entry.hash);
    entries.sort_unstable_by_key(|entry| entry.start);
    if entries.len() > *limit / 2 {
        *limit = limit.saturating_mul(2);
    }
}
