//! The paths of all file lists, each once.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// Paths, by numbers that count from 0 in the order in which they came.
#[derive(Clone, Debug, Default)]
pub(super) struct Paths {
    bytes: Vec<u8>,
    /// Where each one ends in `bytes`.
    ends: Vec<usize>,
    places: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Paths {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, number: u32) -> &[u8] {
        get(&self.bytes, &self.ends, number)
    }

    /// Returns the number of a path; `None` if there are 2^32.
    pub(super) fn add(&mut self, path: &[u8]) -> Option<u32> {
        let Paths { bytes, ends, places, hasher } = self;
        let hash = |number: &u32| hasher.hash_one(get(bytes, ends, *number));
        let entry = places.entry(hasher.hash_one(path), |number| get(bytes, ends, *number) == path, hash);
        let new = u32::try_from(ends.len()).ok()?;
        let number = *entry.or_insert(new).get();
        if number == new {
            bytes.extend_from_slice(path);
            ends.push(bytes.len());
        }
        Some(number)
    }
}

fn get<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = number.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    ends.get(number).and_then(|end| bytes.get(start..*end)).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_kept_once() {
        let mut paths = Paths::default();
        let numbers = [&b"/a.c"[..], b"", b"/b.c", b"/a.c", b""].map(|path| paths.add(path));
        assert_eq!(numbers, [0, 1, 2, 0, 1].map(Some));
        assert_eq!((paths.len(), paths.get(0), paths.get(1), paths.get(2)), (3, &b"/a.c"[..], &b""[..], &b"/b.c"[..]));
        assert_eq!(paths.get(3), b"");
    }
}
