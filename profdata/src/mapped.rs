//! Files mapped into memory.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

/// A file whose bytes are in memory while this lives, without a copy.
///
/// # Caution
///
/// The bytes are those of the file, also after another process has changed it: what a reader checked may be different a moment later. A
/// reader of this crate then returns wrong counts or an error. If another process makes the file shorter, the system ends this process
/// (SIGBUS). Map only files that nobody writes any more.
#[derive(Debug)]
pub struct MappedFile(Option<memmap2::Mmap>);

impl MappedFile {
    /// Maps a whole file. Errors: those of the system. An empty file has no mapping and no bytes.
    pub fn open(path: impl AsRef<Path>) -> io::Result<MappedFile> {
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(MappedFile(None));
        }
        // SAFETY: the mapping is read-only and private to this value. That the file does not change meanwhile is up to the caller, whom the
        // type's documentation tells what happens otherwise: readers treat all bytes as hostile, and never read a byte twice where a different
        // second value could lead outside of memory, since this crate has no other unsafe code.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(MappedFile(Some(map)))
    }
}

impl Deref for MappedFile {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_deref().unwrap_or(&[])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::read::{ReadOptions, read};

    #[test]
    fn a_mapped_file_is_read_like_its_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.proftext");
        std::fs::write(&path, ":ir\nfoo\n1\n1\n7\n").unwrap();
        let mut profile = Profile::new();
        read(&MappedFile::open(&path).unwrap(), &ReadOptions::default(), &mut profile).unwrap();
        assert_eq!(profile.record(0).unwrap().counters, [7]);
        std::fs::write(&path, "").unwrap();
        assert!(MappedFile::open(&path).unwrap().is_empty());
    }
}
