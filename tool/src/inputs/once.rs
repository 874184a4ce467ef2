//! Finds profiles with equal contents, the same ones with any number of threads.

use std::collections::HashMap;
use std::sync::{Condvar, Mutex, PoisonError};

use twox_hash::XxHash3_128;

/// The contents of inputs that were seen. Inputs are looked up in the order of their numbers, which decides which of two equal ones is the
/// first.
#[derive(Debug)]
pub struct Once {
    seed: u64,
    state: Mutex<State>,
    turn: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The number of the next input to be looked up.
    next: u32,
    /// Name of the first input with such bytes.
    seen: HashMap<(usize, u128), String>,
}

impl Default for Once {
    /// Returns a set without contents. Its hashes depend on a random number, so that no file can be made to look like another.
    fn default() -> Once {
        use std::hash::{BuildHasher, RandomState};
        Once { seed: RandomState::new().hash_one(0), state: Mutex::default(), turn: Condvar::new() }
    }
}

impl Once {
    /// Returns the name of the first input with these bytes, if there was one. Each number from 0 on is asked for once, and a
    /// call waits for those with lower numbers.
    pub fn first(&self, number: u32, name: &str, bytes: Option<&[u8]>) -> Option<String> {
        // Empty inputs are counted as such.
        let bytes = bytes.filter(|bytes| !bytes.is_empty());
        let key = bytes.map(|bytes| (bytes.len(), XxHash3_128::oneshot_with_seed(self.seed, bytes)));
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut state =
            self.turn.wait_while(state, |state| state.next != number).unwrap_or_else(PoisonError::into_inner);
        state.next += 1;
        self.turn.notify_all();
        let key = key?;
        let first = state.seen.get(&key).cloned();
        if first.is_none() {
            state.seen.insert(key, name.to_owned());
        }
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_the_one_with_the_lowest_number() {
        let once = Once::default();
        let found: Vec<Option<String>> = std::thread::scope(|scope| {
            let ask = |number: u32| {
                let once = &once;
                scope.spawn(move || once.first(number, &format!("n{number}"), Some(b"same")))
            };
            // Later numbers ask first.
            let threads: Vec<_> = (0..4).rev().map(ask).collect();
            threads.into_iter().rev().map(|thread| thread.join().unwrap()).collect()
        });
        let first = Some("n0".to_owned());
        assert_eq!(found, [None, first.clone(), first.clone(), first]);
        assert_eq!(once.first(4, "n4", Some(b"")), None);
        assert_eq!(once.first(5, "n5", Some(b"")), None, "empty ones are no duplicates");
        assert_eq!(once.first(6, "n6", None), None);
    }
}
