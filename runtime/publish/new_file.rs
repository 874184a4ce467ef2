//! The temporary file, which is written in the directory of the real name and then gets that name; and missing directories.

use super::fingerprint::NOTHING;
use super::hash::hash_of;
use super::publisher::Publisher;
use crate::error::{Error, Result};
use crate::os;
use crate::os::file::{self, Fd};
use crate::path::{PathBuf, directory, hex};

/// Attempts to find a free name.
pub(super) const NAMES: u64 = 1000;

/// The names of temporary files: this prefix and 16 hexadecimal digits.
const PREFIX: &[u8] = b".profrt-";

/// Returns the name at the start of `entry`, up to a NUL, if a temporary file is named so.
pub(super) fn temporary_name(entry: &[u8]) -> Option<&[u8]> {
    let (digits, rest) = entry.strip_prefix(PREFIX)?.split_at_checked(16)?;
    let hexadecimal = digits.iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    if hexadecimal && rest.first() == Some(&0) { entry.get(..PREFIX.len().wrapping_add(16)) } else { None }
}

/// Sets `path` to the file `name` in the directory of `real`.
pub(super) fn set_sibling(path: &mut PathBuf, real: &[u8], name: &[u8]) -> Result {
    path.set(directory(real))?;
    path.push(name)
}

impl Publisher {
    /// Uses temporary files with a name from now on. Returns the error after which the write starts over.
    pub(super) fn retry_with_named_file(&mut self) -> Error {
        self.uses_named_files = true;
        Error::CREATE_AGAIN
    }

    /// Removes leftovers of other writers, and creates an empty file in the directory of the real name, open for reading and writing.
    /// The file has no name where the file system has such files, else a temporary one (`uses_named_files`). A caller that does not publish the
    /// file calls [`Publisher::discard`].
    pub(super) fn new_file(&mut self) -> Result<Fd> {
        let mut refused = false;
        if self.must_remove_leftovers() {
            self.remove_leftovers();
        }
        if !self.uses_named_files
            && let Some(directory) = &self.directory
        {
            match file::create_unnamed(directory) {
                // File systems and kernels without such files fail so.
                Err(Error::EOPNOTSUPP | Error::EISDIR | Error::EINVAL | Error::EPERM) => {}
                // Either a sandbox refuses only files without a name, or the directory refuses all files.
                Err(Error::EACCES) => refused = true,
                other => return other,
            }
        }
        if self.status != NOTHING {
            // A temporary file that may not be renamed would stay.
            file::check_rename_allowed(self.at(&self.real))?;
        }
        let new = self.create_named();
        self.uses_named_files = !refused || new.is_ok();
        new
    }

    /// Returns whether this write looks for leftovers, and remembers the directory.
    fn must_remove_leftovers(&mut self) -> bool {
        let Some(swept) = &mut self.swept else { return true };
        let name = hash_of(directory(self.real.as_bytes()));
        self.status != NOTHING && core::mem::replace(swept, name) != name
    }

    /// Creates a file as [`Publisher::new_file`] does, and the directories on the way to it where they are missing.
    pub(super) fn new_file_somewhere(&mut self, mode: u32) -> Result<Fd> {
        if self.directory.is_some() {
            match self.new_file() {
                // The directory was removed meanwhile.
                Err(Error::ENOENT) => {}
                other => return other,
            }
        }
        make_directories(self.real.as_bytes(), mode, &mut self.scratch)?;
        self.open_directory()?;
        if self.real.as_bytes().ends_with(b"/") {
            return Err(Error::EISDIR);
        }
        self.new_file()
    }

    /// Creates the missing directories on the way to the file `name`. Returns whether the directory of the file exists.
    pub fn ensure_directory(&mut self, name: &[u8], mode: u32) -> bool {
        let path = directory(name);
        if path.is_empty() {
            return true;
        }
        let there = self.scratch.set(path).and_then(|()| file::status(self.scratch.as_path()));
        there.is_ok_and(|status| status.directory) || make_directories(path, mode, &mut self.scratch).is_ok()
    }

    /// Removes the name of a new file that does not become the profile.
    pub fn discard(&self, new: &Fd) {
        if self.uses_named_files {
            self.remove_temporary(new);
        }
    }

    /// Removes the temporary name of a new file. A file that cannot be removed is emptied, so that no reader takes it for a profile.
    pub(super) fn remove_temporary(&self, new: &Fd) {
        // Without that name, the file may have the real one by now.
        if !matches!(file::remove(self.at(&self.temporary)), Ok(()) | Err(Error::ENOENT)) && new.set_size(0).is_err() {
            // A sandbox that allows neither: readers refuse the file, and do not count it a second time.
            let _ = new.write_at(&[0; 8], 0);
        }
    }

    /// Creates a file with a temporary name. The file is locked as long as it has that name, so that no writer takes it for a leftover.
    fn create_named(&mut self) -> Result<Fd> {
        // A file that replaces another one must not be readable to anybody who cannot read the other one.
        let mode = if self.status == NOTHING { 0o666 } else { 0o600 | self.status.mode & 0o066 };
        let mut last = Error::EEXIST;
        file::close_inherited();
        for _ in 0..NAMES {
            self.choose_temporary_name()?;
            match file::create_new(self.at(&self.temporary), mode) {
                Err(Error::EEXIST) => last = Error::EEXIST,
                // Another writer has taken the file for a leftover before it was locked.
                Ok(file) if !file.lock_temporary() || file.status().is_ok_and(|status| status.links == 0) => {
                    last = Error::NO_FREE_NAME;
                }
                other => return other,
            }
        }
        Err(last)
    }

    /// Gives a file without a name a temporary one. The file is locked as long as it has that name, so that no writer takes it for a leftover.
    pub(super) fn link_temporary(&mut self, file: &Fd) -> Result {
        file::close_inherited();
        for _ in 0..NAMES {
            self.choose_temporary_name()?;
            file.lock_temporary();
            match file.link(self.at(&self.temporary)) {
                Err(Error::EEXIST) => {}
                other => return other,
            }
        }
        Err(Error::EEXIST)
    }

    /// Sets `temporary` to a random temporary name in the directory of the real one.
    fn choose_temporary_name(&mut self) -> Result {
        set_sibling(&mut self.temporary, self.real.as_bytes(), PREFIX)?;
        self.temporary.push(&hex(os::unpredictable()))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_given_here_are_temporary() {
        assert_eq!(temporary_name(b".profrt-0123456789abcdef\0\0"), Some(&b".profrt-0123456789abcdef"[..]));
        let others: [&[u8]; 7] = [
            b".profrt-overlay\0",
            b".profrt-0123456789abcdeg\0",
            b".profrt-0123456789ABCDEF\0",
            b".profrt-0123456789abcdef0\0",
            b".profrt-0123456789abcdef",
            b"profrt-0123456789abcdef\0",
            b".profrt-0123456789abcde\0",
        ];
        for name in others {
            assert_eq!(temporary_name(name), None);
        }
    }
}
