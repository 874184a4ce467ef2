//! The new file that is written beside the old one.

use super::Places;
use crate::error::{Error, Result};
use crate::os;
use crate::os::file::{self, Fd};
use crate::path::directory;

/// How many names are tried for a new file.
pub(super) const NAMES: u64 = 1000;

impl Places {
    /// Begins again, with named files.
    pub(super) fn without_unnamed(&mut self) -> Error {
        self.named = true;
        Error::OVERTAKEN
    }

    /// An empty file in the directory of the real one, open for writing and reading. If it has a name, that is in `scratch`, and
    /// must be removed if the file does not become the profile ([`Places::discard`]).
    pub(super) fn new_file(&mut self) -> Result<Fd> {
        if !self.named {
            self.scratch.set(match directory(self.real.as_bytes()) {
                b"" => b".",
                directory => directory,
            })?;
            match file::create_unnamed(self.scratch.as_path()) {
                // File systems and kernels without such files say one of these.
                Err(Error::EOPNOTSUPP | Error::EISDIR | Error::EINVAL | Error::EPERM) => self.named = true,
                other => return other,
            }
        }
        self.name_new_file(None)?.ok_or(Error::BUSY)
    }

    /// The same in a directory that need not be there yet.
    pub(super) fn new_file_somewhere(&mut self, mode: u32) -> Result<Fd> {
        match self.new_file() {
            Err(Error::ENOENT) => {
                self.make_directories(mode)?;
                self.new_file()
            }
            other => other,
        }
    }

    /// Removes the name of a new file that does not become the profile.
    pub fn discard(&self) {
        if self.named {
            file::remove(self.scratch.as_path());
        }
    }

    /// Puts into `scratch` the first bytes of the real name, `infix`, and the number of this process.
    pub(super) fn name_by_process(&mut self, len: usize, infix: &[u8]) -> Result {
        self.scratch.set(self.real.as_bytes().get(..len).unwrap_or(&[]))?;
        self.scratch.push(infix)?;
        self.scratch.push_number(u64::from(os::process_id()))
    }

    /// Puts a name that is free into `scratch`, and gives it to a file that has none, or to a new one.
    pub(super) fn name_new_file(&mut self, unnamed: Option<&Fd>) -> Result<Option<Fd>> {
        for attempt in 0..NAMES {
            self.name_by_process(directory(self.real.as_bytes()).len(), b".profrt-")?;
            self.scratch.push(b"-")?;
            self.scratch.push_hex((os::thread_token() as u64).wrapping_add(attempt))?;
            let path = self.scratch.as_path();
            let named = match unnamed {
                Some(file) => file.link(path).map(|()| None),
                None => file::create_new(path).map(Some),
            };
            match named {
                Err(Error::EEXIST) => {}
                other => return other,
            }
        }
        Err(Error::EEXIST)
    }
}
