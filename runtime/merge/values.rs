//! Checks value data against records, and merges it.

#![allow(unsafe_code)]

use super::counters::LARGEST;
use super::rebase::Rebase;
use crate::error::{Error, Result};
use crate::format::value::{KIND_MEMOP_SIZE, MAX_VALUES_PER_SITE};
use crate::format::value_record::{FunctionValues, PairBytes, fill_record, value_and_count};
use crate::native::Record;
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::has_sites;
use crate::value::optional::provide;

/// Checks that the bytes are the complete value data of these records. No bytes are valid too: profiles from LLVM's buffer calls have
/// no value data.
pub fn check(bytes: &[u8], records: &[Record]) -> Result {
    if bytes.is_empty() || after_values(bytes, records)?.is_empty() { Ok(()) } else { Err(Error::CORRUPT) }
}

/// Returns the bytes after the value data of these records.
fn after_values<'a>(bytes: &'a [u8], records: &[Record]) -> Result<&'a [u8]> {
    let mut rest = bytes;
    for record in records.iter().filter(|record| has_sites(record)) {
        (_, rest) = FunctionValues::take(rest, &record.num_value_sites).ok_or(Error::CORRUPT)?;
    }
    Ok(rest)
}

/// Pointer to [`in_buffer`].
pub type FindInBuffer = for<'a> fn(&'a [u8], &[Record]) -> Result<&'a [u8]>;

provide!("profrt_values_in_buffer": FindInBuffer = in_buffer);

/// Finds the value data at the start of the rest of a buffer. The buffer may be longer than the profile in it, as LLVM's runtime allows
/// too. A size of 0 means that the profile has no value data.
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
        let Some((mut function, others)) = FunctionValues::take(rest, &record.num_value_sites) else { return };
        rest = others;
        let mut site: u32 = 0;
        for (kind, sites) in record.num_value_sites.iter().enumerate() {
            for _ in 0..*sites {
                for (value, count) in function.next_site(kind).iter().map(value_and_count) {
                    each(record, kind as u32, site, value, count);
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
    let (function, rest) = FunctionValues::take(from, &record.num_value_sites).ok_or(Error::CORRUPT)?;
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
    let [mut old, mut live, mut earlier_contribution] = functions;
    fill_record(&record.num_value_sites, room, |kind, room| {
        let rebase = if kind as u32 == KIND_MEMOP_SIZE { None } else { rebase };
        let (old, live, earlier_contribution) =
            (old.next_site(kind), live.next_site(kind), earlier_contribution.next_site(kind));
        if earlier_contribution.is_empty()
            && let Some(len) = add_in_order(old, live, rebase, room.as_chunks_mut().0)
        {
            return Some(len);
        }
        let mut site = MergedSite { words: room, len: 0, hint: 0 };
        for (value, count) in old.iter().map(value_and_count) {
            site.add(rebase.map_or(value, |rebase| rebase.address(value)), count)?;
        }
        // From the first pair again: this process mostly has the values in the order of the file.
        site.hint = 0;
        for (value, count) in live.iter().map(value_and_count) {
            let known = earlier_contribution.iter().map(value_and_count).find(|(known, _)| *known == value);
            let value = rebase.map_or(value, |rebase| rebase.findable(value));
            site.add(value, count.saturating_sub(known.map_or(0, |(_, count)| count)))?;
        }
        Some(site.len)
    })
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
        let (value, count) = value_and_count(lives.next()?);
        let (old_value, old_count) = value_and_count(old);
        let slot = slots.next()?;
        // No site of this process has a value twice, so neither has the union: values that readers cannot name, which all become 0, do not pass.
        let same = match rebase {
            Some(rebase) => rebase.findable(value) == value && rebase.address(old_value) == value,
            None => old_value == value,
        };
        let sum = old_count.saturating_add(count).min(LARGEST);
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
