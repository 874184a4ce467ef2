//! A file that is one image's alone for as long as it is mapped: who has it locked owns it and its name.
//!
//! As for all profiles, a new file is written beside and gets the name when it is whole; it is locked before that, so that
//! nobody finds it under its name and free.

use super::find::Found;
use super::publisher::{Publisher, Resolution};
use crate::error::{Error, Result};
use crate::os;
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
    /// Something that we may not use for this reason. Another name in the same directory may do.
    Refused(Error),
}

/// How often we look again when others keep replacing the file.
const ATTEMPTS: u32 = 1000;

/// Whether an error that comes with one name need not come with another one in the same directory.
pub fn is_of_this_name(error: Error) -> bool {
    const REASONS: [Error; 10] = [
        Error::EACCES,
        Error::EPERM,
        Error::EROFS,
        Error::EBUSY,
        Error::ETXTBSY,
        Error::EISDIR,
        Error::ELOOP,
        Error::ENXIO,
        Error::ENODEV,
        Error::NO_REAL_NAME,
    ];
    REASONS.contains(&error)
}

impl Publisher {
    /// Claims the file `name`. [`Publisher::leave`] has to follow, when all is done with it.
    pub fn claim(&mut self, name: &[u8]) -> Result<Claim> {
        for _ in 0..ATTEMPTS {
            match self.try_claim(name) {
                Err(Error::OVERTAKEN) => {}
                // The same, as a network file system says it.
                Err(Error::ESTALE) => os::pause(),
                // Another process has a lease on it.
                Err(Error::EAGAIN) => return Ok(Claim::Taken),
                Err(error) if is_of_this_name(error) && self.is_there() => return Ok(Claim::Refused(error)),
                other => return other,
            }
        }
        Err(Error::BUSY)
    }

    /// Whether the name that was looked for exists, so that its directory can be searched.
    fn is_there(&self) -> bool {
        file::status_of_name(self.at(&self.real)).is_ok()
    }

    fn try_claim(&mut self, name: &[u8]) -> Result<Claim> {
        let file = match self.find(name)? {
            Found::File(file) => file,
            Found::Nothing => return Ok(Claim::Free),
            Found::Directory => return Err(Error::EISDIR),
            Found::Stream | Found::Open(_) => return Err(Error::ENODEV),
        };
        if self.resolution == Resolution::Unknown {
            return Err(Error::NO_REAL_NAME);
        }
        if !file.hold()? {
            return Ok(Claim::Taken);
        }
        self.look_at(&file)?;
        if self.is_still() { Ok(Claim::Owned(file)) } else { Err(Error::OVERTAKEN) }
    }

    /// Opens the file `name` if it still is the one that this image has claimed: of this device and inode. [`Publisher::leave`] has to
    /// follow.
    pub fn reopen(&mut self, name: &[u8], identity: [u64; 2]) -> Option<Fd> {
        let Ok(Found::File(file)) = self.find(name) else { return None };
        self.look_at(&file).ok()?;
        ([self.status.device, self.status.inode] == identity).then_some(file)
    }

    /// Removes the file that was opened last.
    pub fn remove(&self) {
        let _ = file::remove(self.at(&self.real));
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
                self.discard(&new);
                Err(error)
            }
        }
    }

    /// Gives the new file the name that was claimed or opened last: in the place of the file there (`over`), or if it is free,
    /// else `EEXIST`. [`Error::OVERTAKEN`]: it has to be made again. What fails leaves no file behind.
    pub fn install(&mut self, new: &Fd, over: bool) -> Result {
        let named = match over {
            true => self.rename_over(new, true),
            false if self.named => self.rename_if_free(new),
            false => new.link(self.at(&self.real)),
        };
        match named {
            // Without /proc a file without a name cannot get one.
            Err(error) if error != Error::EEXIST && !self.named => Err(self.without_unnamed()),
            other => other,
        }
    }

    /// Gives the file that was claimed last another name, so that it is in nobody's way: that name.
    pub fn move_claimed_aside(&mut self) -> Result<&[u8]> {
        self.rename_aside().map(|()| self.scratch.as_bytes())
    }

    /// Removes the file that was claimed last and is still locked. One that a link leads to stays.
    pub fn remove_claimed(&self) -> Result {
        if self.resolution == Resolution::Direct { file::remove(self.at(&self.real)) } else { Ok(()) }
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
