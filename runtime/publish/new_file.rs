//! The new file that is written beside the old one.

use super::{Outcome, Places};
use crate::error::{Error, Result};
use crate::os;
use crate::os::file::{self, Fd};
use crate::path::{Path, directory};

/// How many names are tried for a new file.
pub(super) const NAMES: u64 = 1000;

/// A file that is not yet the profile.
pub(super) struct NewFile {
    /// Open for writing and reading.
    pub fd: Fd,
    /// It has a name (in `Places::scratch`), and must be removed if it does not become the profile.
    pub named: bool,
}

impl Places {
    /// Begins again, with named files.
    pub(super) fn without_unnamed(&mut self) -> Outcome {
        self.only_named = true;
        Outcome::Again
    }

    /// An empty file in the directory of the real one. If it has a name, that is in `scratch`.
    pub(super) fn new_file(&mut self) -> Result<NewFile> {
        if !self.only_named {
            self.scratch.set(match directory(self.real.as_bytes()) {
                b"" => b".",
                directory => directory,
            })?;
            match file::create_unnamed(self.scratch.as_path()) {
                Ok(fd) => return Ok(NewFile { fd, named: false }),
                // File systems and kernels without such files say one of these.
                Err(Error::EOPNOTSUPP | Error::EISDIR | Error::EINVAL | Error::EPERM) => self.only_named = true,
                Err(error) => return Err(error),
            }
        }
        let mut new = None;
        self.name_new_file(|path| {
            new = Some(file::create_new(path)?);
            Ok(())
        })?;
        new.map(|fd| NewFile { fd, named: true }).ok_or(Error::BUSY)
    }

    /// Puts a name into `scratch` that is free for `make`, which says `EEXIST` where it is not.
    pub(super) fn name_new_file(&mut self, mut make: impl FnMut(Path<'_>) -> Result) -> Result {
        for attempt in 0..NAMES {
            self.scratch.set(directory(self.real.as_bytes()))?;
            self.scratch.push(b".profrt-")?;
            self.scratch.push_number(u64::from(os::process_id()))?;
            self.scratch.push(b"-")?;
            self.scratch.push_hex((os::thread_token() as u64).wrapping_add(attempt))?;
            match make(self.scratch.as_path()) {
                Err(Error::EEXIST) => {}
                other => return other,
            }
        }
        Err(Error::EEXIST)
    }
}
