//! Parses value data, checks it against records, and merges it.

#![allow(unsafe_code)]

use super::counters::LARGEST;
use super::rebase::Rebase;
use crate::error::{Error, Result};
use crate::format::Encoding;
use crate::format::value::{
    DATA_HEADER, KIND_HEADER, KIND_MEMOP_SIZE, MAX_VALUES_PER_SITE, halves, kind_header_size, record_size,
};
use crate::native::Record;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::{has_sites, site_count};
#[cfg(feature = "hosted")]
use crate::value::optional::provide;

/// A value and its count, as bytes in this machine's order.
type PairBytes = [u8; 16];

/// Returns the value (at offset 0) or the count (8) of a pair.
fn word_at(pair: &PairBytes, at: usize) -> u64 {
    pair.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_ne_bytes(*word))
}

/// The values of one kind of a function.
#[derive(Clone, Copy, Debug)]
struct KindValues<'a> {
    /// The number of values of each site.
    counts: &'a [u8],
    /// The pairs of all sites.
    pairs: &'a [PairBytes],
}

impl<'a> KindValues<'a> {
    /// No values.
    const NONE: KindValues<'static> = KindValues { counts: &[], pairs: &[] };

    /// Returns the pairs of the next site.
    fn next(&mut self) -> &'a [PairBytes] {
        let Some((count, counts)) = self.counts.split_first() else { return &[] };
        let (pairs, rest) = self.pairs.split_at_checked(usize::from(*count)).unwrap_or((&[], &[]));
        self.counts = counts;
        self.pairs = rest;
        pairs
    }
}

/// Parses the values of a kind with `sites` sites. Returns them, and the rest of the bytes.
fn take_kind(bytes: &[u8], kind: u32, sites: u16) -> Option<(KindValues<'_>, &[u8])> {
    let native = Encoding::NATIVE;
    if native.u32_at(bytes, 0)? != kind || native.u32_at(bytes, 4)? != u32::from(sites) {
        return None;
    }
    let (header, rest) = bytes.split_at_checked(kind_header_size(u32::from(sites)) as usize)?;
    let counts = header.get(KIND_HEADER as usize..)?.get(..usize::from(sites))?;
    let pairs = counts.iter().fold(0usize, |sum, count| sum.wrapping_add(usize::from(*count)));
    let (pairs, rest) = rest.split_at_checked(pairs.checked_mul(size_of::<PairBytes>())?)?;
    Some((KindValues { counts, pairs: pairs.as_chunks().0 }, rest))
}

/// The largest number of kinds of all raw versions.
const MAX_KINDS: usize = 3;

/// The value data of one function.
#[derive(Clone, Copy, Debug)]
struct FunctionValues<'a>([KindValues<'a>; MAX_KINDS]);

impl<'a> FunctionValues<'a> {
    /// No values.
    const NONE: FunctionValues<'static> = FunctionValues([KindValues::NONE; MAX_KINDS]);

    /// Parses the value data of `record` at the start of the bytes. Returns the values, and the rest of the bytes. `None` where the data is
    /// not of this record, or contradicts itself.
    fn take(bytes: &'a [u8], record: &Record) -> Option<(FunctionValues<'a>, &'a [u8])> {
        let native = Encoding::NATIVE;
        let total = native.u32_at(bytes, 0)? as usize;
        let (data, others) = bytes.split_at_checked(total)?;
        let mut rest = data.get(DATA_HEADER as usize..)?;
        let mut function = FunctionValues::NONE;
        let mut kinds: u32 = 0;
        for (kind, slot) in function.0.iter_mut().enumerate() {
            let sites = record.num_value_sites.get(kind).copied().unwrap_or(0);
            if sites > 0 {
                kinds = kinds.wrapping_add(1);
                (*slot, rest) = take_kind(rest, kind as u32, sites)?;
            }
        }
        let whole = rest.is_empty() && native.u32_at(bytes, 4)? == kinds;
        whole.then_some((function, others))
    }
}

/// Returns the size in bytes of the largest value data that these records can have.
pub fn max_size(records: &[Record]) -> u64 {
    records.iter().filter(|record| has_sites(record)).fold(0u64, |sum, record| {
        let pairs = (site_count(record) as u64).wrapping_mul(MAX_VALUES_PER_SITE);
        sum.saturating_add(record_size(&record.num_value_sites, pairs).unwrap_or(0))
    })
}

/// Checks that the bytes are the complete value data of these records. No bytes are valid too: profiles from LLVM's buffer calls have
/// no value data.
pub fn check(bytes: &[u8], records: &[Record]) -> Result {
    if bytes.is_empty() || after_values(bytes, records)?.is_empty() { Ok(()) } else { Err(Error::CORRUPT) }
}

/// Returns the bytes after the value data of these records.
fn after_values<'a>(bytes: &'a [u8], records: &[Record]) -> Result<&'a [u8]> {
    let mut rest = bytes;
    for record in records.iter().filter(|record| has_sites(record)) {
        (_, rest) = FunctionValues::take(rest, record).ok_or(Error::CORRUPT)?;
    }
    Ok(rest)
}

/// Pointer to [`in_buffer`].
pub type FindInBuffer = for<'a> fn(&'a [u8], &[Record]) -> Result<&'a [u8]>;

#[cfg(feature = "hosted")]
provide!("profrt_values_in_buffer");

/// Finds the value data at the start of the rest of a buffer. The buffer may be longer than the profile in it, as LLVM's runtime allows
/// too. A size of 0 means that the profile has no value data.
#[cfg_attr(all(feature = "hosted", feature = "archive"), unsafe(export_name = "profrt_values_in_buffer"))]
pub fn in_buffer<'a>(bytes: &'a [u8], records: &[Record]) -> Result<&'a [u8]> {
    if bytes.iter().take(size_of::<u32>()).all(|byte| *byte == 0) {
        return Ok(&[]);
    }
    let len = bytes.len().wrapping_sub(after_values(bytes, records)?.len());
    Ok(bytes.get(..len).unwrap_or(&[]))
}

/// Calls `each` with record, kind, number of the site within the function, value and count, for all values of all records. The bytes must
/// have passed [`check`]. Inlined, because a copy in this module would make every merge link the code that counts values.
#[inline]
pub fn each(bytes: &[u8], records: &[Record], mut each: impl FnMut(&Record, u32, u32, u64, u64)) {
    let mut rest = bytes;
    for record in records.iter().filter(|record| has_sites(record)) {
        let Some((function, others)) = FunctionValues::take(rest, record) else { return };
        rest = others;
        let mut site: u32 = 0;
        for (kind, (mut values, sites)) in function.0.into_iter().zip(&record.num_value_sites).enumerate() {
            for _ in 0..*sites {
                for pair in values.next() {
                    each(record, kind as u32, site, word_at(pair, 0), word_at(pair, 8));
                }
                site = site.wrapping_add(1);
            }
        }
    }
}

/// Value data of the same records, each checked or empty.
#[derive(Clone, Copy, Debug)]
pub struct ValueStreams<'a> {
    /// Value data of the file, from earlier runs.
    pub old: &'a [u8],
    /// Value data of this process.
    pub live: &'a [u8],
    /// Value data of the earlier contribution.
    pub earlier_contribution: &'a [u8],
}

/// The number of words to collect for one call of the sink.
const FLUSH: usize = 32 * 1024;

/// Writes the union of the old and the live values, without the earlier contribution, to `sink`. `room` has as many bytes as `old` and `live`
/// together.
pub fn merge(
    records: &[Record],
    streams: ValueStreams<'_>,
    rebase: Option<&Rebase>,
    room: &mut [u64],
    sink: &mut dyn Sink,
) -> Result {
    let ValueStreams { mut old, mut live, mut earlier_contribution } = streams;
    let mut len: usize = 0;
    for record in records.iter().filter(|record| has_sites(record)) {
        let functions = [take(&mut old, record)?, take(&mut live, record)?, take(&mut earlier_contribution, record)?];
        let words = fill(record, functions, rebase, room.get_mut(len..).unwrap_or_default()).ok_or(Error::NO_SPACE)?;
        len = len.wrapping_add(words);
        if len >= FLUSH {
            flush(room, len, sink)?;
            len = 0;
        }
    }
    flush(room, len, sink)
}

/// Parses the value data of `record` at the start of a stream, and advances the stream. An empty stream has no values.
fn take<'a>(from: &mut &'a [u8], record: &Record) -> Result<FunctionValues<'a>> {
    if from.is_empty() {
        return Ok(FunctionValues::NONE);
    }
    let (function, rest) = FunctionValues::take(from, record).ok_or(Error::CORRUPT)?;
    *from = rest;
    Ok(function)
}

/// Passes the first `words` words of `room` to the sink.
fn flush(room: &[u64], words: usize, sink: &mut dyn Sink) -> Result {
    let full = Span { start: room.as_ptr().cast(), len: words.wrapping_mul(8) };
    // SAFETY: the first words of the slice.
    unsafe { sink.write(&[full]) }
}

/// Writes the merged value data of one function to the start of `room`. Returns its words. `None` when it does not fit.
fn fill(
    record: &Record,
    functions: [FunctionValues<'_>; 3],
    rebase: Option<&Rebase>,
    room: &mut [u64],
) -> Option<usize> {
    let whole = room.len();
    let (total, mut rest) = room.split_first_mut()?;
    let mut kinds: u32 = 0;
    let [old, live, earlier_contribution] = functions;
    for (kind, &sites) in record.num_value_sites.iter().enumerate() {
        if sites == 0 {
            continue;
        }
        kinds = kinds.wrapping_add(1);
        let words = (kind_header_size(u32::from(sites)) / 8) as usize;
        let (header, mut pairs) = rest.split_at_mut_checked(words)?;
        let (first, counts) = header.split_first_mut()?;
        *first = halves(kind as u32, u32::from(sites));
        let (mut old, mut live, mut earlier_contribution) =
            (*old.0.get(kind)?, *live.0.get(kind)?, *earlier_contribution.0.get(kind)?);
        let rebase = if kind as u32 == KIND_MEMOP_SIZE { None } else { rebase };
        let mut left = sites;
        for word in counts {
            let mut bytes = [0u8; 8];
            for byte in &mut bytes {
                if left == 0 {
                    break;
                }
                left = left.wrapping_sub(1);
                let (old, live, earlier_contribution) = (old.next(), live.next(), earlier_contribution.next());
                if earlier_contribution.is_empty()
                    && let Some(len) = add_in_order(old, live, rebase, pairs.as_chunks_mut().0)
                {
                    *byte = len as u8;
                    pairs = pairs.get_mut(len.wrapping_mul(2)..)?;
                    continue;
                }
                let mut site = MergedSite { words: pairs, len: 0, hint: 0 };
                for pair in old {
                    let value = word_at(pair, 0);
                    site.add(rebase.map_or(value, |rebase| rebase.address(value)), word_at(pair, 8))?;
                }
                // From the first pair again: this process mostly has the values in the order of the file.
                site.hint = 0;
                for pair in live {
                    let value = word_at(pair, 0);
                    let known = earlier_contribution
                        .iter()
                        .find(|known| word_at(known, 0) == value)
                        .map_or(0, |known| word_at(known, 8));
                    let value = rebase.map_or(value, |rebase| rebase.findable(value));
                    site.add(value, word_at(pair, 8).saturating_sub(known))?;
                }
                *byte = site.len as u8;
                pairs = site.words.get_mut(site.len.wrapping_mul(2)..)?;
            }
            *word = u64::from_ne_bytes(bytes);
        }
        rest = pairs;
    }
    let words = whole.wrapping_sub(rest.len());
    *total = halves(words.wrapping_mul(8) as u32, kinds);
    Some(words)
}

/// Writes the union of two sites with equal values in the same order to `room`, and returns the number of pairs. `None` where values or
/// order differ. Nearly all sites are like that when a program does the same again.
fn add_in_order(
    old: &[PairBytes],
    live: &[PairBytes],
    rebase: Option<&Rebase>,
    room: &mut [[u64; 2]],
) -> Option<usize> {
    if old.len() != live.len() {
        return None;
    }
    let mut lives = live.iter();
    let mut slots = room.get_mut(..old.len())?.iter_mut();
    for old in old {
        let (live, slot) = (lives.next()?, slots.next()?);
        let value = word_at(live, 0);
        // No site of this process has a value twice, so neither has the union.
        let same = match rebase {
            Some(rebase) => rebase.findable(value) == value && rebase.address(word_at(old, 0)) == value,
            None => word_at(old, 0) == value,
        };
        let sum = word_at(old, 8).saturating_add(word_at(live, 8)).min(LARGEST);
        if !same || sum == 0 {
            return None;
        }
        *slot = [value, sum];
    }
    Some(old.len())
}

/// The merged values of one site.
struct MergedSite<'a> {
    /// The pairs, and the space after them.
    words: &'a mut [u64],
    /// The number of pairs.
    len: usize,
    /// Index of the pair to compare first.
    hint: usize,
}

impl MergedSite<'_> {
    /// Adds `count` to the count of a value. `None` when there is no space. A site with as many values as a profile can hold keeps the
    /// most frequent ones.
    fn add(&mut self, value: u64, count: u64) -> Option<()> {
        let (pairs, _) = self.words.as_chunks_mut::<2>();
        let there = pairs.get_mut(..self.len)?;
        let known = |pair: &[u64; 2]| pair.first() == Some(&value);
        let at = match there.get(self.hint) {
            Some(pair) if known(pair) => Some(self.hint),
            _ => there.iter().position(known),
        };
        if let Some(at) = at {
            self.hint = at.wrapping_add(1);
            let [_, sum] = there.get_mut(at)?;
            *sum = sum.saturating_add(count).min(LARGEST);
        } else if count == 0 {
        } else if self.len < MAX_VALUES_PER_SITE as usize {
            *pairs.get_mut(self.len)? = [value, count.min(LARGEST)];
            self.len = self.len.wrapping_add(1);
            self.hint = self.len;
        } else {
            let [_, least] = *there.iter().min_by_key(|[_, count]| *count)?;
            if least < count {
                *there.iter_mut().find(|[_, count]| *count == least)? = [value, count.min(LARGEST)];
            }
        }
        Some(())
    }
}
