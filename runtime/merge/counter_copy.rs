//! A copy of an image's counters that takes memory only for pages with counts: most programs never call most of their functions.

use core::ops::Range;

use super::counters;
use super::pages::{Pages, pages};
use crate::error::Result;

/// The number of bytes that are copied or skipped together: the smallest page of the supported systems.
const PAGE: usize = 4096;

/// A copy of counters of 8 bytes. Invariant: `counters` is zero in pages that are not `occupied`.
#[derive(Debug)]
pub struct CounterCopy {
    counters: Pages,
    /// A byte for each page of `counters`: whether it may have counts.
    occupied: Pages,
}

impl CounterCopy {
    /// No counters.
    pub const EMPTY: CounterCopy = CounterCopy { counters: Pages::EMPTY, occupied: Pages::EMPTY };

    /// Creates a copy of `len` bytes of counters, all zero.
    pub fn new(len: usize) -> Result<CounterCopy> {
        Ok(CounterCopy { counters: pages(len)?, occupied: pages(len.div_ceil(PAGE))? })
    }

    /// Copies counters from the offset `at` on.
    pub fn copy_from(&mut self, at: usize, counts: &[u64]) {
        let (copy, occupied) = (self.counters.words_mut(), self.occupied.bytes_mut());
        for (page, part, in_block) in by_page(at, counts.len()) {
            let (Some(counts), Some(copy)) = (counts.get(in_block), copy.get_mut(part)) else { return };
            if any_count(counts)
                && let Some(occupied) = occupied.get_mut(page)
            {
                *occupied = 1;
                for (copy, count) in copy.iter_mut().zip(counts) {
                    *copy = *count;
                }
            }
        }
    }

    /// Subtracts the counters from the offset `at` on from `counts`.
    pub fn subtract_from(&self, at: usize, counts: &mut [u64]) {
        for (page, part, in_block) in by_page(at, counts.len()) {
            if self.occupied.bytes().get(page).is_some_and(|occupied| *occupied != 0)
                && let Some(copy) = self.counters.words().get(part)
                && let Some(counts) = counts.get_mut(in_block)
            {
                counters::subtract(counts, copy);
            }
        }
    }

    /// Returns the extents with counts, of at most `most` bytes each but of at least a page: the offset in bytes, and the counters.
    pub fn extents(&self, most: usize) -> impl Iterator<Item = (usize, &[u64])> {
        let mut next = 0;
        core::iter::from_fn(move || {
            let rest = self.occupied.bytes().get(next..)?;
            let first = next.wrapping_add(rest.iter().position(|occupied| *occupied != 0)?);
            let pages = self.occupied.bytes().get(first..)?.iter().take((most / PAGE).max(1));
            next = first.wrapping_add(pages.take_while(|occupied| **occupied != 0).count());
            let [start, end] = [first, next].map(|page| page.wrapping_mul(PAGE));
            let words = self.counters.words();
            Some((start, words.get(start / 8..(end / 8).min(words.len()))?))
        })
    }
}

/// Returns whether any of the counters is not zero.
fn any_count(counts: &[u64]) -> bool {
    let (eights, rest) = counts.as_chunks::<8>();
    eights.iter().any(|[a, b, c, d, e, f, g, h]| a | b | c | d | e | f | g | h != 0)
        || rest.iter().any(|count| *count != 0)
}

/// Divides a block of `len` counters from the offset `at` (in bytes) on into parts that lie in one page each. Returns the number of the page,
/// and the indices of the part among all counters and in the block.
fn by_page(at: usize, len: usize) -> impl Iterator<Item = (usize, Range<usize>, Range<usize>)> {
    const COUNTERS: usize = PAGE / 8;
    let first = at / 8;
    let end = first.saturating_add(len);
    (first / COUNTERS..end.div_ceil(COUNTERS)).map(move |page| {
        let start = page.wrapping_mul(COUNTERS);
        let part = start.max(first)..start.wrapping_add(COUNTERS).min(end);
        (page, part.clone(), part.start.wrapping_sub(first)..part.end.wrapping_sub(first))
    })
}

#[cfg(test)]
mod tests {
    use std::vec;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    /// Counters of five pages and a half, most of them 0, cut into blocks.
    fn counters() -> impl Strategy<Value = (Vec<u64>, Vec<usize>)> {
        let page = prop_oneof![
            3 => Just(vec![0; PAGE / 8]),
            1 => prop::collection::vec(prop_oneof![9 => Just(0u64), 1 => 1..9u64], PAGE / 8)
        ];
        let pages = prop::collection::vec(page, 6).prop_map(|pages| {
            let mut all = pages.concat();
            all.truncate(all.len() - PAGE / 16);
            all
        });
        (pages, prop::collection::vec(1usize..2000, 8))
    }

    proptest! {
        #[test]
        fn a_copy_in_blocks_is_the_counters((counts, blocks) in counters()) {
            let mut copy = CounterCopy::new(counts.len() * 8).unwrap();
            let mut done = 0;
            for block in blocks.into_iter().cycle() {
                let end = (done + block).min(counts.len());
                copy.copy_from(done * 8, &counts[done..end]);
                done = end;
                if done == counts.len() {
                    break;
                }
            }
            prop_assert_eq!(copy.counters.words(), &counts[..]);
            // Twice the counters less the copy are the counters, from any offset on.
            let from = counts.len() / 3;
            let mut twice: Vec<u64> = counts[from..].iter().map(|count| count * 2).collect();
            copy.subtract_from(from * 8, &mut twice);
            prop_assert_eq!(&twice[..], &counts[from..]);
            // The extents have all counts.
            for most in [1, PAGE, 2 * PAGE] {
                let mut seen = vec![0; counts.len()];
                for (at, part) in copy.extents(most) {
                    prop_assert!(!part.is_empty() && part.len() * 8 <= most.max(PAGE));
                    seen[at / 8..at / 8 + part.len()].copy_from_slice(part);
                }
                prop_assert_eq!(&seen, &counts);
            }
        }
    }

    #[test]
    fn pages_without_counts_are_not_occupied() {
        let mut copy = CounterCopy::new(4 * PAGE).unwrap();
        let mut counts = vec![0; PAGE / 2];
        counts[PAGE / 8 + 3] = 1;
        copy.copy_from(0, &counts);
        assert_eq!(copy.occupied.bytes(), [0, 1, 0, 0]);
        assert_eq!(copy.extents(64 * PAGE).map(|(at, part)| (at, part.len())).collect::<Vec<_>>(), [(PAGE, PAGE / 8)]);
    }
}
