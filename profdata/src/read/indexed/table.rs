//! Hash tables, of functions and those of MemProf: a payload of buckets with items, then an array with the place of each bucket.

use super::cursor::{Cursor, words};
use super::header::Header;
use crate::error::{Error, ErrorKind};
use crate::name::Name;

/// Bytes of an item at least: hash, key length, data length.
pub(super) const ITEM_HEADER: usize = 24;

/// An item: a function's name with the data of its records.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableItem<'a> {
    /// Hash of the name, as the table has it.
    pub(super) hash: u64,
    /// Name.
    pub(super) key: &'a [u8],
    /// Records.
    pub(super) data: Cursor<'a>,
}

impl<'a> TableItem<'a> {
    /// Reads the item at a cursor.
    pub(super) fn read(cursor: &mut Cursor<'a>) -> Result<TableItem<'a>, Error> {
        let (hash, key, data) = TableItem::head(cursor)?;
        let data = cursor.take_items(data, 1).ok_or_else(|| cursor.too_large("DataLength", data))?;
        Ok(TableItem { hash, key, data: Cursor::new(data, cursor.offset()) })
    }

    /// Reads hash, key, and length of the data.
    pub(super) fn head(cursor: &mut Cursor<'a>) -> Result<(u64, &'a [u8], u64), Error> {
        let (Some(hash), Some(key), Some(data)) = (cursor.u64(), cursor.u64(), cursor.u64()) else {
            return Err(cursor.too_short("item"));
        };
        let key = cursor.take_items(key, 1).ok_or_else(|| cursor.too_large("KeyLength", key))?;
        Ok((hash, key, data))
    }

    pub(super) fn name(&self) -> Name<'a> {
        Name { hash: self.hash, bytes: Some(self.key) }
    }

    /// Returns the name for each record, one after the other. Whoever takes records compares all of it, so a long name with very many
    /// records would take quadratic time: the last of these get only its hash.
    pub(super) fn names(&self) -> impl FnMut() -> Name<'a> + use<'a> {
        const REPEATED: usize = 64;
        let (name, len) = (self.name(), self.key.len());
        let mut left = len.saturating_add(self.data.rest().len()).saturating_mul(REPEATED);
        move || match left.checked_sub(len) {
            Some(rest) => {
                left = rest;
                name
            }
            None => Name::of_hash(name.hash),
        }
    }
}

/// A table whose sizes fit in the input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DiskTable<'a> {
    input: &'a [u8],
    /// Bytes before the input that its places count, too.
    before: u64,
    /// Where the payload starts and ends.
    payload: (usize, usize),
    entries: u64,
    /// Place of each bucket, 0 for an empty one: 8 bytes each, a power of two of them.
    buckets: &'a [[u8; 8]],
}

/// Returns where the bucket array ends, if it is in the input.
pub(super) fn end(input: &[u8], header: &Header) -> Option<usize> {
    let mut cursor = Cursor::of_range(input, usize::try_from(header.hash_offset).ok()?, input.len());
    let (count, _entries) = (cursor.u64()?, cursor.u64()?);
    cursor.take_items(count, 8)?;
    Some(cursor.offset())
}

impl<'a> DiskTable<'a> {
    /// Finds the function table of a profile, and checks its sizes.
    pub(super) fn of_functions(input: &'a [u8], header: &Header, start: usize) -> Result<DiskTable<'a>, Error> {
        let end = usize::try_from(header.hash_offset).ok().filter(|end| *end <= input.len()).ok_or_else(|| {
            let error = Error::new(ErrorKind::Truncated, "HashOffset").at(header.hash_offset);
            error.expected("an offset in the input").found(format_args!("an input of {} bytes", input.len()))
        })?;
        if end < start || !end.is_multiple_of(8) {
            let error = Error::new(ErrorKind::BadHeader, "HashOffset").at(32u64);
            return Err(error.expected(format_args!("a multiple of 8, at least {start}")).found(end));
        }
        DiskTable::between(input, 0, (start, end))
    }

    /// Returns the table whose payload starts and ends at these places, and checks its sizes.
    pub(crate) fn between(input: &'a [u8], before: u64, payload: (usize, usize)) -> Result<DiskTable<'a>, Error> {
        let (_, end) = payload;
        let mut cursor = Cursor::of_range(input, end, input.len());
        let count = cursor.u64().ok_or_else(|| cursor.too_short("NumBuckets"))?;
        let entries = cursor.u64().ok_or_else(|| cursor.too_short("NumEntries"))?;
        let buckets = cursor.take_items(count, 8).ok_or_else(|| cursor.too_large("NumBuckets", count))?;
        if !count.is_power_of_two() {
            let error = Error::new(ErrorKind::Malformed, "NumBuckets").at(end as u64);
            return Err(error.expected("a power of two").found(count));
        }
        Ok(DiskTable { input, before, payload, entries, buckets: buckets.as_chunks().0 })
    }

    /// Returns the place of the first bucket; of a table without buckets the end of the payload, without padding.
    pub(super) fn first_place(&self) -> usize {
        let (start, end) = self.payload;
        let mut places = words(self.buckets.as_flattened()).filter(|place| *place != 0);
        match places.next() {
            Some(first) => usize::try_from(first).unwrap_or(usize::MAX),
            None if end.saturating_sub(start) < 8 => start,
            None => end,
        }
    }

    fn bucket_of(&self, hash: u64) -> usize {
        hash as usize & self.buckets.len().wrapping_sub(1)
    }

    fn place(&self, bucket: usize) -> u64 {
        self.buckets.get(bucket).map_or(0, |place| u64::from_le_bytes(*place))
    }

    /// Visits all items, which `read` reads with their hashes, in the order of the file. Each must stand in the bucket of its hash, and each bucket
    /// where the array says and the one before it ends, so that no byte is read twice.
    pub(crate) fn walk<T>(
        &self,
        read: impl Fn(&mut Cursor<'a>) -> Result<(u64, T), Error>,
        mut each: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let (start, end) = self.payload;
        let mut cursor = Cursor::of_range(self.input, start, end);
        let mut places = words(self.buckets.as_flattened()).enumerate().filter(|(_, place)| *place != 0);
        let mut entries = 0;
        for (bucket, place) in places.by_ref() {
            if place.checked_sub(self.before) != Some(cursor.offset() as u64) {
                let error = cursor.malformed("bucket");
                return Err(error.expected("the offset in the bucket array").found(place));
            }
            let count = cursor.u16().ok_or_else(|| cursor.too_short("bucket"))?;
            for _ in 0..count {
                let before = cursor;
                let (hash, item) = read(&mut cursor)?;
                if self.bucket_of(hash) != bucket {
                    return Err(before.malformed("item").expected("a hash of its bucket").found(hash));
                }
                each(item)?;
            }
            entries += u64::from(count);
        }
        if entries != self.entries {
            let error = Error::new(ErrorKind::Malformed, "NumEntries").at(end as u64 + 8);
            return Err(error.expected(entries).found(self.entries));
        }
        if cursor.rest().len() >= 8 {
            let error = cursor.malformed("payload").expected("its end");
            return Err(error.found(format_args!("{} bytes", cursor.rest().len())));
        }
        Ok(())
    }

    /// Returns the item of a name.
    pub(super) fn find_name(&self, name: Name<'_>) -> Result<Option<TableItem<'a>>, Error> {
        let place = self.place(self.bucket_of(name.hash));
        if place == 0 {
            return Ok(None);
        }
        let (start, end) = self.payload;
        let outside = || {
            let error = Error::new(ErrorKind::Malformed, "bucket array").at(end as u64);
            error.expected(format_args!("{start} to {end}")).found(place)
        };
        let place = usize::try_from(place).ok().filter(|place| (start..end).contains(place)).ok_or_else(outside)?;
        let mut cursor = Cursor::of_range(self.input, place, end);
        let count = cursor.u16().ok_or_else(|| cursor.too_short("bucket"))?;
        for _ in 0..count {
            let item = TableItem::read(&mut cursor)?;
            if item.hash == name.hash && name.bytes.is_none_or(|bytes| bytes == item.key) {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }
}
