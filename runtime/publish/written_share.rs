//! Finds this image's share of a file that other images and processes write to as well. A share is one complete profile.
//!
//! A share is recognized by its place among the shares of the file: new ones are appended, a later write of a share replaces it in its place,
//! and none is removed. Its offset changes when a share before it gets longer. A hash of its header, which has the addresses of this
//! process, and of at most the first 64 KiB of its counters and bitmaps tells whether the file was created again meanwhile. (A
//! stamp may be written between them later.)

use super::fingerprint::fingerprint;
use super::hash::{SEED, hash_bytes};
use crate::error::{Error, Result};
use crate::format::WordSize;
use crate::format::header::{MAX_WORDS, magic};
use crate::native::empty_plan;
use crate::os::Fd;
use core::ops::Range;

/// Memory for bytes that are read from a file.
pub type ReadBuffer = [u8; 4096];

/// Most bytes of a part that are hashed.
const MOST_HASHED: u64 = 64 * 1024;
/// Stands for the place of a share in a file that cannot be read as shares.
const UNKNOWN: u32 = u32::MAX;
/// The first bytes of each share.
const MAGIC: [u8; 8] = magic(WordSize::NATIVE).to_ne_bytes();

/// A share of a file that this image has written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenShare {
    /// The number of shares before it; [`UNKNOWN`] where those cannot be read. (No `Option`, whose niche [`super::recent::Recent`] excludes.)
    place: u32,
    /// The offset of the share in the file when it was written.
    offset: u64,
    /// The size of the share.
    len: u64,
    /// The header, and the counters and bitmaps: offset in the share, bytes.
    ranges: [(u64, u64); 2],
    /// The hash of the share, not 0; 0 where the file cannot be read back.
    hash: u64,
    /// The fingerprint of the whole file, where the file cannot be read back. Such a share is there as long as nobody changes the file.
    file: u64,
}

impl WrittenShare {
    /// Returns the share at `offset`, which was just written.
    pub fn new(file: &Fd, offset: u64, len: u64, ranges: [(u64, u64); 2], scratch: &mut ReadBuffer) -> WrittenShare {
        let mut share = WrittenShare { place: UNKNOWN, offset, len, ranges, hash: 0, file: 0 };
        match share.hash_at(file, offset, scratch) {
            Ok(hash) => share.hash = hash,
            Err(_) => share.file = file.status().map_or(0, |status| fingerprint(&status)),
        }
        share.place = Shares { file, scratch, read: 0..0 }.place_of(offset).ok().flatten().unwrap_or(UNKNOWN);
        share
    }

    /// Returns the hash of the share with these offsets that begins at `at`.
    fn hash_at(&self, file: &Fd, at: u64, scratch: &mut ReadBuffer) -> Result<u64> {
        let mut hash = SEED;
        for (from, len) in self.ranges {
            hash = hash_of_range(file, at.saturating_add(from), len.min(MOST_HASHED), hash, scratch)?;
        }
        Ok(hash.max(1))
    }

    /// Returns the bytes of the share in a file of `size` bytes, if the share is still there.
    pub fn locate(&self, file: &Fd, size: u64, scratch: &mut ReadBuffer) -> Result<Option<Range<u64>>> {
        if self.hash == 0 {
            // An error otherwise: a second share would count everything twice.
            let unchanged = fingerprint(&file.status()?) == self.file;
            let share = self.offset..self.offset.saturating_add(self.len);
            return if unchanged { Ok(Some(share)) } else { file.read_at(scratch, 0).and(Err(Error::EIO)) };
        }
        let mut shares = Shares { file, scratch, read: 0..0 };
        let at = if self.place == UNKNOWN { Some(self.offset) } else { shares.offset_of(self.place)? };
        let Some(at) = at else { return Ok(None) };
        let end = at.saturating_add(self.len);
        let complete = end == size || end < size && shares.word(end)? == Some(MAGIC);
        Ok((complete && self.hash_at(file, at, scratch)? == self.hash).then_some(at..end))
    }
}

/// The shares of a file, one after the other.
struct Shares<'a> {
    file: &'a Fd,
    scratch: &'a mut ReadBuffer,
    /// The bytes of the file that `scratch` has.
    read: Range<u64>,
}

impl Shares<'_> {
    /// Returns the number of shares before `offset`; `None` where a share cannot be read.
    fn place_of(&mut self, offset: u64) -> Result<Option<u32>> {
        let (mut at, mut place) = (0, 0u32);
        while at < offset {
            let Some(end) = self.end(at)? else { return Ok(None) };
            (at, place) = (end, place.saturating_add(1));
        }
        Ok((at == offset).then_some(place))
    }

    /// Returns the offset of the share that has `place` others before it; `None` where a share cannot be read.
    fn offset_of(&mut self, place: u32) -> Result<Option<u64>> {
        let mut at = 0;
        for _ in 0..place {
            let Some(end) = self.end(at)? else { return Ok(None) };
            at = end;
        }
        Ok(Some(at))
    }

    /// Returns the end of the share at `at`; `None` where it cannot be read.
    fn end(&mut self, at: u64) -> Result<Option<u64>> {
        let mut header = [0; MAX_WORDS * 8];
        let len = self.file.read_at(&mut header, at)?;
        let mut plan = empty_plan();
        if plan.read(header.get(..len).unwrap_or_default()).is_err() {
            return Ok(None);
        }
        // Value records follow, as many as functions have sites. (The system takes no larger offset.)
        let mut end = at.checked_add(plan.fixed_size());
        while let Some(at) = end.filter(|at| *at <= i64::MAX as u64) {
            match self.word(at)? {
                None | Some(MAGIC) => break,
                Some([a, b, c, d, ..]) => {
                    let len = u64::from(u32::from_ne_bytes([a, b, c, d]));
                    let is_record = len >= 8 && len.is_multiple_of(8);
                    end = if is_record { at.checked_add(len) } else { None };
                }
            }
        }
        Ok(end.filter(|end| *end <= i64::MAX as u64))
    }

    /// Returns the 8 bytes at `at`; `None` behind the end of the file.
    fn word(&mut self, at: u64) -> Result<Option<[u8; 8]>> {
        if at < self.read.start || at.saturating_add(8) > self.read.end {
            let len = self.file.read_at(self.scratch, at)?;
            self.read = at..at.saturating_add(len as u64);
        }
        let bytes = usize::try_from(at.wrapping_sub(self.read.start)).ok().and_then(|from| self.scratch.get(from..));
        Ok(bytes.filter(|_| at.saturating_add(8) <= self.read.end).and_then(|bytes| bytes.first_chunk()).copied())
    }
}

/// Continues a hash with a range of a file.
fn hash_of_range(file: &Fd, at: u64, len: u64, seed: u64, scratch: &mut ReadBuffer) -> Result<u64> {
    let (mut hash, mut done) = (seed, 0);
    while done < len {
        let want = usize::try_from(len.wrapping_sub(done)).unwrap_or(usize::MAX).min(scratch.len());
        let bytes = scratch.get_mut(..want).unwrap_or_default();
        match file.read_all(bytes, at.saturating_add(done)) {
            // LLVM's runtime truncates files without their lock.
            Err(Error::TRUNCATED) => break,
            result => result?,
        }
        hash = hash_bytes(bytes, hash);
        done = done.wrapping_add(want as u64);
    }
    Ok(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::layout::{Padding, Shape};
    use crate::native::RAW_VERSION;
    use crate::os::file::create_new;
    use crate::path::Path;
    use std::ffi::CString;
    use std::vec::Vec;

    /// Returns a share with the counter `count` and value records of these sizes.
    fn share(count: u64, records: &[u32]) -> Vec<u8> {
        let mut plan = empty_plan();
        let shape = Shape {
            version: RAW_VERSION.number(),
            word: WordSize::NATIVE,
            binary_ids: 0,
            data: 0,
            counters: 800,
            bitmap: 0,
            uniform: 0,
            names: 0,
            vtables: 0,
            vnames: 0,
            data_address: 0,
            names_address: 0,
            counters_address: 0,
            bitmap_address: 0,
            uniform_address: 0,
            padding: Padding::Words,
        };
        plan.set_image(&shape).unwrap();
        let mut bytes: Vec<u8> = plan.header_words().flat_map(u64::to_ne_bytes).collect();
        bytes.extend([0; 792]);
        bytes.extend(count.to_ne_bytes());
        bytes.resize(plan.fixed_size() as usize, 0);
        for len in records {
            bytes.extend(len.to_ne_bytes());
            bytes.resize(bytes.len() + *len as usize - 4, 0);
        }
        bytes
    }

    #[test]
    fn a_share_is_found_by_its_place() {
        let directory = tempfile::tempdir().unwrap();
        let name = CString::new(directory.path().join("x").into_os_string().into_encoded_bytes()).unwrap();
        let file = create_new(Path::from(name.as_c_str()).into(), 0o600).unwrap();
        let mut scratch = [0; 4096];
        let write = |bytes: &[u8]| std::fs::write(directory.path().join("x"), bytes).unwrap();
        let header = empty_plan().version().header_words() as u64 * 8;
        let ranges = [(0, header), (header, 800)];
        // A child has written the same counts before us, and the parent other ones.
        for before in [&[][..], &[share(2, &[])], &[share(2, &[16, 4096, 8]), share(1, &[24])]] {
            let before = before.concat();
            let ours = share(1, &[24]);
            write(&[&before[..], &ours].concat());
            let written = WrittenShare::new(&file, before.len() as u64, ours.len() as u64, ranges, &mut scratch);
            let mut locate = |bytes: &[u8]| {
                write(bytes);
                written.locate(&file, bytes.len() as u64, &mut scratch).unwrap()
            };
            let found = |from: usize| Some(from as u64..(from + ours.len()) as u64);
            assert_eq!(locate(&[&before[..], &ours].concat()), found(before.len()));
            assert_eq!(locate(&[&before[..], &ours, &share(1, &[])].concat()), found(before.len()));
            // A share before it is longer now.
            if !before.is_empty() {
                let longer =
                    [&share(2, &[8, 80_000, 400])[..], before.get(share(2, &[]).len()..).unwrap_or_default()].concat();
                let longer = if before.len() == share(2, &[]).len() {
                    longer
                } else {
                    [share(2, &[8, 80_000, 400]), share(1, &[24])].concat()
                };
                assert_eq!(locate(&[&longer[..], &ours].concat()), found(longer.len()));
            }
            // Another share has its place, or a part of it is gone.
            assert_eq!(locate(&[&before[..], &share(3, &[24])].concat()), None);
            assert_eq!(locate(&[&before[..], &share(1, &[32])].concat()), None);
            assert_eq!(locate(&before), None);
            // The header of a share before it says that it is as large as no file can be.
            let mut huge = [&before[..], &ours].concat();
            if let (false, Some(word)) = (before.is_empty(), huge.get_mut(32..40)) {
                word.copy_from_slice(&(u64::MAX / 16).to_ne_bytes());
                assert_eq!(locate(&huge), None);
            }
        }
    }
}
