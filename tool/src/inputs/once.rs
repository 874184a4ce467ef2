//! Finds profiles with equal contents, the same ones with any number of threads.

use std::borrow::Cow;
use std::collections::HashMap;
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
    /// Of those with this size and this hash of a sample the first of each content.
    seen: HashMap<(usize, u128), Vec<First>>,
}

/// The first input with its bytes.
#[derive(Debug)]
struct First {
    name: String,
    content: Seen,
}

#[derive(Debug)]
enum Seen {
    /// A file, which is compared as it is by then.
    File(PathBuf),
    /// What is not in a file is known by its hash.
    Hash(u128),
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
        State { seed: RandomState::new().hash_one(0), next: 0, seen: HashMap::new() }
    }
}

impl State {
    fn first(&mut self, item: &Item, bytes: &[u8]) -> Option<String> {
        let hash = |bytes: &[u8]| XxHash3_128::oneshot_with_seed(self.seed, bytes);
        let others = self.seen.entry((bytes.len(), hash(&sample(bytes)))).or_default();
        if let Some(first) = others.iter().find(|first| first.content.is(bytes, hash)) {
            return Some(first.name.clone());
        }
        let content = match &item.content {
            Content::File { path } => Seen::File(path.clone()),
            _ => Seen::Hash(hash(bytes)),
        };
        others.push(First { name: item.name.clone(), content });
        None
    }
}

impl Seen {
    fn is(&self, bytes: &[u8], hash: impl Fn(&[u8]) -> u128) -> bool {
        match self {
            Seen::Hash(first) => *first == hash(bytes),
            Seen::File(path) => {
                let mut first = Vec::new();
                read_whole(path, &mut first).is_ok() && first == bytes
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
}
