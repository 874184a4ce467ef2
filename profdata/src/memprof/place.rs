//! Moves a section to another place in a profile without reading its contents.

use super::read::SectionInput;
use super::version;
use crate::error::{Error, ErrorKind};
use crate::read::indexed::cursor::{Cursor, words};

/// The shape of one version: where its offsets start and how many it has, and which of them lead to hash tables.
struct Shape {
    start: usize,
    offsets: usize,
    tables: &'static [usize],
}

/// Returns the shape of a version of MemProf.
const fn shape(version: Option<u64>) -> Option<Shape> {
    match version {
        // Version 0, without a version word: record table, frame payload, frame table.
        None => Some(Shape { start: 0, offsets: 3, tables: &[0, 2] }),
        // Record table, frame payload, frame table, call-stack payload, call-stack table.
        Some(2) => Some(Shape { start: 8, offsets: 5, tables: &[0, 2, 4] }),
        // Call-stack payload, record payload, record table.
        Some(3) => Some(Shape { start: 8, offsets: 3, tables: &[2] }),
        // The same, and data accesses.
        Some(4) => Some(Shape { start: 8, offsets: 4, tables: &[2] }),
        Some(_) => None,
    }
}

/// The offset of version 4 that leads to data accesses; 0 without them.
const DATA_ACCESS: usize = 3;

/// Returns a section that starts `from` bytes into its profile as it has to be `to` bytes into another one.
///
/// Errors: [`ErrorKind::Unwritable`] for versions other than 0 and 2 to 4, [`ErrorKind::Malformed`] and
/// [`ErrorKind::TooLarge`] when offsets or tables are not in the section.
pub fn relocate(section: &[u8], from: u64, to: u64) -> Result<Vec<u8>, Error> {
    let version = version(section);
    let shape = shape(version).ok_or_else(|| {
        Error::new(ErrorKind::Unwritable, "MemProf.Version")
            .at(from)
            .expected("0 or 2 to 4")
            .found(version.unwrap_or(0))
    })?;
    if from % 8 != to % 8 {
        return Err(Error::new(ErrorKind::Malformed, "MemProfOffset").expected("a multiple of 8").found(from));
    }
    let mut places: Vec<usize> = (0..shape.offsets).map(|number| shape.start + 8 * number).collect();
    for number in shape.tables {
        places.extend(bucket_places(section, from, shape.start + 8 * number)?);
    }
    let mut moved = section.to_vec();
    for (number, place) in places.into_iter().enumerate() {
        let offset = word(section, place)?;
        if offset == 0 && version == Some(4) && number == DATA_ACCESS {
            continue;
        }
        inside(section, from, place)?;
        if let Some(moved) = moved.get_mut(place..).and_then(|rest| rest.first_chunk_mut()) {
            *moved = offset.wrapping_sub(from).wrapping_add(to).to_le_bytes();
        }
    }
    Ok(moved)
}

/// Returns the word at a place in the section.
fn word(section: &[u8], place: usize) -> Result<u64, Error> {
    let word = section.get(place..).and_then(|rest| rest.first_chunk());
    word.map(|word| u64::from_le_bytes(*word))
        .ok_or_else(|| Error::new(ErrorKind::Truncated, "MemProf").found(format_args!("{} bytes", section.len())))
}

/// Returns where in the section the offset at a place leads.
fn inside(section: &[u8], from: u64, place: usize) -> Result<usize, Error> {
    let mut cursor = Cursor::of_range(section, place, section.len());
    let input = SectionInput { bytes: section, start: from };
    input.offset(&mut cursor, "MemProf").map_err(|error| error.after(from))
}

/// Returns the places of the offsets in the bucket array of the hash table to which the offset at a place leads.
fn bucket_places(section: &[u8], from: u64, place: usize) -> Result<impl Iterator<Item = usize>, Error> {
    let start = inside(section, from, place)?;
    let buckets = section.get(start.saturating_add(16)..).unwrap_or(&[]);
    let (count, room) = (word(section, start)?, buckets.len() / 8);
    if count > room as u64 {
        let error = Error::new(ErrorKind::TooLarge, "MemProf.NumBuckets").at(from.saturating_add(start as u64));
        return Err(error.expected(format_args!("at most {room}")).found(count));
    }
    let used = words(buckets).take(count as usize).enumerate().filter(|(_, offset)| *offset != 0);
    Ok(used.map(move |(bucket, _)| start + 16 + 8 * bucket))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A section of version 3 at 544, with a table of two buckets, one of them empty.
    fn section() -> Vec<u8> {
        let words = [3u64, 544 + 32, 544 + 40, 544 + 48, 7, 8, 2, 1, 0, 544 + 40];
        words.into_iter().flat_map(u64::to_le_bytes).collect()
    }

    #[test]
    fn offsets_move_and_the_rest_stays() {
        let moved = relocate(&section(), 544, 1544).unwrap();
        let words: Vec<u64> = (0..10).map(|number| word(&moved, 8 * number).unwrap()).collect();
        assert_eq!(words, [3, 1576, 1584, 1592, 7, 8, 2, 1, 0, 1584]);
        assert_eq!(relocate(&moved, 1544, 544).unwrap(), section());
    }

    #[test]
    fn a_version_word_of_0_is_unknown() {
        assert!(relocate(&[0; 40], 0, 8).is_err());
        // Version 0 has none.
        let words = [24u64, 24, 24, 1, 0, 0].into_iter().flat_map(u64::to_le_bytes).collect::<Vec<_>>();
        assert_eq!(relocate(&words, 0, 8).unwrap()[..8], 32u64.to_le_bytes());
    }

    #[test]
    fn damage_is_an_error() {
        let good = section();
        for len in 0..good.len() {
            assert!(relocate(&good[..len], 544, 1544).is_err(), "{len} bytes");
        }
        for place in [8, 16, 24, 48, 72] {
            let mut bad = good.clone();
            bad[place + 6] = 1;
            assert!(relocate(&bad, 544, 1544).is_err(), "word at {place}");
        }
        assert!(relocate(&good, 544, 1545).is_err());
    }
}
