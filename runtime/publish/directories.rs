//! Directories on the way to a file.

use super::publisher::Publisher;
use crate::error::Result;
use crate::os::file;
use crate::path::{PathBuf, directory};

impl Publisher {
    /// Makes the directories on the way to the file.
    pub(super) fn make_directories(&mut self, mode: u32) -> Result {
        make_directories(self.real.as_bytes(), mode, &mut self.scratch)
    }

    /// Makes the directories on the way to the file `name` where they are missing. Whether they are there.
    pub fn has_directory(&mut self, name: &[u8], mode: u32) -> bool {
        let path = directory(name);
        if path.is_empty() {
            return true;
        }
        let there = self.scratch.set(path).and_then(|()| file::status(self.scratch.as_path()));
        there.is_ok_and(|status| status.directory) || make_directories(path, mode, &mut self.scratch).is_ok()
    }
}

/// Makes all directories in `path`, which ends at its last `/`. `scratch` is overwritten.
pub fn make_directories(path: &[u8], mode: u32, scratch: &mut PathBuf) -> Result {
    let mut result = Ok(());
    for (at, byte) in path.iter().enumerate() {
        if *byte == b'/' && at > 0 {
            scratch.set(path.get(..at).unwrap_or(&[]))?;
            // An inner one may be there and not be ours to make: only the last answer counts.
            result = file::make_directory(scratch.as_path(), mode);
        }
    }
    result
}
