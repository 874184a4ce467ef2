//! Function names: bytes, or only the hash of bytes that nobody has.

mod lanes;

use hashbrown::HashTable;

pub(crate) use lanes::{LANES, name_hashes};

/// Returns the hash by which LLVM refers to a function: the first 8 bytes of the MD5 of its PGO name, least significant first.
pub fn name_hash(name: &[u8]) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = md5::compute(name).0;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The name of a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Name<'a> {
    /// Hash of the name ([`name_hash`]).
    pub hash: u64,
    /// Bytes of the PGO name; `None` when the input had only the hash.
    pub bytes: Option<&'a [u8]>,
}

impl<'a> Name<'a> {
    /// Returns the name with these bytes.
    pub fn of(bytes: &'a [u8]) -> Name<'a> {
        Name { hash: name_hash(bytes), bytes: Some(bytes) }
    }

    /// Returns the name of which only the hash is known.
    pub const fn of_hash(hash: u64) -> Name<'a> {
        Name { hash, bytes: None }
    }
}

/// A name's number in a [`Names`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct NameId(u32);

impl NameId {
    /// Returns the number, which counts from 0 in the order of [`Names::intern`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of names with one hash.
const SAME_HASH: u32 = 16;

/// A set of names, each stored once.
#[derive(Clone, Debug, Default)]
pub struct Names {
    bytes: Vec<u8>,
    entries: Vec<NameEntry>,
    index: HashTable<NameId>,
}

#[derive(Clone, Copy, Debug)]
struct NameEntry {
    hash: u64,
    start: usize,
    /// `None`: only the hash is known.
    len: Option<u32>,
}

impl Names {
    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns a name. Names of another set have no meaning here.
    pub fn get(&self, id: NameId) -> Name<'_> {
        self.entries.get(id.index()).map_or(Name::of_hash(0), |entry| self.name(entry))
    }

    fn name(&self, entry: &NameEntry) -> Name<'_> {
        let bytes = entry.len.and_then(|len| self.bytes.get(entry.start..)?.get(..len as usize));
        Name { hash: entry.hash, bytes }
    }

    /// Adds a name unless it is there. A name without bytes stands for a name with the same hash, whichever comes first; two names with
    /// bytes are the same only if the bytes are.
    ///
    /// Returns `None` when there are 2^32 names, a name is longer than 2^32 bytes, or 16 other names have the same hash: MD5 never comes to
    /// that, and a search among a hundred thousand of them would take minutes.
    pub fn intern(&mut self, name: Name<'_>) -> Option<NameId> {
        let (mut unknown, mut others) = (None, 0u32);
        let found = self.index.find(spread(name.hash), |id| {
            let own = self.get(*id);
            if own.hash != name.hash {
                return false;
            }
            match (own.bytes, name.bytes) {
                // The last one is no match: it only ends the search.
                (Some(own), Some(bytes)) => {
                    let same = own == bytes;
                    others = others.saturating_add(u32::from(!same));
                    same || others >= SAME_HASH
                }
                (None, Some(_)) => {
                    unknown = Some(*id);
                    false
                }
                (_, None) => true,
            }
        });
        if let Some(found) = found {
            return if others >= SAME_HASH { None } else { Some(*found) };
        }
        let bytes = name.bytes.unwrap_or(&[]);
        let len = u32::try_from(bytes.len()).ok()?;
        let entry = NameEntry { hash: name.hash, start: self.bytes.len(), len: name.bytes.map(|_| len) };
        if let Some(unknown) = unknown {
            self.bytes.extend_from_slice(bytes);
            self.entries.get_mut(unknown.index()).into_iter().for_each(|slot| *slot = entry);
            return Some(unknown);
        }
        let id = NameId(u32::try_from(self.entries.len()).ok()?);
        self.bytes.extend_from_slice(bytes);
        self.entries.push(entry);
        let entries = &self.entries;
        let hash = |id: &NameId| spread(entries.get(id.index()).map_or(0, |entry| entry.hash));
        self.index.insert_unique(spread(name.hash), id, hash);
        Some(id)
    }

    /// Reserves memory for so many more names.
    pub(crate) fn reserve(&mut self, names: usize) {
        self.entries.reserve(names);
        let entries = &self.entries;
        self.index.reserve(names, |id| spread(entries.get(id.index()).map_or(0, |entry| entry.hash)));
    }

    /// Returns all names in the order of [`Names::intern`].
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NameId, Name<'_>)> {
        self.entries.iter().enumerate().map(|(index, entry)| (NameId(index as u32), self.name(entry)))
    }
}

/// Returns the hash for the index. Whoever makes a profile chooses the hashes in it, so they are mixed with a number that is not in it.
pub(crate) fn spread(hash: u64) -> u64 {
    use std::hash::{BuildHasher, RandomState};
    use std::sync::LazyLock;
    static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
    let product = u128::from(hash ^ *SEED) * u128::from(*SEED | 1);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_becomes_a_name_when_the_name_comes() {
        let mut names = Names::default();
        let unknown = names.intern(Name::of_hash(name_hash(b"main"))).unwrap();
        assert_eq!(names.get(unknown).bytes, None);
        assert_eq!(names.intern(Name::of(b"main")), Some(unknown));
        assert_eq!(names.get(unknown).bytes, Some(&b"main"[..]));
        assert_eq!(names.intern(Name::of_hash(name_hash(b"main"))), Some(unknown));
        assert_ne!(names.intern(Name::of(b"other")), Some(unknown));
        assert_eq!(names.len(), 2);
    }

    #[test]
    fn names_of_one_hash_are_told_apart() {
        let mut names = Names::default();
        let first = names.intern(Name { hash: 1, bytes: Some(b"a") });
        assert_ne!(names.intern(Name { hash: 1, bytes: Some(b"b") }), first);
        assert_eq!(names.intern(Name { hash: 1, bytes: Some(b"a") }), first);
    }

    #[test]
    fn many_names_of_one_hash_are_refused() {
        let mut names = Names::default();
        let mut of = |number: u8| names.intern(Name { hash: 1, bytes: Some(&[number]) });
        assert!((0..16).all(|number| of(number).is_some()));
        assert!((16..200).all(|number| of(number).is_none()));
    }
}
