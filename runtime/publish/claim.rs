//! A file that is one image's alone for as long as it is mapped: who has it locked owns it and its name.
//!
//! As for all profiles, a new file is written beside and gets the name when it is whole; it is locked before that, so that
//! nobody finds it under its name and free.

use super::{Places, is_stream};
use crate::error::{Error, Result};
use crate::os::file::{self, Fd};
use crate::path::{PathBuf, directory};

/// What stands under a name.
#[derive(Debug)]
pub enum Claim {
    /// Nothing.
    Free,
    /// A file that nobody else uses; it is locked now.
    Owned(Fd),
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
            match file::status(self.real.as_path()) {
                Ok(status) if status.regular => {}
                Ok(status) => return Err(if status.directory { Error::EISDIR } else { Error::ENODEV }),
                Err(Error::ENOENT) => return Ok(Claim::Free),
                Err(error) => return Err(error),
            }
            let file = match file::open_existing(self.real.as_path()) {
                Ok(file) => file,
                Err(Error::ENOENT) => continue,
                Err(error) => return Err(error),
            };
            if !file.hold()? {
                return Ok(Claim::Taken);
            }
            self.look_at(&file)?;
            if self.is_still() {
                return Ok(Claim::Owned(file));
            }
        }
        Err(Error::BUSY)
    }

    /// Opens the file `name` if it still is the one that this image has claimed: of this device and inode.
    pub fn reopen(&mut self, name: &[u8], identity: [u64; 2]) -> Option<Fd> {
        self.real.set(name).ok()?;
        let file = file::open_existing(self.real.as_path()).ok()?;
        self.look_at(&file).ok()?;
        ([self.status.device, self.status.inode] == identity).then_some(file)
    }

    /// Bytes of the file that was claimed or opened last.
    #[inline]
    pub fn size(&self) -> u64 {
        self.status.size
    }

    /// Makes a new file, which is locked, beside the name that was claimed or opened last. It has to be filled, and then
    /// installed or discarded.
    pub fn begin(&mut self, directory_mode: u32) -> Result<Fd> {
        let new = self.new_file_somewhere(directory_mode)?;
        match new.hold() {
            Ok(_) => Ok(new),
            Err(error) => {
                self.discard();
                Err(error)
            }
        }
    }

    /// Gives the new file the name that was claimed or opened last: in the place of the file there (`over`), or if it is free,
    /// else `EEXIST`. [`Error::OVERTAKEN`]: it has to be made again. What fails leaves no file behind.
    pub fn install(&mut self, new: &Fd, over: bool) -> Result {
        let named = match over {
            true => self.rename_over(new, true),
            false if self.named => self.rename_if_free(),
            false => new.link(self.real.as_path()),
        };
        match named {
            // Without /proc a file without a name cannot get one.
            Err(error) if error != Error::EEXIST && !self.named => Err(self.without_unnamed()),
            other => other,
        }
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
