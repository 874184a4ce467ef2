//! Files mapped into memory.

#![allow(unsafe_code)]

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

/// A file whose bytes are in memory while this lives, without a copy.
#[derive(Debug)]
pub struct MappedInput(Option<memmap2::Mmap>);

impl MappedInput {
    /// Maps a whole file. Errors: those of the system. An empty file has no mapping and no bytes.
    ///
    /// # Safety
    ///
    /// - Nobody may change the file while this value lives: Rust relies on bytes that do not change.
    /// - Nobody may make it shorter: the system would end this process (SIGBUS).
    pub unsafe fn open(path: impl AsRef<Path>) -> io::Result<MappedInput> {
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(MappedInput(None));
        }
        // SAFETY: the file does not change while the mapping lives, by this function's contract.
        let map = unsafe { memmap2::Mmap::map(&file)? };
        Ok(MappedInput(Some(map)))
    }
}

impl Deref for MappedInput {
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
        // SAFETY: nobody else knows the directory.
        let file = unsafe { MappedInput::open(&path).unwrap() };
        read(&file, &ReadOptions::default(), &mut profile).unwrap();
        drop(file);
        assert_eq!(profile.record(0).unwrap().counters, [7]);
        std::fs::write(&path, "").unwrap();
        // SAFETY: nobody else knows the directory.
        assert!(unsafe { MappedInput::open(&path).unwrap() }.is_empty());
    }
}
