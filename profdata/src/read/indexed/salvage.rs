//! Reads what is whole of a damaged function table.
//!
//! The payload is walked straight from its start, because the bucket array comes after it and is the first to be cut. Where the walk
//! loses its way, it goes on at the next place that the bucket array names. An item counts only if its name has the hash that stands
//! before it.

use super::cursor::{Cursor, words};
use super::header::Header;
use super::record::{RecordDecoder, RecordPart};
use super::summary;
use super::table::{DiskTable, ITEM_HEADER, TableItem};
use crate::error::Error;
use crate::finding::{Finding, FindingKind};
use crate::name::{Name, name_hash};
use crate::sink::Sink;

/// Hands over all whole records, and a finding for each loss.
///
/// Errors: only of the sink.
pub(super) fn records(bytes: &[u8], header: &Header, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    let last = header.starts().max().unwrap_or(0);
    let missing = last.saturating_add(8).saturating_sub(bytes.len() as u64);
    if missing > 0 {
        sink.finding(Finding::of_input(FindingKind::Truncated { missing }));
    }
    let usual = summary::usual_payload_start(header);
    // A writer that was killed before it came back to fill the summary in has left zero bytes.
    let start = summary::payload_start(bytes, header).ok();
    let start = start.filter(|start| *start >= usual || begins_at(bytes, header, *start)).unwrap_or(usual);
    let mut walk = SalvageWalk::new(bytes, header, start);
    if missing == 0 {
        match walk.array_missing {
            Some(0) => {}
            Some(missing) => sink.finding(Finding::of_input(FindingKind::Truncated { missing })),
            None => sink.finding(Finding::of_input(FindingKind::SectionLost)),
        }
    }
    let mut decoder = RecordDecoder::new(header.version);
    let (mut whole, mut damaged) = (0, 0);
    while let Some(item) = walk.next(|name| sink.expects(name)) {
        match item {
            Ok(item) => {
                whole += 1;
                deliver(&mut decoder, item, sink)?;
            }
            Err(kind) => {
                damaged += 1;
                sink.finding(Finding::of_input(kind));
            }
        }
    }
    let lost = walk.entries.map_or(damaged, |entries| entries.saturating_sub(whole));
    if lost > 0 {
        sink.finding(Finding::of_input(FindingKind::RecordsLost { names: lost }));
    }
    Ok(())
}

/// Returns whether the bucket array says that the payload begins at `start`.
fn begins_at(bytes: &[u8], header: &Header, start: usize) -> bool {
    DiskTable::of_functions(bytes, header, start).is_ok_and(|table| table.first_place() == start)
}

/// Hands over what is whole of an item.
fn deliver(decoder: &mut RecordDecoder, item: TableItem<'_>, sink: &mut (impl Sink + ?Sized)) -> Result<(), Error> {
    let (mut data, mut names) = (item.data, item.names());
    loop {
        let Err(_) = decoder.decode(&mut data) else {
            sink.record(decoder.record(names()))?;
            if data.is_empty() {
                return Ok(());
            }
            continue;
        };
        let lost = match decoder.part {
            RecordPart::Hash | RecordPart::Counters => FindingKind::RecordDamaged,
            RecordPart::Bitmap => FindingKind::BitmapLost,
            RecordPart::Uniformity | RecordPart::Values => FindingKind::ValuesLost,
        };
        if lost != FindingKind::RecordDamaged {
            sink.record(decoder.record(names()))?;
        }
        // Before the hash was read, the decoder has that of the record before.
        let hash = if decoder.part == RecordPart::Hash { 0 } else { decoder.hash };
        sink.finding(Finding::of_function(item.hash, hash, lost));
        return Ok(());
    }
}

/// The walk over the payload.
struct SalvageWalk<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
    /// The bucket array begins at `end`.
    has_table: bool,
    /// Items left in the bucket.
    left: u16,
    /// Places of buckets, in rising order; those at or before `at` are passed.
    places: std::vec::IntoIter<usize>,
    next_place: Option<usize>,
    /// Number of names, as far as the table says it believably.
    entries: Option<u64>,
    /// Bytes of the bucket array that the input lacks; `None` if its size is not believable.
    array_missing: Option<u64>,
}

impl<'a> SalvageWalk<'a> {
    fn new(bytes: &'a [u8], header: &Header, start: usize) -> SalvageWalk<'a> {
        let table = usize::try_from(header.hash_offset).ok().filter(|end| (start..=bytes.len()).contains(end));
        let end = table.unwrap_or(bytes.len());
        let mut cursor = Cursor::of_range(bytes, end, bytes.len());
        let (count, entries) = (cursor.u64().unwrap_or(0), cursor.u64());
        let there = cursor.rest().len() / 8;
        let array = cursor.take_items(count.min(there as u64), 8).unwrap_or(&[]);
        let mut places: Vec<usize> = words(array)
            .filter_map(|place| usize::try_from(place).ok())
            .filter(|place| (start..end).contains(place))
            .collect();
        places.sort_unstable();
        let most = end.saturating_sub(start) / ITEM_HEADER;
        let entries = entries.filter(|entries| *entries <= most as u64);
        // LLVM makes less than four buckets for each item.
        let believable = count.is_power_of_two() && count / 4 <= most as u64;
        let array_missing = believable.then(|| count.saturating_sub(there as u64) * 8);
        let mut places = places.into_iter();
        let next_place = places.next();
        SalvageWalk {
            bytes,
            at: start,
            end,
            has_table: table.is_some(),
            left: 0,
            places,
            next_place,
            entries,
            array_missing,
        }
    }

    /// Moves to a place at or after the present one, and forgets the buckets before it.
    fn go_to(&mut self, place: usize) {
        self.at = place;
        while self.next_place.is_some_and(|next| next <= place) {
            self.next_place = self.places.next();
        }
    }

    /// Goes on at the next bucket that is known, or to the end.
    fn resume(&mut self) {
        self.left = 0;
        self.go_to(self.next_place.unwrap_or(self.end));
    }

    /// Returns the next whole item, or what was lost; `None` at the end. `expects` says whether a name is known to have its hash.
    fn next(&mut self, mut expects: impl FnMut(Name<'_>) -> bool) -> Option<Result<TableItem<'a>, FindingKind>> {
        while self.left == 0 {
            let mut cursor = Cursor::of_range(self.bytes, self.at, self.end);
            let rest = cursor.rest();
            // The padding before the array may have any bytes: no reader looks at it.
            if rest.len() < 8 && (self.has_table || rest.iter().all(|byte| *byte == 0)) {
                return None;
            }
            match cursor.u16() {
                Some(count) if count > 0 => self.left = count,
                _ => {
                    self.resume();
                    return Some(Err(FindingKind::RecordDamaged));
                }
            }
            self.go_to(cursor.offset());
        }
        let limit = self.next_place.unwrap_or(self.end);
        // No item reaches past the next bucket. So nothing is hashed twice, whatever the places are.
        let mut cursor = Cursor::of_range(self.bytes, self.at, limit);
        let Ok((hash, key, size)) = TableItem::head(&mut cursor) else {
            self.resume();
            return Some(Err(FindingKind::RecordDamaged));
        };
        let whole = usize::try_from(size).is_ok_and(|size| size <= cursor.rest().len());
        // Where the input is cut inside the data, the records before the cut are whole.
        if !whole && limit != self.bytes.len() {
            self.resume();
            return Some(Err(FindingKind::RecordDamaged));
        }
        let data = cursor.take(if whole { size as usize } else { cursor.rest().len() }).unwrap_or(&[]);
        let end = cursor.offset();
        // Where a bucket is known to begin, the one before it has ended, whatever its count is.
        self.left = if self.next_place == Some(end) { 0 } else { self.left.saturating_sub(1) };
        self.go_to(end);
        if !expects(Name { hash, bytes: Some(key) }) && name_hash(key) != hash {
            return Some(Err(FindingKind::RecordDamaged));
        }
        Some(Ok(TableItem { hash, key, data: Cursor::new(data, end) }))
    }
}
