//! The hash tables of a section: items in buckets, then an array with the place of each bucket.

use super::SectionInput;
use crate::error::{Error, ErrorKind};
use crate::read::indexed::cursor::{Cursor, words};

/// Calls `each` with the key and the data of every item of the table between two places: its items start at `payload`, its array at
/// `array`. `has_key_len`: an item has the length of its key. Returns where the array ends.
///
/// Every bucket has to start where the one before ends, so that no byte is read twice.
pub(super) fn walk<'a>(
    input: SectionInput<'a>,
    (payload, array): (usize, usize),
    has_key_len: bool,
    mut each: impl FnMut(u64, Cursor<'a>) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut items = input.range(payload, array, "MemProf.Table")?;
    let mut cursor = input.range(array, input.bytes.len(), "MemProf.Table")?;
    let count = cursor.u64().ok_or_else(|| cursor.too_short("MemProf.NumBuckets"))?;
    let entries = cursor.u64().ok_or_else(|| cursor.too_short("MemProf.NumEntries"))?;
    let buckets = cursor.take_items(count, 8).ok_or_else(|| cursor.too_large("MemProf.NumBuckets", count))?;
    if !count.is_power_of_two() {
        let error = Error::new(ErrorKind::Malformed, "MemProf.NumBuckets").at(array as u64);
        return Err(error.expected("a power of two").found(count));
    }
    let mut found = 0u64;
    for (bucket, place) in (0u64..).zip(words(buckets)).filter(|(_, place)| *place != 0) {
        if place.checked_sub(input.start) != Some(items.offset() as u64) {
            let error = items.malformed("MemProf.Bucket").expected("the offset in the array");
            return Err(error.found(place));
        }
        let count = items.u16().ok_or_else(|| items.too_short("MemProf.Bucket"))?;
        for _ in 0..count {
            let before = items;
            let (hash, key, data) = item(&mut items, has_key_len).ok_or_else(|| before.too_short("MemProf.Item"))?;
            if hash != key || hash & count_mask(count_of(buckets)) != bucket {
                return Err(before.malformed("MemProf.Item").expected("its key as a hash of the bucket").found(hash));
            }
            each(key, data)?;
        }
        found = found.saturating_add(u64::from(count));
    }
    if found != entries {
        let error = Error::new(ErrorKind::Malformed, "MemProf.NumEntries").at(array as u64);
        return Err(error.expected(found).found(entries));
    }
    if items.rest().len() >= 8 {
        return Err(items.malformed("MemProf.Table").expected("its end").found(items.rest().len()));
    }
    Ok(cursor.offset())
}

fn count_of(buckets: &[u8]) -> u64 {
    buckets.len() as u64 / 8
}

fn count_mask(buckets: u64) -> u64 {
    buckets.wrapping_sub(1)
}

/// Reads hash, key and data of an item.
fn item<'a>(cursor: &mut Cursor<'a>, has_key_len: bool) -> Option<(u64, u64, Cursor<'a>)> {
    let hash = cursor.u64()?;
    if has_key_len {
        cursor.u64().filter(|len| *len == 8)?;
    }
    let len = cursor.u64()?;
    let key = cursor.u64()?;
    let data = cursor.take_items(len, 1)?;
    Some((hash, key, Cursor::new(data, cursor.offset())))
}
