//! Resolves the name of a profile file, and opens its directory, in which all else happens.
//!
//! Where the name is a symbolic link, the kernel follows it, because it knows which links of strangers must not be followed
//! (`fs.protected_symlinks`, mount option `nosymfollow`): the file is opened, and then the system tells its real name by the descriptor.

use core::ffi::c_int;

use super::fingerprint::NOTHING;
use super::hash::{SEED, hash_of, mix};
use super::publisher::{Publisher, Resolution};
use crate::error::{Error, Result};
use crate::os::file::{self, Fd, Status};
use crate::path::{decimal, directory};

/// What a name leads to.
#[derive(Debug)]
pub(super) enum Found {
    /// Nothing: the name is free.
    Nothing,
    /// A regular file.
    File(Fd),
    /// A directory.
    Directory,
    /// A special file, which is written to without replacing it: a device, a pipe, a terminal, or a file that is open in another process.
    Special,
    /// A regular file that the program has open under this descriptor; it is written to without replacing it.
    Open(c_int),
}

/// How many symbolic links the kernel follows.
const LINKS: u32 = 40;

impl Publisher {
    /// Resolves `name` and opens its directory, which stays open until [`Publisher::close_directory`].
    pub(super) fn find(&mut self, name: &[u8]) -> Result<Found> {
        self.resolution = Resolution::Direct;
        self.status = NOTHING;
        self.real.set(name)?;
        match self.open_directory() {
            Err(Error::ENOENT) => return Ok(Found::Nothing),
            other => other?,
        }
        if name.ends_with(b"/") {
            return Ok(Found::Directory);
        }
        match file::status_of_name(self.at(&self.real)) {
            Ok(status) if status.regular => match file::open_or_create_no_link(self.at(&self.real)) {
                // The name is a link or a directory by now.
                Err(Error::ELOOP | Error::EISDIR) => Err(Error::OVERTAKEN),
                other => other.map(Found::File),
            },
            Ok(status) if status.link => self.find_linked(name),
            Ok(status) => Ok(if status.directory { Found::Directory } else { Found::Special }),
            Err(Error::ENOENT) => Ok(Found::Nothing),
            Err(error) => Err(error),
        }
    }

    /// Resolves a name that is a symbolic link.
    #[cold]
    #[inline(never)]
    fn find_linked(&mut self, name: &[u8]) -> Result<Found> {
        match file::status(self.real.as_path()) {
            Ok(status) if status.directory => return Ok(Found::Directory),
            Ok(status) if !status.regular => return Ok(Found::Special),
            Ok(status) => {
                if let Some(special) = self.follow_to_descriptor(&status)? {
                    return Ok(special);
                }
            }
            // A link to a missing file: an empty file is created, because only the descriptor of a file tells its real name.
            Err(Error::ENOENT) => {}
            Err(error) => return Err(error),
        }
        let file = file::open_or_create(self.real.as_path())?;
        let status = file.status()?;
        if !status.regular {
            // The link leads to another file since its status was read.
            return Err(Error::OVERTAKEN);
        }
        self.resolution = match self.learn_real_name(&file, &status) {
            Ok(()) => Resolution::Linked,
            Err(error @ (Error::EMFILE | Error::ENFILE | Error::ENOMEM)) => return Err(error),
            Err(_) => Resolution::Unknown,
        };
        // The real name may be that of a file that was replaced meanwhile. Then the link leads to another file by now.
        self.scratch.set(name)?;
        if !file::status(self.scratch.as_path()).is_ok_and(|now| now.is_same_file(&status)) {
            return Err(Error::OVERTAKEN);
        }
        if self.resolution == Resolution::Unknown {
            self.directory = None;
            self.real.set(name)?;
        }
        Ok(Found::File(file))
    }

    /// Gets the real name of a file from the system, and opens its directory. Fails without `/proc`, or if the name does not lead to the file.
    fn learn_real_name(&mut self, file: &Fd, status: &Status) -> Result {
        let len = file.name(&mut self.bytes)?;
        self.real.set(self.bytes.get(..len).unwrap_or(&[]))?;
        self.open_directory()?;
        match file::status_of_name(self.at(&self.real)) {
            Ok(now) if now.is_same_file(status) => Ok(()),
            _ => Err(Error::NO_REAL_NAME),
        }
    }

    /// Returns the open file, if the real name is a descriptor of this process or another one (`/dev/stdout`, `/proc/self/fd/3`, a link to
    /// these): then it is an entry of `/proc`, or links lead to one. Such a file is not replaced, because the process that has it open would
    /// not see the new one. (The names are only read; nothing is opened by them.)
    fn follow_to_descriptor(&mut self, status: &Status) -> Result<Option<Found>> {
        let Ok(proc) = file::status(c"/proc/self/fd".into()) else { return Ok(None) };
        self.scratch.set(self.real.as_bytes())?;
        for _ in 0..LINKS {
            match file::status_of_name(self.scratch.as_path().into()) {
                Ok(link) if link.link && link.device == proc.device => {
                    // Use the descriptor itself, if it is one of ours: later output of the program then follows the profile.
                    let ours = descriptor(self.scratch.as_bytes()).filter(|fd| {
                        let file = file::borrowed(*fd);
                        file.is_writable() && file.status().is_ok_and(|now| now.is_same_file(status))
                    });
                    return Ok(Some(ours.map_or(Found::Special, Found::Open)));
                }
                Ok(link) if link.link => {}
                _ => break,
            }
            let Ok(len) = file::read_link(self.scratch.as_path(), &mut self.bytes) else { break };
            let target = self.bytes.get(..len).unwrap_or(&[]);
            let base = if target.first() == Some(&b'/') { 0 } else { directory(self.scratch.as_bytes()).len() };
            self.scratch.truncate(base);
            self.scratch.push(target)?;
        }
        Ok(None)
    }

    /// Opens the directory of the real name.
    pub(super) fn open_directory(&mut self) -> Result {
        self.directory = None;
        self.scratch.set(directory_or_dot(self.real.as_bytes()))?;
        self.directory = Some(file::open_directory(self.scratch.as_path())?);
        Ok(())
    }

    /// Returns a hash of the real name and its directory, which is open: the key of this image's share.
    pub(super) fn name_hash(&self) -> u64 {
        hash_in(self.real.as_bytes(), self.directory.as_ref().and_then(|directory| directory.status().ok()))
    }

    /// Returns a hash of the given `name` and of its directory: the key of a contribution, which is needed before the file is found. Not 0, which
    /// stands for no skipped pool file. (A program may change its directory, or its root, between two writes, and directories may be moved.)
    pub fn hash_of_name(&mut self, name: &[u8]) -> u64 {
        let status = self.scratch.set(directory_or_dot(name)).and_then(|()| file::status(self.scratch.as_path()));
        hash_in(name, status.ok()).max(1)
    }

    /// Closes the directory that `find` has opened.
    pub fn close_directory(&mut self) {
        self.directory = None;
    }

    /// Forgets, in a forked child, the open directory. It is not closed: the program may have closed it and opened another file.
    pub fn abandon(&mut self) {
        core::mem::forget(self.directory.take());
        self.swept = None;
        self.begin();
    }

    /// Returns whether the name still means the file whose status was recorded last.
    pub(super) fn is_still(&self) -> bool {
        let now = match self.resolution {
            Resolution::Unknown => file::status(self.real.as_path()),
            _ => file::status_of_name(self.at(&self.real)),
        };
        now.is_ok_and(|now| now.is_same_file(&self.status))
    }

    /// Checks that a file may be quarantined in this directory: the directory is ours or the superuser's, or its owner shares it with its group;
    /// and not everybody may rename every file in it. The error tells the reason.
    pub(super) fn may_quarantine(&self) -> Result {
        if self.resolution != Resolution::Direct {
            return Err(Error::LINKED);
        }
        const STICKY: u32 = 0o1000;
        let status = self.directory.as_ref().ok_or(Error::STRANGERS)?.status()?;
        let us = crate::os::user_id();
        if !crate::os::users_are_known() {
            return Err(Error::STRANGERS);
        }
        let everybodys = status.mode & 0o002 != 0;
        let ours = status.user == us || status.user == 0;
        // The superuser may write anywhere, which says nothing about whose directory it is.
        let shared = us != 0 && status.mode & 0o020 != 0 && !everybodys;
        if (ours || shared) && (!everybodys || status.mode & STICKY != 0) { Ok(()) } else { Err(Error::STRANGERS) }
    }

    /// Checks that a quarantined file may replace `older`, which has its new name: that is a file or a link, of the owner of the quarantined
    /// file, or no stranger may write in the directory. (The superuser may rename over any file, and a stranger may have laid the file that is
    /// quarantined.)
    pub(super) fn may_replace_quarantined(&self, older: &Status) -> Result {
        let trusting = || {
            let strangers = if crate::os::user_id() == 0 { 0o022 } else { 0o002 };
            let directory = self.directory.as_ref().and_then(|directory| directory.status().ok());
            directory.is_some_and(|directory| directory.mode & strangers == 0)
        };
        let replaceable = (older.regular || older.link) && (older.user == self.status.user || trusting());
        if replaceable { Ok(()) } else { Err(Error::QUARANTINE_TAKEN) }
    }
}

/// Returns the directory in a name, `.` where it has none.
fn directory_or_dot(name: &[u8]) -> &[u8] {
    match directory(name) {
        b"" => b".",
        directory => directory,
    }
}

/// Returns a hash of the last component of a name and of its directory; of the whole name where the directory is not known.
fn hash_in(name: &[u8], directory_status: Option<Status>) -> u64 {
    let Some(of) = directory_status else { return hash_of(name) };
    hash_of(name.get(directory(name).len()..).unwrap_or(name)) ^ mix(mix(SEED, of.device), of.inode)
}

/// Returns the last component of a path, if that is a number.
fn descriptor(path: &[u8]) -> Option<c_int> {
    decimal(path.get(directory(path).len()..)?).and_then(|number| c_int::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors() {
        assert_eq!(descriptor(b"/proc/self/fd/12"), Some(12));
        assert_eq!(descriptor(b"0"), Some(0));
        for path in [b"/proc/self/exe".as_slice(), b"/proc/self/fd/", b"", b"/a/-1", b"99999999999"] {
            assert_eq!(descriptor(path), None);
        }
    }
}
