//! Reads and merges the value data of a file. Linked where something counts values ([`crate::value::optional`]).

#![allow(unsafe_code)]

use super::contribution::Counts;
use super::counters::LARGEST;
use super::old::OldProfile;
use super::pages::Pages;
use super::rebase::Rebase;
use crate::error::{Error, Result};
use crate::format::value::{KIND_MEMOP_SIZE, MAX_VALUES_PER_SITE};
use crate::format::value_record::{FunctionValues, PairBytes, fill_record, value_and_count};
use crate::native::{KINDS, Record};
use crate::sink::Sink;
use crate::span::Span;
use crate::value::node::{has_sites, heads, site_count, values_at};
use crate::value::writer;
use crate::value::writer::hosted::fill_values;

/// Writes the union of the old values and those of this process, without the earlier contribution, to `sink`. `own` becomes the values of this
/// process, as in a file.
pub fn merge_values(
    records: &[Record],
    old: Option<&OldProfile>,
    earlier: Option<&Counts>,
    own: &mut Pages,
    sink: &mut dyn Sink,
) -> Result {
    let words = copy_values(records, own)?;
    if old.is_none() && earlier.is_none() {
        return flush(own.words(), words, sink);
    }
    let mut room = Pages::new(FLUSH.saturating_add(largest_record(records)).saturating_mul(8))?;
    let room = room.words_mut();
    // Without an old profile no address is rebased, so those that readers cannot name stay until the next merge makes them 0.
    let (mut olds, rebase) = old.map_or((&[][..], None), |old| (old.values(), Some(&old.checked.rebase)));
    let (mut lives, mut earliers) = (own.bytes(), earlier.map_or(&[][..], |earlier| earlier.values.bytes()));
    let mut len: usize = 0;
    for record in records.iter().filter(|record| has_sites(record)) {
        let [mut old, mut live, mut earlier] =
            [take(&mut olds, record)?, take(&mut lives, record)?, take(&mut earliers, record)?];
        let words = fill_record(&record.num_value_sites, room.get_mut(len..).unwrap_or_default(), |kind, room| {
            let rebase = if kind as u32 == KIND_MEMOP_SIZE { None } else { rebase };
            merge_site(old.next_site(kind), live.next_site(kind), earlier.next_site(kind), rebase, room)
        });
        len = len.wrapping_add(words.ok_or(Error::NO_SPACE)?);
        if len >= FLUSH {
            flush(room, len, sink)?;
            len = 0;
        }
    }
    flush(room, len, sink)
}

/// Copies the values of this process to `own`, so that the merge and the contribution have the same ones while threads count. Returns the number of
/// their words, before zeros.
fn copy_values(records: &[Record], own: &mut Pages) -> Result<usize> {
    let mut pairs: u64 = 0;
    for record in records {
        for head in heads(record) {
            pairs = pairs.wrapping_add(u64::from(values_at(head)));
        }
    }
    // More, so that nodes that threads add meanwhile leave space to those that are there.
    pairs = pairs.saturating_mul(2);
    own.renew(usize::try_from(writer::size(records, pairs)).map_err(|_| Error::OVERFLOW)?)?;
    let mut len: usize = 0;
    for record in records.iter().filter(|record| has_sites(record)) {
        let room = own.words_mut().get_mut(len..).unwrap_or_default();
        len = len.wrapping_add(fill_values(record, room, &mut pairs).ok_or(Error::NO_SPACE)?);
    }
    Ok(len)
}

/// The number of words to collect for one call of the sink.
const FLUSH: usize = 32 * 1024;

/// Returns the largest number of words that the merged value data of any of these records can have.
fn largest_record(records: &[Record]) -> usize {
    let mut sites: usize = 0;
    for record in records {
        sites = sites.max(site_count(record));
    }
    // A header for the record, and for each kind one and the padding of its bytes; for each site a byte and the pairs.
    sites.saturating_mul(1 + 2 * MAX_VALUES_PER_SITE as usize).saturating_add(1 + 2 * KINDS)
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

/// Does the work of [`merge_site`] where the live values begin with the old ones and with the earlier ones, all in the same order: nearly all
/// sites when a program does the same again. Lists grow only at their end, so this holds unless the site has evicted a value, or another
/// process has written its values in another order. Not inlined, so that the loop has all registers.
///
/// Old `A5 B2`, earlier `A3` and live `A4 B2 C1` become `A6 B4 C1`. Where `room` is too small, or for one of these reasons, returns `None`:
///
/// | reason | example | what [`merge_site`] does |
/// | --- | --- | --- |
/// | other orders, or values that are not live | old `A5 B2`, live `B2 A4` | searches |
/// | the sum of an old value is 0 | old `A0`, earlier `A4`, live `A4` | leaves the value out |
/// | the next run cannot find an old or new address | | makes it 0, and adds up all counts of 0 |
/// | a new value has no new count | earlier `C1`, live `C1` | leaves the value out |
///
#[inline(never)]
fn add_in_order(
    old: &[PairBytes],
    live: &[PairBytes],
    earlier: &[PairBytes],
    rebase: Option<&Rebase>,
    room: &mut [[u64; 2]],
) -> Option<usize> {
    let (known, new) = live.split_at_checked(old.len())?;
    let mut slots = room.get_mut(..live.len())?.iter_mut();
    let (mut old, mut earlier) = (old.iter(), earlier.iter().map(value_and_count));
    // Returns the count of a value that is not in the earlier contribution, or `None` where the orders differ.
    let mut new_count = |value: u64, count: u64| match earlier.next() {
        Some((same, known)) if same == value => Some(count.saturating_sub(known)),
        Some(_) => None,
        None => Some(count),
    };
    for (value, count) in known.iter().map(value_and_count) {
        let count = new_count(value, count)?;
        let (old_value, old_count) = value_and_count(old.next()?);
        let sum = old_count.saturating_add(count).min(LARGEST);
        if sum == 0 || !rebase.map_or(old_value == value, |rebase| is_same(rebase, old_value, value)) {
            return None;
        }
        *slots.next()? = [value, sum];
    }
    for (value, count) in new.iter().map(value_and_count) {
        let count = new_count(value, count)?;
        // A value that the list has twice (`value::full`) is written twice, as to a plain file.
        let named = rebase.is_none_or(|rebase| rebase.keep_or_zero(value) == value);
        if count == 0 || !named {
            return None;
        }
        *slots.next()? = [value, count.min(LARGEST)];
    }
    earlier.next().is_none().then_some(live.len())
}

/// Writes the union of two sites to `room`, without the earlier contribution, and returns the number of pairs. `None` without space.
#[inline(always)]
pub fn merge_site(
    old: &[PairBytes],
    live: &[PairBytes],
    earlier: &[PairBytes],
    rebase: Option<&Rebase>,
    room: &mut [u64],
) -> Option<usize> {
    if let Some(len) = add_in_order(old, live, earlier, rebase, room.as_chunks_mut().0) {
        return Some(len);
    }
    let mut site = MergedSite { words: room, len: 0, hint: 0 };
    for (value, count) in old.iter().map(value_and_count) {
        site.add(rebase.map_or(value, |rebase| rebase.rebased(value)), count)?;
    }
    // From the first pair again: this process mostly has the values in the order of the file.
    site.hint = 0;
    for (index, (value, count)) in live.iter().map(value_and_count).enumerate() {
        let is_same = |pair: &&PairBytes| value_and_count(pair).0 == value;
        // At the same place, unless the site has evicted a value. (The list may have a value twice.)
        let known = earlier.get(index).filter(is_same).or_else(|| earlier.iter().find(is_same));
        let known = known.map_or(0, |pair| value_and_count(pair).1);
        let value = rebase.map_or(value, |rebase| rebase.keep_or_zero(value));
        site.add(value, count.saturating_sub(known))?;
    }
    Some(site.len)
}

/// Returns whether an address of the other process is `ours` in this one, and the next run can find it, too.
#[inline(always)]
fn is_same(rebase: &Rebase, theirs: u64, ours: u64) -> bool {
    /// Searches the maps. Not inlined, since nearly all addresses are in the image.
    #[inline(never)]
    fn search(rebase: &Rebase, theirs: u64, ours: u64) -> bool {
        rebase.keep_or_zero(ours) == ours && rebase.rebased(theirs) == ours
    }
    rebase.is_in_image(theirs, ours) || search(rebase, theirs, ours)
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
