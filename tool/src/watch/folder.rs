//! The watched directory, in which others write: nothing is opened, renamed or removed through a link.
//!
//! Whoever may write below the directory can exchange a subdirectory for a link at any moment. So each operation starts at the directory, which
//! stays open, goes down component by component, and refuses links. The file must be the one that the last look has found.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, FlockOperation, Mode, OFlags, Stat, fstat, openat, statat, unlinkat};
use rustix::io::Errno;

use super::claims::{is_claim, name};

/// What changes when a file is written or replaced, and stays when it is renamed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    device: u64,
    pub(super) inode: u64,
    /// Names that the file has.
    pub(super) links: u64,
    pub(super) size: u64,
    /// Seconds and nanoseconds.
    pub(super) modified: (i64, i64),
}

impl Stamp {
    /// Returns the stamp of a regular file; `None` for anything else, links too.
    #[allow(clippy::unnecessary_cast, reason = "the types of the fields differ between systems")]
    pub(super) fn of(stat: &Stat) -> Option<Stamp> {
        (FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile).then_some(Stamp {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            links: stat.st_nlink as u64,
            size: stat.st_size as u64,
            modified: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        })
    }

    /// Returns whether an open file still has this stamp. Errors: those of the system.
    pub(super) fn is_of(&self, file: impl AsFd) -> io::Result<bool> {
        Ok(Stamp::of(&fstat(file)?).as_ref() == Some(self))
    }
}

/// What a look has found.
#[derive(Default)]
pub(super) struct Found {
    /// Paths below the directory. Of a file with several names the first one.
    pub(super) files: BTreeMap<PathBuf, Stamp>,
    /// Directories that cannot be read.
    pub(super) unreadable: Vec<(PathBuf, io::Error)>,
}

pub(super) struct Folder {
    root: OwnedFd,
}

impl Folder {
    /// Opens the directory. What its path leads to later does not matter. Errors: those of the system.
    pub(super) fn open(path: &Path) -> io::Result<Folder> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Folder { root: rustix::fs::open(path, flags, Mode::empty())? })
    }

    /// Finds all files but hidden ones: temporary files of runtimes, `rsync` and `profrt`. Errors: the directory itself is gone or cannot be read.
    pub(super) fn look(&self) -> io::Result<Found> {
        if fstat(&self.root)?.st_nlink == 0 {
            return Err(ErrorKind::NotFound.into());
        }
        let (mut found, mut places) = (Found::default(), vec![PathBuf::new()]);
        while let Some(place) = places.pop() {
            match self.list(&place, &mut places, &mut found.files) {
                Err(error) if place == Path::new("") => return Err(error),
                Err(error) if !is_gone(&error) => found.unreadable.push((place, error)),
                _ => {}
            }
        }
        let mut seen = HashSet::new();
        found.files.retain(|_, stamp| stamp.links == 1 || seen.insert((stamp.device, stamp.inode)));
        Ok(found)
    }

    fn list(&self, place: &Path, places: &mut Vec<PathBuf>, files: &mut BTreeMap<PathBuf, Stamp>) -> io::Result<()> {
        let directory = self.directory(place)?;
        for entry in Dir::read_from(&directory)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name.as_bytes().starts_with(b".") && !is_claim(name) {
                continue;
            }
            let stat = match statat(&directory, name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                result => result?,
            };
            if let Some(stamp) = Stamp::of(&stat) {
                files.insert(place.join(name), stamp);
            } else if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
                places.push(place.join(name));
            }
        }
        Ok(())
    }

    /// Opens a directory below. Errors: those of the system; a component is a link.
    fn directory(&self, place: &Path) -> io::Result<OwnedFd> {
        let mut directory = self.root.try_clone()?;
        for name in place {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            directory = openat(&directory, name, flags, Mode::empty())?;
        }
        Ok(directory)
    }

    /// Opens a file with its directory, and locks it against writers until it is closed. `None`: somebody writes it, or the path means something
    /// else than the stamp. Errors: those of the system.
    fn locked(&self, path: &Path, stamp: &Stamp) -> io::Result<Option<(OwnedFd, File)>> {
        // A pipe must not make us wait.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let opened = self.directory(parent(path)).and_then(|directory| {
            let file = openat(&directory, name(path), flags, Mode::empty())?;
            Ok((directory, File::from(file)))
        });
        let (directory, file) = match opened {
            Err(error) if is_gone(&error) => return Ok(None),
            result => result?,
        };
        // Any other error: a file system without locks, where the stamps must do.
        let lock = rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockShared);
        let is_free = !matches!(lock, Err(Errno::AGAIN | Errno::ACCESS));
        Ok((is_free && stamp.is_of(&file)?).then_some((directory, file)))
    }

    /// Opens a file as [`Folder::rename`] does, to read it.
    pub(super) fn file(&self, path: &Path, stamp: &Stamp) -> io::Result<Option<File>> {
        Ok(self.locked(path, stamp)?.map(|(_, file)| file))
    }

    /// Gives a file another name in its directory, that nobody has. Returns whether it has it: `false` where somebody writes the file, or the
    /// path means another one. Errors: those of the system.
    ///
    /// The lock makes writers that lock the old file before they replace it start over.
    pub(super) fn rename(&self, path: &Path, stamp: &Stamp, to: &OsStr) -> io::Result<bool> {
        let Some((directory, _file)) = self.locked(path, stamp)? else { return Ok(false) };
        rename_new(&directory, name(path), to)?;
        // The name may have got another file since it was opened.
        let is_it = Stamp::of(&statat(&directory, to, AtFlags::SYMLINK_NOFOLLOW)?).as_ref() == Some(stamp);
        if !is_it {
            rename_new(&directory, to, name(path))?;
        }
        Ok(is_it)
    }

    /// Removes a file. Returns whether it was still the one with the stamp, and nobody wrote it. Errors: those of the system.
    pub(super) fn remove(&self, path: &Path, stamp: &Stamp) -> io::Result<bool> {
        let Some((directory, _file)) = self.locked(path, stamp)? else { return Ok(false) };
        let is_it = Stamp::of(&statat(&directory, name(path), AtFlags::SYMLINK_NOFOLLOW)?).as_ref() == Some(stamp);
        if is_it {
            unlinkat(&directory, name(path), AtFlags::empty())?;
        }
        Ok(is_it)
    }

    /// Makes the names in a directory durable, as far as the file system can do it.
    pub(super) fn sync(&self, place: &Path) {
        let _ = self.directory(place).map(|directory| File::from(directory).sync_all());
    }
}

/// Renames a file to a name that nobody has. Errors: somebody has; those of the system.
fn rename_new(directory: &OwnedFd, from: &OsStr, to: &OsStr) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    match rustix::fs::renameat_with(directory, from, directory, to, rustix::fs::RenameFlags::NOREPLACE) {
        // Some file systems do not know it.
        Err(Errno::INVAL | Errno::NOSYS) => {}
        result => return Ok(result?),
    }
    match statat(directory, to, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        Err(Errno::NOENT) => Ok(rustix::fs::renameat(directory, from, directory, to)?),
        Err(error) => Err(error.into()),
    }
}

/// Returns the directory of a path below the watched one.
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new(""))
}

/// Returns whether an error says that there is no such file any more, or a link in its place.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
        || [Errno::LOOP, Errno::NXIO].iter().any(|gone| error.raw_os_error() == Some(gone.raw_os_error()))
}
