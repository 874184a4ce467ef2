//! The names of a section by their hashes.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::{Blobs, SEPARATOR, empty_name};
use crate::error::Error;
use crate::name::{LANES, Name, name_hashes};

/// The names of a section by their hashes, each once. Of two names with one hash the first counts.
#[derive(Clone, Debug, Default)]
pub struct NameTable {
    /// All names, without separators.
    text: Vec<u8>,
    /// All names, in the order in which the section has them first.
    entries: Vec<TableEntry>,
    /// The number of the entry of each hash. Made when a name is sought out of order.
    index: OnceLock<HashMap<u64, usize>>,
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
        NameTable::salvage_all([section])
    }

    /// Returns what can be read of sections, and the first error.
    pub(crate) fn salvage_all<'s>(sections: impl IntoIterator<Item = &'s [u8]>) -> (NameTable, Option<Error>) {
        let mut table = NameTable::default();
        let mut known = Known::default();
        let mut first = None;
        for section in sections {
            table.add_section(section, &mut known, &mut first);
        }
        (table, first)
    }

    fn add_section(&mut self, section: &[u8], known: &mut Known, first: &mut Option<Error>) {
        let mut blobs = Blobs::new(section);
        let mut text = Vec::new();
        loop {
            let blob = match blobs.next() {
                Ok(Some(blob)) => blob,
                Ok(None) => break,
                Err(error) => {
                    first.get_or_insert(error);
                    break;
                }
            };
            text.clear();
            let result = blob.append_to(&mut text);
            let whole = result.is_ok();
            if let Err(error) = result {
                first.get_or_insert(error);
            }
            if !self.split(&text, whole, known) {
                first.get_or_insert_with(|| empty_name(blob.start));
            }
        }
    }

    /// Adds the names of a text that are not there; the last one only if the text is whole. Returns whether no name is empty.
    fn split(&mut self, text: &[u8], whole: bool, known: &mut Known) -> bool {
        let (mut rest, mut sound) = (Some(text), true);
        let first = self.entries.len();
        while let Some(text) = rest {
            if let Some(len) = known.next(self, text) {
                rest = text.get(len.saturating_add(1)..);
                continue;
            }
            let end = memchr::memchr(SEPARATOR, text);
            let (name, after) = match end {
                Some(end) => (text.get(..end).unwrap_or(&[]), text.get(end.saturating_add(1)..)),
                None => (text, None),
            };
            rest = after;
            if name.is_empty() {
                sound = false;
            } else if (whole || end.is_some()) && known.add(self, name) {
                self.entries.push(TableEntry { hash: 0, start: self.text.len(), len: name.len() });
                self.text.extend_from_slice(name);
            }
        }
        complete_hashes(&self.text, self.entries.get_mut(first..).unwrap_or_default());
        sound || !whole
    }

    /// Returns the number of bytes that the table takes, or will.
    pub(super) fn size(&self) -> usize {
        let each = size_of::<TableEntry>().saturating_add(size_of::<(u64, usize)>());
        self.entries.len().saturating_mul(each).saturating_add(self.text.len())
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

    /// Returns all names, in the order in which the section has them first.
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
        // In reverse, so that the first of a hash stays.
        let numbered = self.entries.iter().enumerate().rev();
        let index = self.index.get_or_init(|| numbered.map(|(number, entry)| (entry.hash, number)).collect());
        index.get(&hash).copied()
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

/// Tells which names a table has. A translation unit brings the names of all inline functions that it uses, and the next one brings most of
/// them again: there may be dozens of copies of each name, and only the first is hashed as LLVM does.
#[derive(Default)]
struct Known {
    /// Places in the table, by hashes that nobody can foresee.
    places: HashTable<usize>,
    hasher: DefaultHashBuilder,
    /// The place after that of the last name: units mostly have their names in the same order.
    next: usize,
}

impl Known {
    /// Returns the length of the first name of a text, if it is the one that follows the last in the table.
    fn next(&mut self, table: &NameTable, text: &[u8]) -> Option<usize> {
        let name = table.entry(self.next)?.bytes?;
        let is_next = text.get(name.len()) == Some(&SEPARATOR) && text.starts_with(name);
        self.next = self.next.saturating_add(usize::from(is_next));
        is_next.then_some(name.len())
    }

    /// Returns whether the name is new, and takes it for the next one of the table then.
    fn add(&mut self, table: &NameTable, name: &[u8]) -> bool {
        let bytes = |place: &usize| table.entry(*place).and_then(|entry| entry.bytes);
        let hash = |name: Option<&[u8]>| self.hasher.hash_one(name);
        let new = table.entries.len();
        let found = self.places.entry(hash(Some(name)), |place| bytes(place) == Some(name), |place| hash(bytes(place)));
        let place = *found.or_insert(new).get();
        self.next = place.saturating_add(1);
        place == new
    }
}
