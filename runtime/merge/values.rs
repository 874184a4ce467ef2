//! Value data in bytes: is it that of these records, and the union of several. Pure.

#![allow(unsafe_code)]

use super::counters::LARGEST;
use super::rebase::Rebase;
use crate::error::{Error, Result};
use crate::format::Encoding;
use crate::format::record::Record;
use crate::format::value::{
    DATA_HEADER, KIND_HEADER, KIND_MEMOP_SIZE, MAX_VALUES_PER_SITE, halves, kind_header_size, record_size,
};
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::{has_sites, site_count};
#[cfg(feature = "hosted")]
use crate::value::optional::provide;

/// A value and its count, as bytes of this machine.
type Pair = [u8; 16];

fn word_at(pair: &Pair, at: usize) -> u64 {
    pair.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_ne_bytes(*word))
}

/// The sites of one kind of a function.
#[derive(Clone, Copy, Debug)]
struct Kind<'a> {
    /// Values of each site.
    counts: &'a [u8],
    /// The pairs of all sites.
    pairs: &'a [Pair],
}

impl<'a> Kind<'a> {
    const NONE: Kind<'static> = Kind { counts: &[], pairs: &[] };

    /// The next site's pairs.
    fn next(&mut self) -> &'a [Pair] {
        let Some((count, counts)) = self.counts.split_first() else { return &[] };
        let (own, others) = self.pairs.split_at_checked(usize::from(*count)).unwrap_or((&[], &[]));
        self.counts = counts;
        self.pairs = others;
        own
    }
}

/// Takes `sites` sites of a kind from the bytes: those, and the rest.
fn take_kind(bytes: &[u8], kind: u32, sites: u16) -> Option<(Kind<'_>, &[u8])> {
    let native = Encoding::NATIVE;
    if native.u32_at(bytes, 0)? != kind || native.u32_at(bytes, 4)? != u32::from(sites) {
        return None;
    }
    let (header, rest) = bytes.split_at_checked(kind_header_size(u32::from(sites)) as usize)?;
    let counts = header.get(KIND_HEADER as usize..)?.get(..usize::from(sites))?;
    let pairs = counts.iter().fold(0usize, |sum, count| sum.wrapping_add(usize::from(*count)));
    let (pairs, rest) = rest.split_at_checked(pairs.checked_mul(size_of::<Pair>())?)?;
    Some((Kind { counts, pairs: pairs.as_chunks().0 }, rest))
}

/// Kinds of all raw versions.
const KINDS: usize = 3;

/// Value data of one function.
#[derive(Clone, Copy, Debug)]
struct Function<'a>([Kind<'a>; KINDS]);

impl<'a> Function<'a> {
    /// Without values.
    const NONE: Function<'static> = Function([Kind::NONE; KINDS]);

    /// Takes the value data of `record` from the bytes: that, and the rest. `None` when it is not of this record, or
    /// contradicts itself.
    fn take(bytes: &'a [u8], record: &Record) -> Option<(Function<'a>, &'a [u8])> {
        let native = Encoding::NATIVE;
        let total = native.u32_at(bytes, 0)? as usize;
        let (own, others) = bytes.split_at_checked(total)?;
        let mut rest = own.get(DATA_HEADER as usize..)?;
        let mut function = Function::NONE;
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

/// Bytes of the most value data that these records can have.
pub fn most(records: &[Record]) -> u64 {
    records.iter().filter(|record| has_sites(record)).fold(0u64, |sum, record| {
        let pairs = (site_count(record) as u64).wrapping_mul(MAX_VALUES_PER_SITE);
        sum.saturating_add(record_size(&record.num_value_sites, pairs).unwrap_or(0))
    })
}

/// Whether the bytes are the value data of these records, all of it. No bytes at all are right too: profiles from LLVM's
/// buffer calls have no value data.
pub fn check(bytes: &[u8], records: &[Record]) -> Result {
    if bytes.is_empty() || behind(bytes, records)?.is_empty() { Ok(()) } else { Err(Error::CORRUPT) }
}

/// What stands behind the value data of these records.
fn behind<'a>(bytes: &'a [u8], records: &[Record]) -> Result<&'a [u8]> {
    let mut rest = bytes;
    for record in records.iter().filter(|record| has_sites(record)) {
        (_, rest) = Function::take(rest, record).ok_or(Error::CORRUPT)?;
    }
    Ok(rest)
}

/// See [`in_buffer`].
pub type InBuffer = for<'a> fn(&'a [u8], &[Record]) -> Result<&'a [u8]>;

#[cfg(feature = "hosted")]
provide!("profrt_values_in_buffer");

/// The value data in what is left of a buffer, which may be longer than the profile in it, as LLVM's runtime allows too. A
/// size of 0 says that there is none.
#[cfg_attr(all(feature = "hosted", feature = "archive"), unsafe(export_name = "profrt_values_in_buffer"))]
pub fn in_buffer<'a>(bytes: &'a [u8], records: &[Record]) -> Result<&'a [u8]> {
    if bytes.iter().take(size_of::<u32>()).all(|byte| *byte == 0) {
        return Ok(&[]);
    }
    let len = bytes.len().wrapping_sub(behind(bytes, records)?.len());
    Ok(bytes.get(..len).unwrap_or(&[]))
}

/// Calls `each` with kind, number of the site within the function, value and count, for all values of all records. The
/// bytes must have passed [`check`]. Inlined, so that its code is with the caller's: in this module it would make every merge link
/// what counts values.
#[inline]
pub fn each(bytes: &[u8], records: &[Record], mut each: impl FnMut(&Record, u32, u32, u64, u64)) {
    let mut rest = bytes;
    for record in records.iter().filter(|record| has_sites(record)) {
        let Some((function, others)) = Function::take(rest, record) else { return };
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
pub struct Streams<'a> {
    /// What the file has, from earlier runs.
    pub old: &'a [u8],
    /// What this process has counted.
    pub live: &'a [u8],
    /// What the file has from this process already.
    pub had: &'a [u8],
}

/// How many words are collected for one call of the sink.
const FLUSH: usize = 32 * 1024;

/// Writes the union of values. `room` has as many bytes as `old` and `live` together.
pub fn merge(
    records: &[Record],
    streams: Streams<'_>,
    rebase: Option<&Rebase>,
    room: &mut [u64],
    sink: &mut dyn Sink,
) -> Result {
    let Streams { mut old, mut live, mut had } = streams;
    let mut len: usize = 0;
    for record in records.iter().filter(|record| has_sites(record)) {
        let functions = [take(&mut old, record)?, take(&mut live, record)?, take(&mut had, record)?];
        let words = fill(record, functions, rebase, room.get_mut(len..).unwrap_or_default()).ok_or(Error::NO_SPACE)?;
        len = len.wrapping_add(words);
        if len >= FLUSH {
            flush(room, len, sink)?;
            len = 0;
        }
    }
    flush(room, len, sink)
}

/// Takes the value data of `record` from a stream; a stream without bytes has none for any record.
fn take<'a>(from: &mut &'a [u8], record: &Record) -> Result<Function<'a>> {
    if from.is_empty() {
        return Ok(Function::NONE);
    }
    let (function, rest) = Function::take(from, record).ok_or(Error::CORRUPT)?;
    *from = rest;
    Ok(function)
}

fn flush(room: &[u64], words: usize, sink: &mut dyn Sink) -> Result {
    let full = Span { start: room.as_ptr().cast(), len: words.wrapping_mul(8) };
    // SAFETY: the first words of the slice.
    #[allow(unsafe_code)]
    unsafe {
        sink.write(&[full])
    }
}

/// Fills the value data of one function into the start of `room`; the words it takes. `None` when it does not fit.
fn fill(record: &Record, functions: [Function<'_>; 3], rebase: Option<&Rebase>, room: &mut [u64]) -> Option<usize> {
    let whole = room.len();
    let (total, mut rest) = room.split_first_mut()?;
    let mut kinds: u32 = 0;
    let [old, live, had] = functions;
    for (kind, &sites) in record.num_value_sites.iter().enumerate() {
        if sites == 0 {
            continue;
        }
        kinds = kinds.wrapping_add(1);
        let words = (kind_header_size(u32::from(sites)) / 8) as usize;
        let (header, mut pairs) = rest.split_at_mut_checked(words)?;
        let (first, counts) = header.split_first_mut()?;
        *first = halves(kind as u32, u32::from(sites));
        let (mut old, mut live, mut had) = (*old.0.get(kind)?, *live.0.get(kind)?, *had.0.get(kind)?);
        let rebase = if kind as u32 == KIND_MEMOP_SIZE { None } else { rebase };
        let mut left = sites;
        for word in counts {
            let mut bytes = [0u8; 8];
            for byte in &mut bytes {
                if left == 0 {
                    break;
                }
                left = left.wrapping_sub(1);
                let (old, live, had) = (old.next(), live.next(), had.next());
                if had.is_empty()
                    && let Some(len) = add_in_order(old, live, rebase, pairs.as_chunks_mut().0)
                {
                    *byte = len as u8;
                    pairs = pairs.get_mut(len.wrapping_mul(2)..)?;
                    continue;
                }
                let mut site = Site { words: pairs, len: 0, hint: 0 };
                for pair in old {
                    let value = word_at(pair, 0);
                    site.add(rebase.map_or(value, |rebase| rebase.address(value)), word_at(pair, 8))?;
                }
                // From the front again: what this process counts is mostly in the order that the file has.
                site.hint = 0;
                for pair in live {
                    let value = word_at(pair, 0);
                    let known =
                        had.iter().find(|known| word_at(known, 0) == value).map_or(0, |known| word_at(known, 8));
                    let value = rebase.map_or(value, |rebase| rebase.own(value));
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

/// The union of two sites with the same values in the same order, as nearly all are when a program does the same again: how
/// many, in `room`. `None`: they are not like that.
fn add_in_order(old: &[Pair], live: &[Pair], rebase: Option<&Rebase>, room: &mut [[u64; 2]]) -> Option<usize> {
    if old.len() != live.len() {
        return None;
    }
    let mut lives = live.iter();
    let mut slots = room.get_mut(..old.len())?.iter_mut();
    for old in old {
        let (live, slot) = (lives.next()?, slots.next()?);
        let value = word_at(live, 0);
        // A site here has no value twice, so neither has the union.
        let same = match rebase {
            Some(rebase) => rebase.own(value) == value && rebase.address(word_at(old, 0)) == value,
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

/// The values of one site that are united so far.
struct Site<'a> {
    /// Pairs, and room behind them.
    words: &'a mut [u64],
    /// How many pairs.
    len: usize,
    /// The pair that is looked at first.
    hint: usize,
}

impl Site<'_> {
    /// Adds to the count of a value. `None` when there is no room. A site that can say no more keeps its most frequent
    /// values.
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
