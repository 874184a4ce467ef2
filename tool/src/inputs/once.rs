//! Finds profiles with equal contents, the same ones with any number of threads.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::sync::{Condvar, Mutex, PoisonError};

use twox_hash::XxHash3_128;

use super::feed::{Content, Item, read_whole};

/// The contents of inputs that were seen. Inputs are looked up in the order of their numbers, which decides which of two equal ones is the
/// first.
#[derive(Debug, Default)]
pub struct Once {
    state: Mutex<State>,
    turn: Condvar,
}

#[derive(Debug)]
struct State {
    /// Of all hashes: a random number, so that no file can be made to look like another.
    seed: u64,
    /// The number of the next input to be looked up.
    next: u32,
    /// The first input with this size and this hash of a sample; `None`: there were others, and all of them are in `known`.
    sampled: HashMap<(usize, u128), Option<First>>,
    /// The names of the first inputs by the hashes of all their bytes.
    known: HashMap<u128, String>,
}

/// An input that is like no other yet, so that all of it need not be hashed.
#[derive(Debug)]
struct First {
    name: String,
    path: PathBuf,
}

impl Once {
    /// Returns the name of the first input with the bytes of this one, if there was one. Each number from 0 on is asked for once, and a
    /// call waits for those with lower numbers.
    pub fn first(&self, item: &Item, bytes: Option<&[u8]>) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state =
            self.turn.wait_while(state, |state| state.next != item.number).unwrap_or_else(PoisonError::into_inner);
        state.next += 1;
        self.turn.notify_all();
        // Empty inputs are counted as such.
        state.first(item, bytes.filter(|bytes| !bytes.is_empty())?)
    }
}

impl Default for State {
    fn default() -> State {
        State { seed: RandomState::new().hash_one(0), next: 0, sampled: HashMap::new(), known: HashMap::new() }
    }
}

impl State {
    fn first(&mut self, item: &Item, bytes: &[u8]) -> Option<String> {
        let hash = |bytes: &[u8]| XxHash3_128::oneshot_with_seed(self.seed, bytes);
        match self.sampled.entry((bytes.len(), hash(&sample(bytes)))) {
            Entry::Vacant(entry) => {
                if let Content::File { path } = &item.content {
                    entry.insert(Some(First { name: item.name.clone(), path: path.clone() }));
                    return None;
                }
                entry.insert(None);
            }
            Entry::Occupied(mut entry) => {
                let mut bytes = Vec::new();
                if let Some(first) = entry.insert(None)
                    && read_whole(&first.path, &mut bytes).is_ok()
                {
                    self.known.insert(hash(&bytes), first.name);
                }
            }
        }
        match self.known.entry(hash(bytes)) {
            Entry::Occupied(first) => Some(first.get().clone()),
            Entry::Vacant(entry) => {
                entry.insert(item.name.clone());
                None
            }
        }
    }
}

/// Returns bytes from all over a content: reading all of a large one once more would cost a sixth of its merge.
fn sample(bytes: &[u8]) -> Cow<'_, [u8]> {
    const PLACES: usize = 512;
    match bytes.len() / PLACES {
        0..64 => Cow::Borrowed(bytes),
        gap => Cow::Owned(bytes.chunks(gap).flat_map(|chunk| chunk.get(..8).unwrap_or(chunk)).copied().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(number: u32, content: Content) -> Item {
        Item { number, name: format!("n{number}"), content }
    }

    fn member(number: u32) -> Item {
        item(number, Content::Bytes { bytes: Vec::new(), damage: None })
    }

    #[test]
    fn the_first_is_the_one_with_the_lowest_number() {
        let once = Once::default();
        let found: Vec<Option<String>> = std::thread::scope(|scope| {
            let once = &once;
            let ask = |number: u32| scope.spawn(move || once.first(&member(number), Some(b"same")));
            // Later numbers ask first.
            let threads: Vec<_> = (0..4).rev().map(ask).collect();
            threads.into_iter().rev().map(|thread| thread.join().unwrap()).collect()
        });
        let first = Some("n0".to_owned());
        assert_eq!(found, [None, first.clone(), first.clone(), first]);
        assert_eq!(once.first(&member(4), Some(b"")), None);
        assert_eq!(once.first(&member(5), Some(b"")), None, "empty ones are no duplicates");
        assert_eq!(once.first(&member(6), None), None);
    }

    #[test]
    fn large_contents_that_differ_in_one_byte_are_different() {
        let dir = tempfile::tempdir().unwrap();
        let once = Once::default();
        let mut number = 0;
        let mut ask = |bytes: &[u8], is_file: bool| {
            let path = dir.path().join(number.to_string());
            std::fs::write(&path, bytes).unwrap();
            let asked = if is_file { item(number, Content::File { path }) } else { member(number) };
            number += 1;
            once.first(&asked, Some(bytes))
        };
        let same = vec![7; 1 << 20];
        let mut other = same.clone();
        // No byte of the sample.
        other[1000] = 8;
        assert_eq!(sample(&same), sample(&other));
        let asked = [(&same, true), (&other, true), (&same, true), (&other, false), (&same, false)];
        let found = asked.map(|(bytes, is_file)| ask(bytes, is_file));
        let first = |number: &str| Some(number.to_owned());
        assert_eq!(found, [None, None, first("n0"), first("n1"), first("n0")]);
        let once = Once::default();
        assert_eq!(once.first(&member(0), Some(&same)), None);
        assert_eq!(once.first(&member(1), Some(&other)), None);
        assert_eq!(once.first(&member(2), Some(&same)), first("n0"));
    }

    #[test]
    fn a_file_is_read_again_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("first");
        let same = vec![7; 1 << 20];
        let mut other = same.clone();
        other[1000] = 8;
        std::fs::write(&path, &same).unwrap();
        let once = Once::default();
        assert_eq!(once.first(&item(0, Content::File { path: path.clone() }), Some(&same)), None);
        assert_eq!(once.first(&member(1), Some(&other)), None);
        std::fs::remove_file(path).unwrap();
        assert_eq!(once.first(&member(2), Some(&same)).as_deref(), Some("n0"));
    }
}
