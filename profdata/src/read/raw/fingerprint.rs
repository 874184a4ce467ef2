//! Recognizes profiles of one binary.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use profrt_format::layout::Part;

use super::RawFile;
use super::values::vtables;
use crate::values::KINDS;

impl RawFile<'_> {
    /// Returns a number that is equal for all profiles of one binary, and different for those of others: it depends on everything that is
    /// the same in all runs (variant, encoding, binary ids, records, sizes of sections, names, vtables), and not on counts, values, addresses
    /// and paddings.
    ///
    /// The number is of this process only: it is mixed with random numbers, so that nobody can make two files that collide.
    pub fn fingerprint(&self) -> u128 {
        self.identify(|_, _| ())
    }

    /// Returns [`RawFile::fingerprint`]. Calls `visit` with the number of each record and its numbers of value sites on the way.
    pub(crate) fn identify(&self, mut visit: impl FnMut(usize, [u16; KINDS])) -> u128 {
        let mut state = State::new();
        let encoding = self.encoding();
        state.words([self.version_number(), self.plan().variant().0 >> 32, encoding.u64_bytes(1)[0].into()]);
        state.words([encoding.word.bytes(), 0, 0]);
        self.plan().chunks().filter(|chunk| chunk.part.is_section()).for_each(|chunk| state.word(chunk.len));
        for (index, head) in self.records().enumerate() {
            visit(index, head.sites);
            let [calls, memops, vtables] = head.sites.map(u64::from);
            state.words([head.name_ref, head.hash, head.counters_at]);
            state.words([
                u64::from(head.num_counters) << 32 | u64::from(head.num_bitmap_bytes),
                calls << 32 | memops << 16 | vtables,
                head.bitmap_at,
            ]);
            if let Some(at) = head.uniform_at {
                state.word(at);
            }
        }
        for (hash, _, size) in vtables(self) {
            state.words([hash, size, 0]);
        }
        for part in [Part::BinaryIds, Part::Names, Part::VNames] {
            state.bytes(self.part(part));
        }
        state.finish()
    }
}

/// Two independent 64-bit hashes of the same words: each multiplies a word with a secret to 128 bits and folds them.
struct State {
    lanes: [u64; 2],
    secrets: [u64; 2],
}

impl State {
    fn new() -> State {
        static SECRETS: LazyLock<[u64; 2]> = LazyLock::new(|| {
            let random = RandomState::new();
            [random.hash_one(1) | 1, random.hash_one(2) | 1]
        });
        State { lanes: *SECRETS, secrets: *SECRETS }
    }

    fn word(&mut self, word: u64) {
        for (lane, secret) in self.lanes.iter_mut().zip(self.secrets) {
            let product = u128::from(*lane ^ word) * u128::from(secret);
            // A product of 0 would forget all words before.
            *lane = ((product as u64) ^ (product >> 64) as u64).wrapping_add(lane.rotate_left(23));
        }
    }

    fn words(&mut self, words: [u64; 3]) {
        words.into_iter().for_each(|word| self.word(word));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks();
        words.iter().for_each(|word| self.word(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        for (to, from) in last.iter_mut().zip(rest) {
            *to = *from;
        }
        self.words([u64::from_le_bytes(last), bytes.len() as u64, 0]);
    }

    fn finish(mut self) -> u128 {
        self.words([1, 2, 3]);
        let [high, low] = self.lanes;
        u128::from(high) << 64 | u128::from(low)
    }
}
