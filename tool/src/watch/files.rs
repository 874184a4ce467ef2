//! Files of a directory that others write to: opened without following links, read while no writer has them locked, taken away under a name
//! that no writer knows.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

/// What changes when a file is written, replaced or renamed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Stamp {
    pub(super) device: u64,
    pub(super) inode: u64,
    pub(super) size: u64,
    /// Seconds and nanoseconds.
    pub(super) modified: (i64, i64),
    pub(super) changed: (i64, i64),
}

impl Stamp {
    fn of(metadata: &Metadata) -> Stamp {
        Stamp {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Returns whether nobody has written to the file in between. It may have another name.
    pub(super) fn is_same_content(&self, other: &Stamp) -> bool {
        Stamp { changed: other.changed, ..*self } == *other
    }

    /// Returns how long ago the file was changed or renamed; `None` if that is in the future.
    pub(super) fn age(self) -> Option<Duration> {
        since(self.modified.max(self.changed))
    }

    /// Returns how long ago somebody wrote to the file; `None` if that is in the future.
    pub(super) fn age_of_content(self) -> Option<Duration> {
        since(self.modified)
    }

    /// Returns the stamp of a regular file; `None` for anything else, links too.
    pub(super) fn at(path: &Path) -> io::Result<Option<Stamp>> {
        let metadata = fs::symlink_metadata(path)?;
        Ok(metadata.is_file().then(|| Stamp::of(&metadata)))
    }
}

/// Returns the time since another one; `None` if that is in the future.
fn since((seconds, nanoseconds): (i64, i64)) -> Option<Duration> {
    let since = Duration::new(seconds.try_into().ok()?, nanoseconds.try_into().ok()?);
    SystemTime::now().duration_since(UNIX_EPOCH.checked_add(since)?).ok()
}

/// What became of an attempt to read a file.
pub(super) enum Content {
    /// The buffer has all its bytes.
    Whole(Stamp),
    /// Somebody writes it.
    Busy,
    /// It is gone, or no file.
    Gone,
}

/// Opens a regular file. Links are not followed, and a pipe does not make us wait.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

/// Opens a regular file, and locks it against writers until it is closed. `None`: somebody writes it, or it is not what the path means any
/// more.
fn open_locked(path: &Path) -> io::Result<Option<(File, Stamp)>> {
    let file = open(path)?;
    let lock = rustix::fs::fcntl_lock(&file, FlockOperation::NonBlockingLockShared);
    // Any other error: a file system without locks, where the stamps must do.
    if matches!(lock, Err(Errno::AGAIN | Errno::ACCESS)) {
        return Ok(None);
    }
    let metadata = file.metadata()?;
    let stamp = Stamp::of(&metadata);
    Ok((metadata.is_file() && Stamp::at(path)? == Some(stamp)).then_some((file, stamp)))
}

/// Returns whether an error says that there is no such file, or one that never counts.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
        || [Errno::LOOP, Errno::NXIO].iter().any(|gone| error.raw_os_error() == Some(gone.raw_os_error()))
}

/// Reads a whole file that nobody writes meanwhile. Errors: those of the system.
pub(super) fn read(path: &Path, buffer: &mut Vec<u8>) -> io::Result<Content> {
    buffer.clear();
    let mut try_read = || {
        let Some((mut file, stamp)) = open_locked(path)? else { return Ok(Content::Busy) };
        buffer.try_reserve_exact(usize::try_from(stamp.size).unwrap_or(usize::MAX).saturating_add(1))?;
        file.read_to_end(buffer)?;
        let is_same = Stamp::of(&file.metadata()?) == stamp && buffer.len() as u64 == stamp.size;
        Ok(if is_same { Content::Whole(stamp) } else { Content::Busy })
    };
    match try_read() {
        Err(error) if is_gone(&error) => Ok(Content::Gone),
        result => result,
    }
}

/// Returns the first bytes of a file.
pub(super) fn head(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    open(path)?.take(512).read_to_end(&mut head)?;
    Ok(head)
}

/// The beginning of the names of files that were taken away.
const CLAIM: &str = ".profrt-watch-";

/// Bytes of a name that a claim keeps: with what stands before, it is shorter than 255.
const KEPT: usize = 200;

/// Why a file cannot be taken away.
#[derive(Debug)]
pub(super) enum Obstacle {
    Unreadable(io::Error),
    /// It cannot be renamed.
    Fixed(io::Error),
}

/// Returns a name without what any watcher has put before it.
fn bare(name: &[u8]) -> &[u8] {
    let is_number = |text: &[u8]| {
        text.split_last().is_some_and(|(last, number)| *last == b'-' && number.iter().all(u8::is_ascii_hexdigit))
    };
    let rest = name.strip_prefix(CLAIM.as_bytes());
    let numbers = rest.and_then(|rest| Some((rest.get(..17)?, rest.get(17..34)?, rest.get(34..)?)));
    match numbers {
        Some((watcher, file, bare)) if is_number(watcher) && is_number(file) => bare,
        _ => name,
    }
}

/// Names of files that a watcher has taken away, to merge and remove them. Only the watcher with this number touches them.
///
/// Files that are back under their names count for any watcher.
#[derive(Clone, Debug)]
pub(super) struct Claims {
    prefix: String,
}

impl Claims {
    pub(super) fn new(watcher: u64) -> Claims {
        Claims { prefix: format!("{CLAIM}{watcher:016x}-") }
    }

    /// Returns whether a name is that of a file which this watcher has taken away.
    pub(super) fn is_own(&self, name: &OsStr) -> bool {
        name.as_bytes().starts_with(self.prefix.as_bytes())
    }

    /// Returns the beginning of the names that another watcher gives, if it has taken this file away.
    pub(super) fn other<'a>(&self, name: &'a OsStr) -> Option<&'a str> {
        let name = name.to_str().filter(|_| !self.is_own(name) && bare(name.as_bytes()) != name.as_bytes())?;
        name.get(..CLAIM.len() + 17)
    }

    /// Returns the beginning of the names that this watcher gives.
    pub(super) fn own(&self) -> &str {
        &self.prefix
    }

    /// Returns the path that a file had before it was taken away; of a long name the end.
    pub(super) fn original(&self, path: &Path) -> PathBuf {
        let name = path.file_name().unwrap_or_default().as_bytes();
        let own = name.strip_prefix(self.prefix.as_bytes()).and_then(|rest| rest.get(17..)).unwrap_or(name);
        path.with_file_name(OsStr::from_bytes(own))
    }

    /// Gives a file another name in its directory: from then on no program that starts finds it, and its profile begins anew. Returns the new
    /// path; `None` if somebody writes the file or it is gone. The file may be one that another watcher has taken away.
    ///
    /// The lock makes writers that lock the old file before they replace it start over. Errors: the file cannot be read or renamed.
    pub(super) fn claim(&self, path: &Path) -> Result<Option<PathBuf>, Obstacle> {
        let (file, stamp) = match open_locked(path) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(None),
            Err(error) if is_gone(&error) => return Ok(None),
            Err(error) => return Err(Obstacle::Unreadable(error)),
        };
        let claimed = (|| {
            let name = bare(path.file_name().unwrap_or_default().as_bytes());
            let kept = name.get(name.len().saturating_sub(KEPT)..).unwrap_or(name);
            let number = RandomState::new().hash_one(stamp.inode);
            let mut claim = OsString::from(format!("{}{number:016x}-", self.prefix)).into_vec();
            claim.extend_from_slice(kept);
            let claim = path.with_file_name(OsString::from_vec(claim));
            rename_new(path, &claim)?;
            // The name may mean another file since it was opened.
            let is_it = Stamp::at(&claim)?.is_some_and(|new| (new.device, new.inode) == (stamp.device, stamp.inode));
            if !is_it {
                rename_new(&claim, path)?;
            }
            Ok(is_it.then_some(claim))
        })();
        drop(file);
        match claimed {
            Err(error) if is_gone(&error) => Ok(None),
            result => result.map_err(Obstacle::Fixed),
        }
    }

    /// Gives a file that this watcher has taken away its name again. Errors: another file has it, or it was too long to be kept; those of the
    /// system.
    pub(super) fn give_back(&self, claim: &Path) -> io::Result<()> {
        let original = self.original(claim);
        if original.file_name().is_none_or(|name| name.len() >= KEPT) {
            return Err(ErrorKind::InvalidInput.into());
        }
        rename_new(claim, &original)
    }

    /// Gives a file its name again that is not merged and not damaged; if another file has that, `NAME.refused-N`. Returns its path.
    ///
    /// Errors: those of the system.
    pub(super) fn leave(&self, claim: &Path) -> io::Result<PathBuf> {
        match self.give_back(claim) {
            Ok(()) => Ok(self.original(claim)),
            Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::InvalidInput) => {
                self.rename_with(claim, "refused")
            }
            Err(error) => Err(error),
        }
    }

    /// Gives a file that this watcher has taken away the name of a quarantined one, `NAME.corrupt-N`, which no command merges. Returns its path.
    ///
    /// Errors: those of the system.
    pub(super) fn put_aside(&self, claim: &Path) -> io::Result<PathBuf> {
        self.rename_with(claim, "corrupt")
    }

    /// Gives a file that this watcher has taken away the name `NAME.WORD-N`.
    fn rename_with(&self, claim: &Path, word: &str) -> io::Result<PathBuf> {
        let original = self.original(claim);
        let mut last = io::Error::from(ErrorKind::AlreadyExists);
        for number in (u64::from(std::process::id())..).take(1000) {
            let mut name = original.file_name().unwrap_or_default().to_os_string();
            name.push(format!(".{word}-{number}"));
            let path = original.with_file_name(name);
            match rename_new(claim, &path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }
}

/// Renames a file to a name that nobody has. Errors: somebody has; those of the system.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            // Some file systems do not know it.
            Err(Errno::INVAL | Errno::NOSYS) => {}
            result => return Ok(result?),
        }
    }
    match fs::symlink_metadata(to) {
        Ok(_) => Err(ErrorKind::AlreadyExists.into()),
        Err(error) if error.kind() == ErrorKind::NotFound => fs::rename(from, to),
        Err(error) => Err(error),
    }
}
