//! A file that is replaced as a whole, and stays when the machine stops: written under a second name, synced, renamed, and the directory synced.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags, fchmod, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

use crate::inputs::display;
use crate::report::links::{Place, directory, place};
use crate::report::output::unwritable;

/// The place of a file in a directory that stays open: what the path leads to later does not matter.
pub(super) struct Slot {
    directory: OwnedFd,
    name: OsString,
    /// Without links.
    file: PathBuf,
    /// For messages.
    path: PathBuf,
}

impl Slot {
    /// Returns the place of the file that `option` names, behind links. Errors: its directory cannot be opened, or it is no file.
    pub(super) fn new(option: &str, path: &Path) -> Result<Slot> {
        ensure!(path != Path::new("-"), "{option} needs a file, which is replaced; standard output cannot be replaced");
        let open = || {
            let Place::File(file) = place(path)? else { return Err(io::Error::other("it is no file")) };
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            let name = file.file_name().ok_or(ErrorKind::IsADirectory)?.to_owned();
            let file = directory(&file).canonicalize()?.join(&name);
            Ok(Slot {
                directory: rustix::fs::open(directory(&file), flags, Mode::empty())?,
                name,
                file,
                path: path.to_owned(),
            })
        };
        open().map_err(|error| unwritable(path, error))
    }

    /// Returns `.NAME` with an ending.
    fn sibling(&self, ending: &str) -> OsString {
        let mut sibling = OsString::from(".");
        sibling.push(&self.name);
        sibling.push(ending);
        sibling
    }

    fn open(&self, name: &OsStr, flags: OFlags, mode: u32) -> io::Result<File> {
        // A pipe must not make us wait, and a link may be another user's.
        let flags = flags | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(openat(&self.directory, name, flags, Mode::from_raw_mode(mode))?);
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no file")) }
    }

    /// Takes the lock that one watcher has, until the file is closed. The file stays: with it removed, two watchers could have a lock each.
    /// Errors: another one has it; those of the system.
    pub(super) fn lock(&self) -> Result<File> {
        let file = self.open(&self.sibling(".lock"), OFlags::RDWR | OFlags::CREATE, 0o666);
        let file = file.map_err(|error| unwritable(&self.path, error))?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::AGAIN) => Err(anyhow::anyhow!(
                "another `profrt watch` writes {}; stop it, or choose another place with -o",
                display(&self.path)
            )),
            result => result.map(|()| file).context("no lock"),
        }
    }

    /// Returns the bytes of the file; `None`: there is none. Errors: those of the system; it is no regular file.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>> {
        let read = || {
            let mut bytes = Vec::new();
            self.open(&self.name, OFlags::RDONLY, 0)?.read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Err(error) if ErrorKind::NotFound == io::Error::kind(&error) => Ok(None),
            result => result.map(Some).with_context(|| format!("{} cannot be read", display(&self.path))),
        }
    }

    /// Returns the path of the file below a directory; `None` if it is somewhere else.
    pub(super) fn below(&self, root: &Path) -> Option<PathBuf> {
        self.file.strip_prefix(root).ok().map(Path::to_owned)
    }

    /// Puts bytes in the place of the file, whose mode stays. When this returns, no crash of the machine brings the old file back. Errors: the old
    /// file is as it was; or the new one is there, and may not be durable.
    ///
    /// Only one process writes the file, so that the second name is always the same: what a kill leaves is replaced the next time.
    pub(super) fn publish(&self, bytes: &[u8]) -> Result<()> {
        let second = self.sibling(".profrt");
        let write = || {
            // It may be a link that another user has made.
            match unlinkat(&self.directory, &second, AtFlags::empty()) {
                Err(error) if error != Errno::NOENT => return Err(error.into()),
                _ => {}
            }
            let old = statat(&self.directory, &self.name, AtFlags::SYMLINK_NOFOLLOW);
            // The old file may be private.
            let mode = if old.is_ok() { 0o600 } else { 0o666 };
            let mut file = self.open(&second, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL, mode)?;
            if let Ok(old) = old {
                fchmod(&file, Mode::from_raw_mode(old.st_mode & 0o777))?;
            }
            file.write_all(bytes)?;
            file.sync_all()?;
            renameat(&self.directory, &second, &self.directory, &self.name)?;
            match rustix::fs::fsync(&self.directory) {
                // The file system cannot do it.
                Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(()),
                result => Ok(result?),
            }
        };
        write().map_err(|error: io::Error| {
            // The disk may be full.
            let _ = unlinkat(&self.directory, &second, AtFlags::empty());
            unwritable(&self.path, error)
        })
    }
}
