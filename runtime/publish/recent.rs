//! Remembers what this process has written to the last few files, so that a later write adds no count twice.

use crate::os;

/// A file and the counts that this process has written to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Key {
    /// A hash of the file's name and directory, or of its device and inode.
    name: u64,
    /// The process that wrote. A forked child's counts are its own.
    process_key: u32,
    /// The round in which it wrote.
    round: u32,
}

impl Key {
    /// Returns the key of a write of this process.
    pub fn new(name: u64, round: u32) -> Key {
        Key { name, process_key: os::process_key(), round }
    }
}

/// The last write to each of the last four files, newest first. `T` has no niche, so that an empty list is all zeros: a static in `.bss`.
#[derive(Debug)]
pub struct Recent<T>([Option<(Key, T)>; 4]);

impl<T> Recent<T> {
    /// Creates an empty list.
    pub const fn new() -> Recent<T> {
        Recent([const { None }; 4])
    }

    /// Returns whether nothing was written.
    pub fn is_empty(&self) -> bool {
        matches!(self.0, [None, ..])
    }

    /// Forgets all writes, without dropping them.
    pub fn abandon(&mut self) {
        for entry in &mut self.0 {
            core::mem::forget(entry.take());
        }
    }

    /// Returns the write with this key.
    pub fn find(&self, key: Key) -> Option<&T> {
        self.0.iter().flatten().find(|entry| entry.0 == key).map(|entry| &entry.1)
    }

    /// Remembers a write, and forgets the previous one to the same file or else the oldest one.
    pub fn remember(&mut self, key: Key, write: T) {
        let same = |old: &Option<(Key, T)>| old.as_ref().is_some_and(|old| old.0.name == key.name);
        let place = self.0.iter().position(same).unwrap_or(3);
        let mut next = Some((key, write));
        for slot in self.0.get_mut(..=place).unwrap_or_default() {
            core::mem::swap(slot, &mut next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_each_file_is_remembered() {
        let key = |name| Key { name, process_key: 7, round: 0 };
        let mut writes = Recent::new();
        assert!(writes.is_empty());
        for name in 0..4 {
            writes.remember(key(name), name);
        }
        writes.remember(key(2), 22);
        assert_eq!(writes.find(key(2)), Some(&22));
        assert!(
            writes.find(Key { process_key: 8, ..key(2) }).is_none()
                && writes.find(Key { round: 1, ..key(2) }).is_none()
        );
        writes.remember(key(9), 9);
        // The oldest is gone, the others are there.
        assert!(writes.find(key(0)).is_none());
        assert!([9, 2, 3, 1].into_iter().all(|name| writes.find(key(name)).is_some()));
    }
}
