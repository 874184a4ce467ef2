//! The grammar of value records: the only code that knows the order of their fields. [`super::value`] has the sizes.
//!
//! A value record has all values of one function. It is a sequence of words of 8 bytes:
//!
//! | words | content |
//! | --- | --- |
//! | 1 | `u32` size of the record in bytes, `u32` number of its kinds |
//! | | for each kind that has sites: |
//! | 1 | `u32` kind, `u32` number of its sites |
//! | 1 for each 8 sites | the number of values of each site as a byte; zeros to a whole word |
//! | 2 for each value | the value and its count, site after site |
//!
//! There are two ways to write one. [`fill_record`] writes to memory and asks for the values of each site once. [`record_header`] and
//! [`write_kind_header`] are the parts of a writer that passes word after word; it needs the numbers of values before the values.
//!
//! Functions are inlined: a copy in this module would link the code of all its callers into a program that needs one of them.

use super::encoding::Encoding;
use super::value::{DATA_HEADER, KIND_HEADER, halves, kind_header_size, size_and_kinds};

/// The largest number of kinds of all raw versions.
const MAX_KINDS: usize = 3;

/// A value and its count, as bytes.
pub type PairBytes = [u8; 16];

/// Returns a value and its count.
#[inline]
pub fn value_and_count(pair: &PairBytes) -> (u64, u64) {
    value_and_count_in(Encoding::NATIVE, pair)
}

/// Returns a value and its count, in this byte order.
#[inline]
pub fn value_and_count_in(encoding: Encoding, pair: &PairBytes) -> (u64, u64) {
    let word = |words: Option<&[u8; 8]>| words.map_or(0, |word| encoding.u64_of(word));
    (word(pair.first_chunk()), word(pair.last_chunk()))
}

/// Writes the value record of a function to the start of `room`. Calls `fill_site` for each site in order with the site's kind and the
/// space for its pairs; `fill_site` returns the number of pairs. Returns the number of words; `None` when the record does not fit.
#[inline(always)]
pub fn fill_record(
    sites: &[u16],
    room: &mut [u64],
    mut fill_site: impl FnMut(usize, &mut [u64]) -> Option<usize>,
) -> Option<usize> {
    let whole = room.len();
    let (header, mut rest) = room.split_first_mut()?;
    let mut kinds: u32 = 0;
    for (kind, &sites) in sites.iter().enumerate().filter(|(_, sites)| **sites > 0) {
        kinds = kinds.wrapping_add(1);
        let words = (kind_header_size(u32::from(sites)) / 8) as usize;
        let (kind_header, mut pairs) = rest.split_at_mut_checked(words)?;
        let (first, counts) = kind_header.split_first_mut()?;
        *first = halves(kind as u32, u32::from(sites));
        let mut left = sites;
        for word in counts {
            let mut bytes = [0; 8];
            for byte in bytes.iter_mut().take(left.into()) {
                let values = fill_site(kind, pairs)?;
                *byte = values as u8;
                pairs = pairs.get_mut(values.wrapping_mul(2)..)?;
            }
            left = left.saturating_sub(8);
            *word = u64::from_ne_bytes(bytes);
        }
        rest = pairs;
    }
    let words = whole.wrapping_sub(rest.len());
    *header = halves(words.wrapping_mul(8) as u32, kinds);
    Some(words)
}

/// Takes the words of a record one by one.
pub trait WordSink {
    /// The reason to write no more words.
    type Error;

    /// Writes a word.
    fn word(&mut self, word: u64) -> Result<(), Self::Error>;
}

/// Returns the first word of a record: its size, and the number of its kinds.
#[inline]
pub fn record_header(sites: &[u16], pairs: u64) -> u64 {
    let (size, kinds) = size_and_kinds(sites, pairs);
    halves(size as u32, kinds)
}

/// Returns a word with the number of values that `count` returns for each of `sites` sites, at most 8.
#[inline]
pub fn pack_counts(sites: u32, mut count: impl FnMut() -> u8) -> u64 {
    let mut bytes = [0; 8];
    for byte in bytes.iter_mut().take(sites as usize) {
        *byte = count();
    }
    u64::from_ne_bytes(bytes)
}

/// Writes the header of a kind. Calls `counts` for each 8 sites in order: it returns their numbers of values, by [`pack_counts`].
#[inline]
pub fn write_kind_header<W: WordSink>(
    to: &mut W,
    kind: u32,
    sites: u32,
    mut counts: impl FnMut(u32) -> u64,
) -> Result<(), W::Error> {
    to.word(halves(kind, sites))?;
    let mut left = sites;
    while left > 0 {
        let now = if left < 8 { left } else { 8 };
        to.word(counts(now))?;
        left = left.wrapping_sub(now);
    }
    Ok(())
}

/// Writes the value record of a function whose sites have no values.
#[inline]
pub fn write_empty_record<W: WordSink>(to: &mut W, sites: &[u16]) -> Result<(), W::Error> {
    to.word(record_header(sites, 0))?;
    for (kind, &sites) in (0..).zip(sites) {
        if sites > 0 {
            write_kind_header(to, kind, sites.into(), |_| 0)?;
        }
    }
    Ok(())
}

/// The values of one kind of a function, as an iterator over the pairs of each site.
#[derive(Clone, Copy, Debug)]
pub struct KindValues<'a> {
    kind: u32,
    /// The number of values of each site that is left.
    counts: &'a [u8],
    /// The pairs of all sites that are left.
    pairs: &'a [PairBytes],
}

impl<'a> KindValues<'a> {
    /// No values.
    const NONE: KindValues<'static> = KindValues { kind: 0, counts: &[], pairs: &[] };

    /// Parses the values of a kind at the start of `bytes`. Returns them and the rest of the bytes; `None` when the bytes end too early.
    #[inline]
    fn take_in(encoding: Encoding, bytes: &'a [u8]) -> Option<(KindValues<'a>, &'a [u8])> {
        let kind = encoding.u32_at(bytes, 0)?;
        let sites = encoding.u32_at(bytes, 4)?;
        let (header, rest) = bytes.split_at_checked(usize::try_from(kind_header_size(sites)).ok()?)?;
        let counts = header.get(KIND_HEADER as usize..)?.get(..sites as usize)?;
        let pairs = counts.iter().fold(0usize, |sum, count| sum.wrapping_add(usize::from(*count)));
        let (pairs, rest) = rest.split_at_checked(pairs.checked_mul(size_of::<PairBytes>())?)?;
        Some((KindValues { kind, counts, pairs: pairs.as_chunks().0 }, rest))
    }

    /// Returns the number of sites that are left.
    #[inline]
    fn sites(&self) -> usize {
        self.counts.len()
    }

    /// Returns the pairs of the next site; none after the last site.
    #[inline]
    pub fn next_site(&mut self) -> &'a [PairBytes] {
        let Some((count, counts)) = self.counts.split_first() else { return &[] };
        let (own, others) = self.pairs.split_at_checked(usize::from(*count)).unwrap_or((&[], &[]));
        self.counts = counts;
        self.pairs = others;
        own
    }
}

/// The values of one function, kind after kind.
#[derive(Clone, Copy, Debug)]
pub struct FunctionValues<'a>(pub [KindValues<'a>; MAX_KINDS]);

impl<'a> FunctionValues<'a> {
    /// No values.
    pub const NONE: FunctionValues<'static> = FunctionValues([KindValues::NONE; MAX_KINDS]);

    /// Parses the value record of a function with these numbers of sites for each kind. Returns its values and the rest of the bytes. `None`
    /// when the record is of another function, or contradicts itself. A record without kinds has no values, whatever its size: an append that was
    /// killed leaves one in raw version 8.
    #[inline]
    pub fn take(bytes: &'a [u8], sites: &[u16]) -> Option<(FunctionValues<'a>, &'a [u8])> {
        Self::take_in(Encoding::NATIVE, bytes, sites)
    }

    /// Does what [`FunctionValues::take`] does, in this byte order.
    #[inline]
    pub fn take_in(encoding: Encoding, bytes: &'a [u8], sites: &[u16]) -> Option<(FunctionValues<'a>, &'a [u8])> {
        let size = encoding.u32_at(bytes, 0)? as usize;
        let kinds = encoding.u32_at(bytes, 4)?;
        let (record, others) = bytes.split_at_checked(size)?;
        let mut rest = record.get(DATA_HEADER as usize..)?;
        let mut function = FunctionValues::NONE;
        if kinds == 0 {
            return Some((function, others));
        }
        let mut taken: u32 = 0;
        for (kind, (slot, &sites)) in function.0.iter_mut().zip(sites).enumerate() {
            if sites > 0 {
                taken = taken.wrapping_add(1);
                (*slot, rest) = KindValues::take_in(encoding, rest)?;
                if slot.kind != kind as u32 || slot.sites() != usize::from(sites) {
                    return None;
                }
            }
        }
        (rest.is_empty() && taken == kinds).then_some((function, others))
    }

    /// Returns whether no site has a value.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|kind| kind.pairs.is_empty())
    }

    /// Returns the number of sites of a kind that are left.
    #[inline]
    pub fn sites(&self, kind: usize) -> usize {
        self.0.get(kind).map_or(0, KindValues::sites)
    }

    /// Returns the pairs of the next site of a kind.
    #[inline]
    pub fn next_site(&mut self, kind: usize) -> &'a [PairBytes] {
        self.0.get_mut(kind).map_or(&[][..], KindValues::next_site)
    }
}

#[cfg(test)]
mod tests {
    //! Both writers and the reader agree on records with any numbers of sites and values.
    use std::vec;
    use std::vec::Vec;

    use proptest::prelude::*;

    use super::*;

    impl WordSink for Vec<u64> {
        type Error = ();

        fn word(&mut self, word: u64) -> Result<(), ()> {
            self.push(word);
            Ok(())
        }
    }

    /// The number of values of each site, kind after kind.
    type Lists = Vec<Vec<u8>>;

    fn sites(lists: &Lists) -> Vec<u16> {
        lists.iter().map(|list| list.len() as u16).collect()
    }

    /// Returns the pairs of one site: all different.
    fn pairs(kind: u32, site: u32, count: u8) -> impl Iterator<Item = [u64; 2]> {
        (0..u64::from(count)).map(move |n| [u64::from(kind) << 32 | u64::from(site) << 8 | n, n + 1])
    }

    fn written(lists: &Lists) -> Vec<u64> {
        let pairs_in_all = lists.iter().flatten().map(|count| u64::from(*count)).sum();
        let mut words = vec![record_header(&sites(lists), pairs_in_all)];
        for (kind, list) in (0..).zip(lists).filter(|(_, list)| !list.is_empty()) {
            let mut counts = list.iter();
            let pack = |sites| pack_counts(sites, || *counts.next().unwrap());
            write_kind_header(&mut words, kind, list.len() as u32, pack).unwrap();
            words.extend((0..).zip(list).flat_map(|(site, count)| pairs(kind, site, *count)).flatten());
        }
        words
    }

    fn filled(lists: &Lists, room: usize) -> Option<Vec<u64>> {
        let mut next = [0u32; MAX_KINDS];
        let mut words = vec![1; room];
        let len = fill_record(&sites(lists), &mut words, |kind, room| {
            let site = next[kind];
            next[kind] += 1;
            let count = lists[kind][site as usize];
            for (pair, slot) in
                pairs(kind as u32, site, count).zip(room.get_mut(..2 * usize::from(count))?.chunks_mut(2))
            {
                slot.copy_from_slice(&pair);
            }
            Some(count.into())
        })?;
        words.truncate(len);
        Some(words)
    }

    fn bytes(words: &[u64]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_ne_bytes()).collect()
    }

    #[test]
    fn the_fields_stand_where_the_header_says() {
        let words = written(&vec![vec![], vec![1, 0, 2], vec![0; 9]]);
        let counts = u64::from_ne_bytes([1, 0, 2, 0, 0, 0, 0, 0]);
        let pair = 1 << 32;
        let first = [halves(12 * 8, 2), halves(1, 3), counts, pair, 1, pair | 2 << 8, 1, pair | 2 << 8 | 1, 2];
        assert_eq!(words[..9], first);
        assert_eq!(words[9..], [halves(2, 9), 0, 0]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn writers_and_reader_agree(
            lists in proptest::collection::vec(proptest::collection::vec(0u8..4, 0..20), 3),
            change in any::<proptest::sample::Index>(),
        ) {
            let words = written(&lists);
            for room in 0..words.len() {
                prop_assert_eq!(filled(&lists, room), None);
            }
            prop_assert_eq!(filled(&lists, words.len()), Some(words.clone()));
            let sites = sites(&lists);

            let mut file = bytes(&words);
            prop_assert_eq!(Encoding::NATIVE.u32_at(&file, 0), Some(file.len() as u32));
            file.extend([7; 5]);
            let (mut function, rest) = FunctionValues::take(&file, &sites).unwrap();
            prop_assert_eq!(rest, [7; 5]);
            for (kind, list) in lists.iter().enumerate() {
                for (site, count) in list.iter().enumerate() {
                    let found: Vec<_> = function.next_site(kind).iter().map(value_and_count).map(|(v, c)| [v, c]).collect();
                    prop_assert_eq!(found, pairs(kind as u32, site as u32, *count).collect::<Vec<_>>());
                }
            }

            // Neither another size, number of kinds (but none) or kind, nor shorter bytes, nor other sites.
            for field in [0, 4, 8].into_iter().filter(|field| field / 8 < words.len()) {
                let mut damaged = file.clone();
                damaged[field] ^= if field == 4 { 4 } else { 1 };
                prop_assert!(FunctionValues::take(&damaged, &sites).is_none(), "{}", field);
            }
            let cut = change.index(file.len() - 5);
            prop_assert!(FunctionValues::take(&file[..cut], &sites).is_none());
            let mut other = sites.clone();
            other[change.index(3)] += 1;
            prop_assert!(FunctionValues::take(&file, &other).is_none());
        }
    }
}
