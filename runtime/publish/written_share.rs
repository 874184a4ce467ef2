//! Finds this image's share of a file that other images and processes write to as well. A share is one complete profile.
//!
//! A share is recognized by a hash of its header, which has the addresses of this process, and of at most the first 64 KiB of its
//! counters and bitmaps, in which a forked child differs. (A stamp may be written between them later.) The offset of a share is not
//! enough: it changes when a share before it gets longer. Of two shares with the same length and hash either one will do.

use super::hash::{SEED, hash_bytes};
use super::identity::identity;
use crate::error::{Error, Result};
use crate::format::WordSize;
use crate::format::header::magic;
use crate::os::Fd;

/// Memory for bytes that are read from a file.
pub type ReadBuffer = [u8; 4096];

/// Most bytes of a part that are hashed.
const MOST_HASHED: u64 = 64 * 1024;
/// The first bytes of each share.
const MAGIC: [u8; 8] = magic(WordSize::NATIVE).to_ne_bytes();

/// A share of a file that this image has written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenShare {
    /// The offset of the share in the file when it was written.
    offset: u64,
    /// The size of the share.
    pub len: u64,
    /// The header, and the counters and bitmaps: offset in the share, bytes.
    parts: [(u64, u64); 2],
    /// The hash of the share, not 0; 0 where the file cannot be read back.
    hash: u64,
    /// The identity of the whole file, where the file cannot be read back. Such a share is there as long as nobody changes the file.
    file: u64,
}

impl WrittenShare {
    /// Returns the share at `offset`, which was just written.
    pub fn new(file: &Fd, offset: u64, len: u64, parts: [(u64, u64); 2], scratch: &mut ReadBuffer) -> WrittenShare {
        let mut share = WrittenShare { offset, len, parts, hash: 0, file: 0 };
        match share.hash_at(file, offset, scratch) {
            Ok(hash) => share.hash = hash,
            Err(_) => share.file = file.status().map_or(0, |status| identity(&status)),
        }
        share
    }

    /// Returns the hash of the share with these offsets that begins at `at`.
    fn hash_at(&self, file: &Fd, at: u64, scratch: &mut ReadBuffer) -> Result<u64> {
        let mut hash = SEED;
        for (from, len) in self.parts {
            hash = hash_of_range(file, at.saturating_add(from), len.min(MOST_HASHED), hash, scratch)?;
        }
        Ok(hash.max(1))
    }

    /// Returns the offset of the share in a file of `size` bytes, if the share is still there.
    pub fn locate(&self, file: &Fd, size: u64, scratch: &mut ReadBuffer) -> Result<Option<u64>> {
        if self.hash == 0 {
            // An error otherwise: a second share would count everything twice.
            let unchanged = identity(&file.status()?) == self.file;
            return if unchanged { Ok(Some(self.offset)) } else { file.read_at(scratch, 0).and(Err(Error::EIO)) };
        }
        let (mut at, mut searched) = (self.offset, 0);
        loop {
            let fits = at.checked_add(self.len).is_some_and(|end| end <= size);
            if fits && self.hash_at(file, at, scratch)? == self.hash {
                return Ok(Some(at));
            }
            let Some(header) = find_header(file, searched, scratch)? else { return Ok(None) };
            (at, searched) = (header, header.saturating_add(1));
        }
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

/// Returns the offset of the first header at `from` or behind it.
fn find_header(file: &Fd, mut from: u64, scratch: &mut ReadBuffer) -> Result<Option<u64>> {
    loop {
        let read = file.read_at(scratch, from)?;
        let bytes = scratch.get(..read).unwrap_or(&[]);
        if let Some(found) = bytes.windows(MAGIC.len()).position(|bytes| *bytes == MAGIC) {
            return Ok(Some(from.saturating_add(found as u64)));
        }
        let Some(step) = read.checked_sub(MAGIC.len() - 1).filter(|step| *step > 0) else { return Ok(None) };
        from = from.saturating_add(step as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::os::file::create_new;
    use crate::path::Path;
    use std::ffi::CString;
    use std::vec::Vec;

    /// Returns a share with this number of bytes before its counters, whose last one is `last`.
    fn share(before: usize, last: u8) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.resize(before + 9999, 3);
        bytes.push(last);
        bytes
    }

    #[test]
    fn a_share_that_has_moved_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let name = CString::new(directory.path().join("x").into_os_string().into_encoded_bytes()).unwrap();
        let file = create_new(Path::from(name.as_c_str()).into(), 0o600).unwrap();
        let mut scratch = [0; 4096];
        let write = |bytes: &[u8]| std::fs::write(directory.path().join("x"), bytes).unwrap();
        for before in [100, 5000] {
            let (ours, of_child) = (share(before, 1), share(before, 2));
            write(&ours);
            let (len, parts) = (ours.len() as u64, [(0, 88), (before as u64, 10_000)]);
            let written = WrittenShare::new(&file, 0, len, parts, &mut scratch);
            // Also a header that two reads of the search have a part of.
            for at in [0, 1, 4089, 4090, 4095, 4096, 8185] {
                let mut moved = std::vec![MAGIC[0]; at];
                moved.extend([&ours[..], &of_child].concat());
                write(&moved);
                let found = written.locate(&file, moved.len() as u64, &mut scratch);
                assert_eq!(found, Ok(Some(at as u64)), "at {at}");
            }
            for absent in [&of_child[..], &ours[..ours.len() - 1], b""] {
                write(absent);
                assert_eq!(written.locate(&file, absent.len() as u64, &mut scratch), Ok(None));
            }
        }
    }
}
