//! A file that is one image's alone for as long as it is mapped: who has it locked owns it and its name.
//!
//! As for all profiles, a new file is written beside and gets the name when it is whole; it is locked before that, so that
//! nobody finds it under its name and free.

use super::{Places, is_stream};
use crate::error::{Error, Result};
use crate::os::file::{self, Fd, Status};
use crate::path::{PathBuf, directory};

/// What stands under a name.
#[derive(Debug)]
pub enum Claim {
    /// Nothing.
    Free,
    /// A file that nobody else uses; it is locked now.
    Owned(Fd, Status),
    /// A file that another image or process uses.
    Taken,
}

/// How often we look again when others keep replacing the file.
const ATTEMPTS: u32 = 1000;

impl Places {
    /// Claims the file `name`.
    pub fn claim(&mut self, name: &[u8]) -> Result<Claim> {
        self.real.set(name)?;
        for _ in 0..ATTEMPTS {
            if is_stream(self.real.as_bytes()) {
                return Err(Error::ENODEV);
            }
            self.follow_links()?;
            let status = match file::status(self.real.as_path()) {
                Err(Error::ENOENT) => return Ok(Claim::Free),
                other => other?,
            };
            if !status.regular {
                return Err(if status.directory { Error::EISDIR } else { Error::ENODEV });
            }
            let file = match file::open_existing(self.real.as_path()) {
                Err(Error::ENOENT) => continue,
                other => other?,
            };
            if !file.hold()? {
                return Ok(Claim::Taken);
            }
            let status = file.status()?;
            if self.is_still(&status) {
                return Ok(Claim::Owned(file, status));
            }
        }
        Err(Error::BUSY)
    }

    /// Opens the file `name` if it still is the one that this image has claimed.
    pub fn reopen(&mut self, name: &[u8], device: u64, inode: u64) -> Option<(Fd, Status)> {
        self.real.set(name).ok()?;
        let file = file::open_existing(self.real.as_path()).ok()?;
        let status = file.status().ok()?;
        ((status.device, status.inode) == (device, inode)).then_some((file, status))
    }

    /// Makes a new file, has it filled, and gives it the name that was claimed or opened last: in the place of `old`, or if
    /// it is free. `None`: it is not any more. What fails leaves no file behind.
    pub fn install(
        &mut self,
        old: Option<&Status>,
        directory_mode: u32,
        fill: &mut dyn FnMut(&Fd) -> Result,
    ) -> Result<Option<Fd>> {
        loop {
            let new = match self.new_file() {
                Err(Error::ENOENT) => {
                    self.make_directories(directory_mode)?;
                    self.new_file()?
                }
                other => other?,
            };
            let filled = new.fd.hold().and_then(|_| fill(&new.fd));
            if filled.is_err() && new.named {
                file::remove(self.scratch.as_path());
            }
            filled?;
            if let (Some(old), Ok(own)) = (old, new.fd.status()) {
                new.fd.take_owner(old, &own);
            }
            let named = match old {
                None if new.named => self.rename_if_free(),
                None => new.fd.link(self.real.as_path()),
                Some(_) => self.name_over(new.named, &new.fd),
            };
            match named {
                Ok(()) => return Ok(Some(new.fd)),
                Err(Error::EEXIST) => return Ok(None),
                Err(error) if new.named => return Err(error),
                // Without /proc a file without a name cannot get one.
                Err(_) => self.only_named = true,
            }
        }
    }

    /// Gives the new file the name, whatever has it.
    fn name_over(&mut self, named: bool, new: &Fd) -> Result {
        if !named {
            self.name_new_file(|path| new.link(path))?;
        }
        let renamed = file::rename(self.scratch.as_path(), self.real.as_path());
        if renamed.is_err() {
            file::remove(self.scratch.as_path());
        }
        renamed
    }

    /// Gives the file that was claimed last another name, so that it is in nobody's way: that name.
    pub fn move_claimed_aside(&mut self) -> Result<&[u8]> {
        self.rename_aside(false).map(|()| self.scratch.as_bytes())
    }

    /// Puts the working directory before a relative name, so that it means the same file when the program changes that. Left
    /// as it is where the system does not tell.
    pub fn make_absolute(&mut self, name: &mut PathBuf) -> Result {
        if name.as_bytes().first() == Some(&b'/') {
            return Ok(());
        }
        let Ok(len) = file::read_link(c"/proc/self/cwd".into(), &mut self.bytes) else { return Ok(()) };
        let here = self.bytes.get(..len).unwrap_or(&[]);
        // `(unreachable)/…`: outside of our root.
        if directory(here).first() != Some(&b'/') {
            return Ok(());
        }
        if here != b"/" {
            name.insert(0, b"/")?;
        }
        name.insert(0, here)
    }
}
