//! Our own part of a file that others write to as well: found again by what is in it.
//!
//! A part is known by its header and a hash of its counters. The header alone does not do: it has the addresses of this
//! process, but a forked child has the same. Nor does the place, which changes when a part before it gets longer. Two parts
//! with the same header, length and counters are as good as one another.

use super::hash::{hash_of, hash_words};
use super::identity::identity;
use crate::error::{Error, Result};
use crate::os::Fd;
use crate::sink::file::LEAST_HOLE;

/// Room for what is read.
pub type ReadBuffer = [u8; 4096];

/// A part that this image has written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenPart {
    /// Hash of the file's name: an image may write to several files in turn.
    pub name: u64,
    /// The process that wrote it.
    pub process: u32,
    /// How often counters were reset before.
    pub round: u32,
    /// Where it began then.
    pub offset: u64,
    /// Its bytes.
    pub len: u64,
    /// Of its bytes, those that tell: counters and bitmaps, or the first of them.
    pub live: (u64, u64),
    /// Hash of those, or, where they cannot be read again, the identity of the file as it was then, and why.
    pub fingerprint: Fingerprint,
}

/// What tells a part from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fingerprint {
    /// The hash of its counters.
    Hash(u64),
    /// The identity of the whole file: it is there as long as nobody has changed the file. The counters cannot be read for this reason.
    File(u64, Error),
}

impl Fingerprint {
    /// What tells the part that begins at `offset`, whose counters are `live`: from, bytes.
    pub fn of(file: &Fd, offset: u64, live: (u64, u64), scratch: &mut ReadBuffer) -> Fingerprint {
        match hash_of_live(file, offset, live, scratch) {
            Ok(hash) => Fingerprint::Hash(hash),
            Err(error) => Fingerprint::File(file.status().map_or(0, |status| identity(&status)), error),
        }
    }
}

/// The parts this image has written last, to different files.
#[derive(Debug)]
pub struct WrittenParts([Option<WrittenPart>; 4]);

impl WrittenParts {
    /// None.
    pub const fn new() -> WrittenParts {
        WrittenParts([None; 4])
    }

    /// Nothing was written.
    pub fn is_empty(&self) -> bool {
        matches!(self.0, [None, ..])
    }

    /// What this process has written to the file in this round.
    pub fn find(&self, name: u64, process: u32, round: u32) -> Option<&WrittenPart> {
        let own = |part: &&WrittenPart| (part.name, part.process, part.round) == (name, process, round);
        self.0.iter().flatten().find(own)
    }

    /// Remembers a part, in the place of the last one in that file, or of the oldest.
    pub fn remember(&mut self, part: WrittenPart) {
        let place = self.0.iter().position(|old| old.is_some_and(|old| old.name == part.name)).unwrap_or(3);
        if let Some(places) = self.0.get_mut(..=place) {
            // From the newest to the oldest.
            let mut next = Some(part);
            for slot in places {
                core::mem::swap(slot, &mut next);
            }
        }
    }
}

/// Hash of a range of a file. Pieces of zeros count for nothing, and holes are not read: a system makes pages of them for that, which
/// takes longer than to write as many.
fn hash_of_file(file: &Fd, offset: u64, len: u64, scratch: &mut ReadBuffer) -> Result<u64> {
    let mut hash = hash_of(&[]);
    let end = offset.saturating_add(len);
    // Whether there is a hole, and up to where that holds. (One that somebody else has made in less is only read.)
    let (mut hole, mut extent_end) = (false, if len < LEAST_HOLE as u64 { end } else { offset });
    let mut at = offset;
    while at < end {
        let want = usize::try_from(end.wrapping_sub(at)).unwrap_or(usize::MAX).min(scratch.len());
        let mut have: usize = 0;
        let mut any = false;
        // Whole words but for the last, however little a read brings.
        while have < want {
            let place = at.wrapping_add(have as u64);
            if place >= extent_end {
                let (is_hole, len) = file.extent(place, end, hole && place == extent_end);
                (hole, extent_end) = (is_hole, place.saturating_add(len.max(1)));
            }
            let rest = scratch.get_mut(have..want).unwrap_or_default();
            let len = usize::try_from(extent_end.wrapping_sub(place)).unwrap_or(usize::MAX).min(rest.len());
            let room = rest.get_mut(..len).unwrap_or_default();
            let read = if hole {
                // (`fill` is one for all members, and would bring `memset` to those that must not need it.)
                for byte in room.iter_mut() {
                    *byte = 0;
                }
                len
            } else {
                file.read_at(room, place)?
            };
            any |= !hole && !is_zero(room.get(..read).unwrap_or(&[]));
            if read == 0 {
                break;
            }
            have = have.wrapping_add(read);
        }
        if any {
            hash = hash_words(scratch.get(..have).unwrap_or(&[]), hash ^ at.wrapping_sub(offset));
        }
        if have < want {
            break;
        }
        at = at.wrapping_add(have as u64);
    }
    Ok(hash)
}

/// Whether there are nothing but zeros, and those are whole words.
fn is_zero(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        if u64::from_ne_bytes(*word) != 0 {
            return false;
        }
    }
    rest.is_empty()
}

/// Hash of the counters (`live`: from, bytes) of a part that begins at `offset`.
fn hash_of_live(file: &Fd, offset: u64, live: (u64, u64), scratch: &mut ReadBuffer) -> Result<u64> {
    hash_of_file(file, offset.saturating_add(live.0), live.1, scratch)
}

/// Where `part` is in the file now, if it still is. `header` is how it begins.
pub fn locate(
    file: &Fd,
    size: u64,
    part: &WrittenPart,
    header: &[u8],
    scratch: &mut ReadBuffer,
) -> Result<Option<u64>> {
    if let Fingerprint::File(then, reason) = part.fingerprint {
        // An error, for all that is counted would be in the file twice.
        return if identity(&file.status()?) == then { Ok(Some(part.offset)) } else { Err(reason) };
    }
    if begins(file, part.offset, header, scratch)? && is_at(file, size, part, part.offset, scratch)? {
        return Ok(Some(part.offset));
    }
    let Some(first) = header.first() else { return Ok(None) };
    let mut at: u64 = 0;
    while at < size {
        let read = file.read_at(scratch, at)?;
        let window = scratch.get(..read).unwrap_or(&[]);
        // Candidates begin in the window; whether they go on is asked of the file.
        let found = window.iter().position(|byte| byte == first);
        let Some(found) = found else {
            if read == 0 {
                break;
            }
            at = at.wrapping_add(read as u64);
            continue;
        };
        at = at.wrapping_add(found as u64);
        if begins(file, at, header, scratch)? && is_at(file, size, part, at, scratch)? {
            return Ok(Some(at));
        }
        at = at.wrapping_add(1);
    }
    Ok(None)
}

/// Whether the header stands at `offset`.
fn begins(file: &Fd, offset: u64, header: &[u8], scratch: &mut ReadBuffer) -> Result<bool> {
    let there = scratch.get_mut(..header.len()).unwrap_or_default();
    Ok(file.read_at(there, offset)? == header.len() && *there == *header)
}

/// Whether the part stands at `offset`.
fn is_at(file: &Fd, size: u64, part: &WrittenPart, offset: u64, scratch: &mut ReadBuffer) -> Result<bool> {
    let end = offset.checked_add(part.len);
    Ok(end.is_some_and(|end| end <= size)
        && Fingerprint::Hash(hash_of_live(file, offset, part.live, scratch)?) == part.fingerprint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: u64, offset: u64) -> WrittenPart {
        WrittenPart { name, process: 7, round: 0, offset, len: 1, live: (0, 0), fingerprint: Fingerprint::Hash(0) }
    }

    #[test]
    fn the_last_of_each_file_is_remembered() {
        let mut parts = WrittenParts::new();
        for name in 0..4 {
            parts.remember(part(name, name));
        }
        parts.remember(part(2, 22));
        assert_eq!(parts.find(2, 7, 0).map(|part| part.offset), Some(22));
        assert!(parts.find(2, 8, 0).is_none() && parts.find(2, 7, 1).is_none());
        parts.remember(part(9, 9));
        // The oldest is gone, the others are there.
        assert!(parts.find(0, 7, 0).is_none());
        assert!([9, 2, 3, 1].into_iter().all(|name| parts.find(name, 7, 0).is_some()));
    }
}
