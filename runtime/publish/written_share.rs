//! Finds this image's share of a file that other images and processes write to as well. A share is one complete profile.
//!
//! A share is recognized by its header and a hash of at most the first 64 KiB of its counters and bitmaps
//! ([`Fingerprint::Hash`]). The header alone is not enough: it has the addresses of this process, but a forked child has the same.
//! Nor is the offset, which changes when a share before it gets longer. Of two shares with the same header, length and hash either
//! one will do. Where the counters cannot be read back, the whole file is recognized instead ([`Fingerprint::File`]).

use super::hash::{hash_of, hash_words};
use super::identity::identity;
use crate::error::{Error, Result};
use crate::os::Fd;
use crate::sink::file::LEAST_HOLE;

/// Memory for bytes that are read from a file.
pub type ReadBuffer = [u8; 4096];

/// A share of a file that this image has written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenShare {
    /// The hash of the file's name and directory: an image may write to several files in turn.
    pub name: u64,
    /// The process that wrote the share.
    pub process: u32,
    /// How often the counters were reset before.
    pub round: u32,
    /// The offset of the share in the file when it was written.
    pub offset: u64,
    /// The size of the share.
    pub len: u64,
    /// The bytes of the share that are hashed (offset in the share, bytes): counters and bitmaps, or the first of them.
    pub counts_range: (u64, u64),
    /// What the share is recognized by.
    pub fingerprint: Fingerprint,
}

/// A property that tells a share from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fingerprint {
    /// The hash of (the first of) its counters and bitmaps.
    Hash(u64),
    /// The identity of the whole file, for counters that cannot be read for this reason. The share is there as long as nobody changes the file.
    File(u64, Error),
}

impl Fingerprint {
    /// Returns the fingerprint of the share at `offset`, whose counters are `counts_range` (offset in the share, bytes).
    pub fn of(file: &Fd, offset: u64, counts_range: (u64, u64), scratch: &mut ReadBuffer) -> Fingerprint {
        match hash_of_counts(file, offset, counts_range, scratch) {
            Ok(hash) => Fingerprint::Hash(hash),
            Err(error) => Fingerprint::File(file.status().map_or(0, |status| identity(&status)), error),
        }
    }
}

/// The last shares that this image has written, each to another file. Empty, all bytes are zero, so that the file state, which contains it,
/// takes no space in the program's file.
#[derive(Debug)]
pub struct WrittenShares {
    /// From the newest to the oldest.
    shares: [WrittenShare; 4],
    /// The number of shares that are known.
    known: usize,
}

impl WrittenShares {
    /// Creates an empty list.
    pub const fn new() -> WrittenShares {
        const NONE: WrittenShare = WrittenShare {
            name: 0,
            process: 0,
            round: 0,
            offset: 0,
            len: 0,
            counts_range: (0, 0),
            fingerprint: Fingerprint::Hash(0),
        };
        WrittenShares { shares: [NONE; 4], known: 0 }
    }

    /// Returns whether no share was written.
    pub fn is_empty(&self) -> bool {
        self.known == 0
    }

    /// Returns the shares that are known.
    fn known(&self) -> &[WrittenShare] {
        self.shares.get(..self.known).unwrap_or(&[])
    }

    /// Returns the share that this process has written to the file in this round.
    pub fn find(&self, name: u64, process: u32, round: u32) -> Option<&WrittenShare> {
        self.known().iter().find(|share| (share.name, share.process, share.round) == (name, process, round))
    }

    /// Remembers a share, and forgets the previous share of the same file or else the oldest one.
    pub fn remember(&mut self, share: WrittenShare) {
        let known = self.known();
        let place =
            known.iter().position(|old| old.name == share.name).unwrap_or(known.len().min(self.shares.len() - 1));
        self.known = self.known.max(place.wrapping_add(1));
        if let Some(places) = self.shares.get_mut(..=place) {
            let mut next = share;
            for slot in places {
                core::mem::swap(slot, &mut next);
            }
        }
    }
}

/// Returns the hash of a range of a file. Blocks of zeros do not change the hash, and holes are not read: for that the system fills pages
/// with zeros, which takes longer than writing the same number of pages.
fn hash_of_file(file: &Fd, offset: u64, len: u64, scratch: &mut ReadBuffer) -> Result<u64> {
    let mut hash = hash_of(&[]);
    let end = offset.saturating_add(len);
    // Whether the current extent is a hole, and its end. (A hole that another program has made in a smaller share is read.)
    let (mut hole, mut extent_end) = (false, if len < LEAST_HOLE as u64 { end } else { offset });
    let mut at = offset;
    while at < end {
        let want = usize::try_from(end.wrapping_sub(at)).unwrap_or(usize::MAX).min(scratch.len());
        let mut have: usize = 0;
        let mut any = false;
        // Fill whole words, up to the last one, even when a read returns fewer bytes.
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
                // (The archive's members share one `fill`, which would need `memset` also in programs that have none.)
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

/// Returns whether the bytes are whole words of zeros.
fn is_zero(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        if u64::from_ne_bytes(*word) != 0 {
            return false;
        }
    }
    rest.is_empty()
}

/// Returns the hash of the counters and bitmaps (`counts_range`: offset in the share, bytes) of the share at `offset`.
fn hash_of_counts(file: &Fd, offset: u64, counts_range: (u64, u64), scratch: &mut ReadBuffer) -> Result<u64> {
    hash_of_file(file, offset.saturating_add(counts_range.0), counts_range.1, scratch)
}

/// Returns the offset of `share` in the file, if the share is still there. `header` is its first bytes.
pub fn locate(
    file: &Fd,
    size: u64,
    share: &WrittenShare,
    header: &[u8],
    scratch: &mut ReadBuffer,
) -> Result<Option<u64>> {
    if let Fingerprint::File(then, reason) = share.fingerprint {
        // An error: appending a second share would count everything twice.
        return if identity(&file.status()?) == then { Ok(Some(share.offset)) } else { Err(reason) };
    }
    if begins(file, share.offset, header, scratch)? && is_at(file, size, share, share.offset, scratch)? {
        return Ok(Some(share.offset));
    }
    let Some(first) = header.first() else { return Ok(None) };
    let mut at: u64 = 0;
    while at < size {
        let read = file.read_at(scratch, at)?;
        let window = scratch.get(..read).unwrap_or(&[]);
        // Look for the first byte in the window; the rest is read from the file.
        let found = window.iter().position(|byte| byte == first);
        let Some(found) = found else {
            if read == 0 {
                break;
            }
            at = at.wrapping_add(read as u64);
            continue;
        };
        at = at.wrapping_add(found as u64);
        if begins(file, at, header, scratch)? && is_at(file, size, share, at, scratch)? {
            return Ok(Some(at));
        }
        at = at.wrapping_add(1);
    }
    Ok(None)
}

/// Returns whether the file has the header at `offset`.
fn begins(file: &Fd, offset: u64, header: &[u8], scratch: &mut ReadBuffer) -> Result<bool> {
    let there = scratch.get_mut(..header.len()).unwrap_or_default();
    Ok(file.read_at(there, offset)? == header.len() && *there == *header)
}

/// Returns whether the file has the share at `offset`.
fn is_at(file: &Fd, size: u64, share: &WrittenShare, offset: u64, scratch: &mut ReadBuffer) -> Result<bool> {
    let end = offset.checked_add(share.len);
    Ok(end.is_some_and(|end| end <= size)
        && Fingerprint::Hash(hash_of_counts(file, offset, share.counts_range, scratch)?) == share.fingerprint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(name: u64, offset: u64) -> WrittenShare {
        WrittenShare {
            name,
            process: 7,
            round: 0,
            offset,
            len: 1,
            counts_range: (0, 0),
            fingerprint: Fingerprint::Hash(0),
        }
    }

    #[test]
    fn the_last_of_each_file_is_remembered() {
        let mut shares = WrittenShares::new();
        for name in 0..4 {
            shares.remember(share(name, name));
        }
        shares.remember(share(2, 22));
        assert_eq!(shares.find(2, 7, 0).map(|share| share.offset), Some(22));
        assert!(shares.find(2, 8, 0).is_none() && shares.find(2, 7, 1).is_none());
        shares.remember(share(9, 9));
        // The oldest is gone, the others are there.
        assert!(shares.find(0, 7, 0).is_none());
        assert!([9, 2, 3, 1].into_iter().all(|name| shares.find(name, 7, 0).is_some()));
    }
}
