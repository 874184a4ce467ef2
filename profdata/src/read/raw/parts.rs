//! The parts of one function: its ranges of the sections, checked.

use std::fmt;

use profrt_format::layout::Part;

use super::file::is_temporal;
use super::{Counters, LARGEST_COUNTER, RawFile, RecordHead};
use crate::error::{Error, ErrorKind};
use crate::name::Name;
use crate::read::names::NameTable;

/// How often a byte of a section may belong to a function. Linkers can make functions share counters, in theory; without a limit, a
/// damaged file of a few megabytes could claim terabytes.
const SHARED: u64 = 16;

/// The bytes that records may still take of each section.
pub(super) struct Budget {
    counters: u64,
    bitmap: u64,
    names: u64,
}

impl Budget {
    pub(super) fn of(file: &RawFile<'_>, names: &NameTable) -> Budget {
        let budget = |part| (file.part(part).len() as u64).saturating_mul(SHARED);
        // Short names cost nothing, however many records share them.
        let names = (names.text_len() as u64).saturating_mul(SHARED).max(1 << 20);
        Budget { counters: budget(Part::Counters), bitmap: budget(Part::Bitmap), names }
    }

    /// Adds what so many records may take of names that are not in the file, on average.
    pub(super) fn add_names(&mut self, records: usize) {
        self.names = self.names.saturating_add((records as u64).saturating_mul(1 << 10));
    }

    /// Returns whether a name may be delivered once more: whoever takes records compares all of it.
    pub(super) fn take_name(&mut self, name: Name<'_>) -> bool {
        take(&mut self.names, name.bytes.map_or(0, |bytes| bytes.len() as u64))
    }
}

/// Returns the bytes of a function in a section.
fn slice(section: &[u8], at: u64, len: u64) -> Option<&[u8]> {
    section.get(usize::try_from(at).ok()?..)?.get(..usize::try_from(len).ok()?)
}

/// Subtracts `len` from `left`. Returns whether there was as much.
fn take(left: &mut u64, len: u64) -> bool {
    let rest = left.checked_sub(len);
    *left = rest.unwrap_or(0);
    rest.is_some()
}

/// Returns an error about an offset or a number in a record.
#[cold]
fn wrong(file: &RawFile<'_>, index: u64, field: &'static str, expected: impl fmt::Display, found: i64) -> Error {
    let size = file.plan().size(Part::Data).0.checked_div(file.plan().header().num_data).unwrap_or(0);
    Error::new(ErrorKind::Malformed, field)
        .at(file.offset_of(Part::Data).saturating_add(index.saturating_mul(size)))
        .expected(expected)
        .found(found)
}

/// Returns an error about a record's range of a section: its offset, or else the number of its elements.
fn outside(
    file: &RawFile<'_>,
    index: u64,
    fields: [&'static str; 2],
    (at, number): (u64, u32),
    (section, element): (usize, u64),
) -> Error {
    let rest = (section as u64).checked_sub(at).filter(|rest| *rest > 0);
    match rest.and_then(|rest| rest.checked_div(element)) {
        Some(most) => wrong(file, index, fields[1], format_args!("at most {most}"), number.into()),
        None => wrong(file, index, fields[0], format_args!("at most {}", section as i64 - 1), at.cast_signed()),
    }
}

/// Puts the counters of a function into `counters`. Returns its time stamp, if it has one.
///
/// Errors: [`ErrorKind::Truncated`]: the counters are where the input has ended, which no file has whose sections are whole.
/// [`ErrorKind::Malformed`]: the record contradicts itself.
pub(super) fn take_counters(
    file: &RawFile<'_>,
    index: u64,
    head: &RecordHead,
    budget: &mut Budget,
    salvage: bool,
    counters: &mut Vec<u64>,
) -> Result<Option<u64>, Error> {
    counters.clear();
    let section = file.counter_bytes();
    let len = u64::from(head.num_counters).saturating_mul(file.plan().counter_size());
    let outside = || {
        let fields = ["CounterPtr", "NumCounters"];
        let section = (section.len(), file.plan().counter_size());
        outside(file, index, fields, (head.counters_at, head.num_counters), section)
    };
    if len == 0 {
        return Err(wrong(file, index, "NumCounters", "at least 1", 0));
    }
    let Some(mut bytes) = slice(section, head.counters_at, len) else {
        let end = head.counters_at.saturating_add(len);
        let is_cut = end <= file.plan().size(Part::Counters).0;
        return Err(if is_cut { Error::new(ErrorKind::Truncated, "NumCounters") } else { outside() });
    };
    if !take(&mut budget.counters, len) {
        return Err(outside());
    }
    let encoding = file.encoding();
    let mut stamp = None;
    // The stamp takes 8 bytes, of byte counters too. clang writes none for a function of which only the entry is covered; LLVM takes the
    // 8 bytes in its place.
    if is_temporal(file) && !(salvage && len < 8) {
        let number = slice(file.counters_and_rest(), head.counters_at, 8).and_then(|bytes| encoding.u64_at(bytes, 0));
        stamp = number.filter(|stamp| *stamp != 0 && *stamp != u64::MAX);
        bytes = bytes.get(8..).unwrap_or(&[]);
    }
    match file.counters() {
        Counters::Words(_) => counters.extend(bytes.as_chunks().0.iter().map(|word| encoding.u64_of(word))),
        Counters::Bytes(_) => counters.extend(bytes.iter().map(|byte| u64::from(*byte == 0))),
    }
    Ok(stamp)
}

/// Returns the number and the value of the first counter that is too large.
pub(super) fn first_large(counters: &[u64]) -> Option<(u64, u64)> {
    if counters.iter().all(|counter| *counter <= LARGEST_COUNTER) {
        return None;
    }
    (0..).zip(counters).find(|(_, counter)| **counter > LARGEST_COUNTER).map(|(index, counter)| (index, *counter))
}

#[cold]
pub(super) fn too_large(file: &RawFile<'_>, head: &RecordHead, counter: u64, value: u64) -> Error {
    let skipped = u64::from(is_temporal(file));
    let at = file.offset_of(Part::Counters).saturating_add(head.counters_at);
    Error::new(ErrorKind::CounterTooLarge, "Counters")
        .at(at.saturating_add(counter.saturating_add(skipped).saturating_mul(8)))
        .expected(format_args!("at most {LARGEST_COUNTER}"))
        .found(value)
}

/// Returns the bitmap of a function.
pub(super) fn take_bitmap<'a>(
    file: &RawFile<'a>,
    index: u64,
    head: &RecordHead,
    budget: &mut Budget,
) -> Result<&'a [u8], Error> {
    let len = u64::from(head.num_bitmap_bytes);
    if len == 0 {
        return Ok(&[]);
    }
    let section = file.bitmap();
    match slice(section, head.bitmap_at, len) {
        Some(bitmap) if take(&mut budget.bitmap, len) => Ok(bitmap),
        _ => {
            let fields = ["BitmapPtr", "NumBitmapBytes"];
            Err(outside(file, index, fields, (head.bitmap_at, head.num_bitmap_bytes), (section.len(), 1)))
        }
    }
}

/// Puts the uniformity bits of a function into `bits`: none if the profile has no uniform counters for it.
pub(super) fn take_uniformity(file: &RawFile<'_>, head: &RecordHead, counters: &[u64], bits: &mut Vec<u8>) {
    bits.clear();
    let uniform = head.uniform_at.filter(|at| at.is_multiple_of(8)).and_then(|at| usize::try_from(at / 8).ok());
    let uniform = uniform.and_then(|at| file.uniform_counters().get(at..)?.get(..counters.len()));
    let Some(uniform) = uniform else { return };
    let encoding = file.encoding();
    for (counters, uniform) in counters.chunks(8).zip(uniform.chunks(8)) {
        let mut byte = u8::MAX;
        for (bit, (counter, uniform)) in counters.iter().zip(uniform).enumerate() {
            // Uniform: at least 9 of 10 times.
            if u128::from(encoding.u64_of(uniform)) * 10 < u128::from(*counter) * 9 {
                byte &= !(1 << bit);
            }
        }
        bits.push(byte);
    }
}
