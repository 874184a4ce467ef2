//! The sums of the counters of one binary. Threads of one merge share them: with 20 MB of counters each thread would need 20 MB more.

use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use profrt_format::Encoding;

use crate::read::raw::LARGEST_COUNTER;
use crate::sink::RecordRef;

/// So many sums have one lock where threads share them: 1 MiB.
const SHARED_LEN: usize = 1 << 17;

/// Sums of counters, none of which reaches [`RecordRef::MAX_COUNT`].
#[derive(Debug)]
pub(crate) struct CounterSums {
    /// Each has `part_len` sums, the last one fewer.
    parts: Vec<Mutex<Vec<u64>>>,
    part_len: usize,
    len: usize,
    /// No sum is above.
    bound: AtomicU64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CounterSums {
    /// Returns `len` sums of nothing, with a lock for each `part_len`.
    fn new(len: usize, part_len: usize) -> CounterSums {
        let part_len = part_len.clamp(1, len.max(1));
        let lens = (0..len).step_by(part_len).map(|start| part_len.min(len.saturating_sub(start)));
        // Written once: reading memory that never was costs a fault of its own for each page.
        let parts = lens.map(|len| Mutex::new(iter::repeat_n(0, len).collect())).collect();
        CounterSums { parts, part_len, len, bound: AtomicU64::new(0) }
    }

    /// Adds counters, and returns their sum. Returns `None`, and has added nothing, if a counter is too large or a sum could be.
    pub(crate) fn add(&self, words: &[[u8; 8]], encoding: Encoding) -> Option<u128> {
        // Until all counters were seen each could be the largest one.
        let more = |bound: u64| bound.checked_add(LARGEST_COUNTER).filter(|bound| *bound < RecordRef::MAX_COUNT);
        self.bound.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        let parts = || self.parts.iter().zip(words.chunks(self.part_len));
        let (mut all, mut bits) = (0, 0);
        for (part, words) in parts() {
            let added = add_words(&mut lock(part), words, encoding);
            (all, bits) = (all + added.0, bits | added.1);
        }
        // At most twice the largest counter.
        let largest = bits.checked_next_power_of_two().unwrap_or(u64::MAX);
        let is_sound = largest <= LARGEST_COUNTER;
        if !is_sound {
            parts().for_each(|(part, words)| subtract_words(&mut lock(part), words, encoding));
        }
        self.bound.fetch_sub(LARGEST_COUNTER - if is_sound { largest } else { 0 }, Ordering::Relaxed);
        is_sound.then_some(all)
    }

    /// Returns all sums.
    fn into_sums(self) -> Vec<u64> {
        let mut parts = self.parts.into_iter().map(|part| part.into_inner().unwrap_or_else(PoisonError::into_inner));
        let first = parts.next().unwrap_or_default();
        if first.len() == self.len {
            return first;
        }
        let mut all = Vec::with_capacity(self.len);
        all.extend_from_slice(&first);
        // The memory of each part is free before the next one is copied.
        drop(first);
        parts.for_each(|part| all.extend_from_slice(&part));
        all
    }
}

/// The sums that the mergers of several threads share, with the fingerprints of their binaries. The default shares nothing.
///
/// A merger that holds sums has added to them, and returns them through [`Sharing::take`]; the last holder gets all counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sharing(Option<Arc<Mutex<Known>>>);

/// The sums of binaries that a merger may still have.
type Known = Vec<(u128, Weak<CounterSums>)>;

impl Sharing {
    /// Returns what mergers share that get copies of it.
    pub(crate) fn new() -> Sharing {
        Sharing(Some(Arc::default()))
    }

    /// Adds the counters of a file to the sums of its binary. Returns these, and the sum of the counters. Returns `None`, and has added nothing,
    /// if a counter is too large or a sum could be.
    pub(crate) fn begin(
        &self,
        fingerprint: u128,
        words: &[[u8; 8]],
        encoding: Encoding,
    ) -> Option<(Arc<CounterSums>, u128)> {
        let Some(known) = &self.0 else {
            let sums = CounterSums::new(words.len(), usize::MAX);
            let added = sums.add(words, encoding)?;
            return Some((Arc::new(sums), added));
        };
        // Keep the lock until the counters are added: sums found by another thread would gain an owner, and on an error these counters are
        // dropped.
        let mut known = lock(known);
        known.retain(|(_, sums)| sums.strong_count() > 0);
        let same = known.iter().filter(|(other, _)| *other == fingerprint).filter_map(|(_, sums)| sums.upgrade());
        if let Some(sums) = same.into_iter().find(|sums| sums.len == words.len()) {
            let added = sums.add(words, encoding)?;
            return Some((sums, added));
        }
        let sums = CounterSums::new(words.len(), SHARED_LEN);
        let added = sums.add(words, encoding)?;
        let sums = Arc::new(sums);
        known.push((fingerprint, Arc::downgrade(&sums)));
        Some((sums, added))
    }

    /// Gives up sums. Returns the counts, if nobody else has the sums, else zeros.
    pub(crate) fn take(&self, sums: Arc<CounterSums>) -> Vec<u64> {
        let len = sums.len;
        let last = {
            let _known = self.0.as_ref().map(|known| lock(known));
            Arc::into_inner(sums)
        };
        last.map_or_else(|| vec![0; len], CounterSums::into_sums)
    }
}

/// Adds counters to their sums. Returns the sum of all counters, if none is too large, and all bits that are set in any.
fn add_words(sums: &mut [u64], words: &[[u8; 8]], encoding: Encoding) -> (u128, u64) {
    /// So many counters of at most 2^56 have a sum below 2^64.
    const BLOCK: usize = 1 << 7;
    let (mut all, mut bits) = (0, 0);
    for (sums, words) in sums.chunks_mut(BLOCK).zip(words.chunks(BLOCK)) {
        let mut total: u64 = 0;
        for (sum, word) in sums.iter_mut().zip(words) {
            let count = encoding.u64_of(word);
            *sum = sum.wrapping_add(count);
            total = total.wrapping_add(count);
            bits |= count;
        }
        all += u128::from(total);
    }
    (all, bits)
}

/// Undoes [`add_words`].
fn subtract_words(sums: &mut [u64], words: &[[u8; 8]], encoding: Encoding) {
    for (sum, word) in sums.iter_mut().zip(words) {
        *sum = sum.wrapping_sub(encoding.u64_of(word));
    }
}

#[cfg(test)]
mod tests {
    use profrt_format::{Endian, WordSize};

    use super::*;

    const LITTLE: Encoding = Encoding { word: WordSize::W64, endian: Endian::Little };

    fn words(counts: impl IntoIterator<Item = u64>) -> Vec<[u8; 8]> {
        counts.into_iter().map(u64::to_le_bytes).collect()
    }

    #[test]
    fn the_last_owner_takes_the_counts_of_all() {
        let len = 2 * SHARED_LEN + 3;
        let sharing = Sharing::new();
        let words = words((0..).take(len));
        let add = || {
            let (sums, _) = sharing.begin(7, &words, LITTLE).unwrap();
            (1..5).for_each(|_| assert!(sums.add(&words, LITTLE).is_some()));
            sharing.take(sums)
        };
        let taken: Vec<_> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..4).map(|_| scope.spawn(add)).collect();
            workers.into_iter().map(|worker| worker.join().unwrap()).collect()
        });
        let mut all = vec![0; len];
        for sums in taken {
            sums.into_iter().zip(&mut all).for_each(|(sum, all)| *all += sum);
        }
        assert!((0..).map(|count| 20 * count).zip(&all).all(|(expected, sum)| expected == *sum));
    }

    #[test]
    fn sums_are_shared_by_fingerprint_and_length_while_they_live() {
        let sharing = Sharing::new();
        let begin =
            |fingerprint, counts: &[u64]| sharing.begin(fingerprint, &words(counts.iter().copied()), LITTLE).unwrap().0;
        let first = begin(1, &[1, 2, 3]);
        let others = [begin(1, &[1; 4]), begin(2, &[1; 3])];
        let second = begin(1, &[1, 1, 1]);
        assert!(Arc::ptr_eq(&first, &second) && others.iter().all(|other| !Arc::ptr_eq(&first, other)));
        assert_eq!([sharing.take(first), sharing.take(second)], [[0, 0, 0], [2, 3, 4]]);
        assert_eq!(sharing.take(begin(1, &[5, 5, 5])), [5, 5, 5]);
    }

    #[test]
    fn nothing_is_added_that_could_be_too_large() {
        for sharing in [Sharing::default(), Sharing::new()] {
            assert!(sharing.begin(1, &words([1, LARGEST_COUNTER + 1]), LITTLE).is_none());
            let (sums, _) = sharing.begin(1, &words([1, 1]), LITTLE).unwrap();
            let mut added = 0;
            while sums.add(&words([LARGEST_COUNTER, 0]), LITTLE).is_some() {
                added += 1;
            }
            assert!(added > 100);
            // What is refused in a later part was added in an earlier one.
            assert!(sums.add(&words([5, LARGEST_COUNTER + 1]), LITTLE).is_none());
            assert_eq!(sharing.take(sums), [added * LARGEST_COUNTER + 1, 1]);
        }
    }
}
