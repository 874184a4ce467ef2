//! Claims a file for one image as long as it is mapped: the owner of the lock owns the file and its name.
//!
//! As for all profiles, a complete temporary file gets the name. It is locked before, so that no other process finds it without a lock.

use super::NewFileUse;
use super::find::Found;
use super::publisher::{Publisher, Resolution};
use crate::error::classes::needs_next_name;
use crate::error::{Error, Result};
use crate::os;
use crate::os::file::{self, Fd, Status};
use crate::path::{PathBuf, directory};

/// The result of claiming a name.
#[derive(Debug)]
pub enum Claim {
    /// Nothing has the name.
    Free,
    /// The name has a file that nobody else uses; it is locked now.
    Owned(Fd),
    /// The name has a file that another image or process uses.
    InUse,
    /// We may not use what has the name, for this reason. Another name in the same directory may work.
    Refused(Error),
}

/// Attempts while others keep replacing the file.
const ATTEMPTS: u32 = 1000;

impl Publisher {
    /// Claims the file `name`. The caller calls [`Publisher::close_directory`] after its last use of the file.
    pub fn claim(&mut self, name: &[u8]) -> Result<Claim> {
        for _ in 0..ATTEMPTS {
            match self.try_claim(name) {
                Err(Error::OVERTAKEN) => {}
                // The file was replaced on a network file system.
                Err(Error::ESTALE) => os::pause(),
                // Another process has a lease on the file.
                Err(Error::EAGAIN) => return Ok(Claim::InUse),
                // The name exists, so its directory can be searched for other names.
                Err(error) if needs_next_name(error) && file::status_of_name(self.at(&self.real)).is_ok() => {
                    return Ok(Claim::Refused(error));
                }
                other => return other,
            }
        }
        Err(Error::FILE_IN_USE)
    }

    /// Claims the file `name`, if nobody replaces it meanwhile.
    fn try_claim(&mut self, name: &[u8]) -> Result<Claim> {
        let file = match self.find(name)? {
            Found::File(file) => file,
            Found::Nothing => return Ok(Claim::Free),
            Found::Directory => return Err(Error::EISDIR),
            Found::Special | Found::Open(_) => return Err(Error::ENODEV),
        };
        if self.resolution == Resolution::Unknown {
            return Err(Error::NO_REAL_NAME);
        }
        if !file.hold()? {
            return Ok(Claim::InUse);
        }
        self.record_status(&file)?;
        if self.is_still() { Ok(Claim::Owned(file)) } else { Err(Error::OVERTAKEN) }
    }

    /// Opens the file `name`, which this image has claimed; `None` if that is not the file with this device and inode any more. The caller
    /// calls [`Publisher::close_directory`] after its last use of the file. Error: it is still the file, but may not be opened, for example
    /// because the process has changed its user.
    pub fn reopen(&mut self, name: &[u8], identity: [u64; 2]) -> Result<Option<Fd>> {
        let is_file = |now: &Status| [now.device, now.inode] == identity;
        match self.find(name) {
            Ok(Found::File(file)) => {
                self.record_status(&file)?;
                Ok(Some(file).filter(|_| is_file(&self.status)))
            }
            Err(error) if file::status_of_name(self.at(&self.real)).is_ok_and(|now| is_file(&now)) => Err(error),
            _ => Ok(None),
        }
    }

    /// Removes the file that was opened last.
    pub fn remove(&self) {
        let _ = file::remove(self.at(&self.real));
    }

    /// Removes the file with the name that was claimed last if it has this device and inode.
    pub fn remove_if(&self, identity: [u64; 2]) {
        if file::status_of_name(self.at(&self.real)).is_ok_and(|now| [now.device, now.inode] == identity) {
            self.remove();
        }
    }

    /// Returns the size of the file that was claimed or opened last.
    #[inline]
    pub fn size(&self) -> u64 {
        self.status.size
    }

    /// Creates a locked file in the directory of the name that was claimed or opened last. The caller then installs or discards it.
    pub fn create_locked(&mut self, directory_mode: u32) -> Result<Fd> {
        let new = self.new_file_somewhere(directory_mode)?;
        match new.hold() {
            Ok(_) => Ok(new),
            Err(error) => {
                self.discard(&new);
                Err(error)
            }
        }
    }

    /// Gives the new file the name that was claimed or opened last: the new file replaces the file there (`over`), or gets the name only if
    /// that is free (`EEXIST`). After [`Error::CREATE_AGAIN`] the caller has to create the file again. A failure leaves no new file.
    pub fn install(&mut self, new: &Fd, over: bool) -> Result {
        if !over {
            return self.give_name(new, NewFileUse::Mapped);
        }
        match self.rename_over(new, NewFileUse::Mapped) {
            // The reason may be that the file had no name.
            Err(_) if !self.uses_named_files => Err(self.retry_with_named_file()),
            other => other,
        }
    }

    /// Removes the file that was claimed last and is still locked, unless the name is a link.
    pub fn remove_claimed(&self) -> Result {
        if self.resolution == Resolution::Direct { file::remove(self.at(&self.real)) } else { Ok(()) }
    }

    /// Makes a relative name absolute, so that it means the same file when the program changes its working directory. The name stays
    /// relative where the system does not tell the working directory.
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
