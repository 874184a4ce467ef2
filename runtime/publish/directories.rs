//! Creates the directories on the way to a file.

use super::publisher::Publisher;
use crate::error::Result;
use crate::os::file;
use crate::path::{PathBuf, directory};

impl Publisher {
    /// Creates the missing directories on the way to the file `name`. Returns whether the directory of the file exists.
    pub fn has_directory(&mut self, name: &[u8], mode: u32) -> bool {
        let path = directory(name);
        if path.is_empty() {
            return true;
        }
        let there = self.scratch.set(path).and_then(|()| file::status(self.scratch.as_path()));
        there.is_ok_and(|status| status.directory) || make_directories(path, mode, &mut self.scratch).is_ok()
    }
}

/// Creates all directories in `path`, up to its last `/`. Overwrites `scratch`.
pub fn make_directories(path: &[u8], mode: u32, scratch: &mut PathBuf) -> Result {
    let mut result = Ok(());
    for (at, byte) in path.iter().enumerate() {
        if *byte == b'/' && at > 0 {
            scratch.set(path.get(..at).unwrap_or(&[]))?;
            // An outer directory may exist where we may not create one: only the last result counts.
            result = file::make_directory(scratch.as_path(), mode);
        }
    }
    result
}
