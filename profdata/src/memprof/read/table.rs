//! The hash tables of a section.

use super::SectionInput;
use crate::error::Error;
use crate::read::indexed::cursor::Cursor;
use crate::read::indexed::table::DiskTable;

/// Calls `each` with the key and the data of every item of the table between two places: its items start at `payload`, its array at
/// `array`. `has_key_len`: an item has the length of its key.
pub(super) fn walk<'a>(
    input: SectionInput<'a>,
    (payload, array): (usize, usize),
    has_key_len: bool,
    mut each: impl FnMut(u64, Cursor<'a>) -> Result<(), Error>,
) -> Result<(), Error> {
    let read = |cursor: &mut Cursor<'a>| {
        let before = *cursor;
        let (hash, key, data) = item(cursor, has_key_len).ok_or_else(|| before.too_short("MemProf.Item"))?;
        if hash != key {
            return Err(before.malformed("MemProf.Item").expected("its key as a hash").found(hash));
        }
        Ok((hash, (key, data)))
    };
    input.range(payload, array, "MemProf.Table")?;
    DiskTable::between(input.bytes, input.start, (payload, array))?.walk(read, |(key, data)| each(key, data))
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
