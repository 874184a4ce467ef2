//! Files, directories and names.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_uint};
use core::mem::{ManuallyDrop, MaybeUninit};
use core::ops::Range;

use super::kernel::{self, libc};
use super::process::process_id;
use super::signal::{OF_WRITES, mask, written};
use crate::error::{Error, Result};
use crate::path::{Path, Text};
use crate::span::Span;

mod hold;
mod lock;
mod owner;

pub use super::super::files::Lock;
pub use hold::{HeldFile, move_pages};
pub use lock::{LOCKS, REPLACES_OPEN};

/// An open file. Files that the runtime opens are never 0, 1 or 2, and are closed when dropped; see also [`borrowed`].
#[derive(Debug)]
pub struct Fd(c_int);

/// What a file is and which one it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    /// Device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Names that it has.
    pub links: u64,
    /// Bytes.
    pub size: u64,
    /// Permissions and the like.
    mode: u32,
    /// Owner.
    pub user: u32,
    /// Group.
    pub group: u32,
    /// Whether it is a regular file.
    pub regular: bool,
    /// Whether it is a directory.
    pub directory: bool,
    /// Whether it is a symbolic link, which only [`status_of_name`] sees.
    pub link: bool,
}

/// Opens a file or a directory under a descriptor above 2.
fn open(at: At<'_>, flags: c_int, mode: c_uint) -> Result<Fd> {
    let flags = flags | libc::O_CLOEXEC | libc::O_NOCTTY;
    // SAFETY: a C string and a mode.
    let fd = kernel::checked(unsafe { kernel::openat(at.directory, at.name.as_ptr(), flags, mode) })?;
    let fd = Fd(fd as c_int);
    // If not, the program has closed a standard stream: what is printed there must not end up in the profile.
    if fd.0 > 2 { Ok(fd) } else { fd.duplicate() }
}

/// Opens a directory to look names up in it ([`Fd::at`]).
pub fn open_directory(path: Path<'_>) -> Result<Fd> {
    open(path.into(), libc::O_PATH | libc::O_DIRECTORY, 0)
}

/// Creates a file without a name in `directory`; [`Fd::link`] can give it one. Not all file systems have such files.
pub fn create_unnamed(directory: &Fd) -> Result<Fd> {
    open(directory.at(c".".into()), libc::O_TMPFILE | libc::O_RDWR, 0o666)
}

/// Creates a file that did not exist before, with the permissions that the umask leaves. If it is to replace another one, group and others get none
/// that they lack there.
pub fn create_new(at: At<'_>, replaced: Option<&Status>) -> Result<Fd> {
    let mode = replaced.map_or(0o666, |old| 0o600 | old.mode & 0o066);
    open(at, libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_NOFOLLOW, mode)
}

/// Opens a file for reading and writing, or creates an empty one; not through a symbolic link (`ELOOP`). Callers have seen that the
/// file exists. `O_CREAT` is there because the kernel refuses another user's file in a directory such as `/tmp` only to calls that may
/// create a file (`fs.protected_regular`).
pub fn open_or_create_no_link(at: At<'_>) -> Result<Fd> {
    open(at, libc::O_CREAT | libc::O_RDWR | libc::O_NOFOLLOW | libc::O_NONBLOCK, 0o666)
}

/// Opens an existing file that is no link for writing at its end: one that may not be read, or only be appended to.
pub fn open_for_appending(at: At<'_>) -> Result<Fd> {
    open(at, libc::O_WRONLY | libc::O_APPEND | libc::O_NOFOLLOW | libc::O_NONBLOCK, 0)
}

/// Opens an existing file that is no link for reading.
pub fn open_for_reading(path: Path<'_>) -> Result<Fd> {
    open(path.into(), libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_NONBLOCK, 0)
}

/// Opens a file for reading and writing, or creates an empty one. Follows symbolic links, also one whose target does not exist yet.
#[inline]
pub fn open_or_create(at: At<'_>) -> Result<Fd> {
    open(at, libc::O_CREAT | libc::O_RDWR | libc::O_NONBLOCK, 0o666)
}

/// Returns the status of the file with this name. Follows symbolic links.
pub fn status(at: At<'_>) -> Result<Status> {
    Status::of(at.directory, Some(at.name), 0)
}

/// Returns the status of what has this very name, which may be a symbolic link.
pub fn status_of_name(at: At<'_>) -> Result<Status> {
    Status::of(at.directory, Some(at.name), libc::AT_SYMLINK_NOFOLLOW)
}

impl Status {
    /// Returns the status of an open file, or of what has a name in an open directory.
    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    fn of(file: c_int, name: Option<Path<'_>>, flags: c_int) -> Result<Status> {
        let mut stat = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: an open file, a C string, and room for the answer.
        kernel::done(unsafe {
            match name {
                None => kernel::fstat(file, stat.as_mut_ptr()),
                Some(name) => kernel::fstatat(file, name.as_ptr(), stat.as_mut_ptr(), flags),
            }
        })?;
        // SAFETY: filled by the call, which has succeeded.
        let stat = unsafe { stat.assume_init_ref() };
        let kind = stat.st_mode & libc::S_IFMT;
        Ok(Status {
            device: stat.st_dev as u64,
            inode: stat.st_ino as u64,
            links: stat.st_nlink as u64,
            size: stat.st_size as u64,
            mode: stat.st_mode as u32,
            user: stat.st_uid as u32,
            group: stat.st_gid as u32,
            regular: kind == libc::S_IFREG,
            directory: kind == libc::S_IFDIR,
            link: kind == libc::S_IFLNK,
        })
    }

    /// Returns whether this is a device, which only root can have made.
    pub fn is_device(&self) -> bool {
        matches!(self.mode as libc::mode_t & libc::S_IFMT, libc::S_IFCHR | libc::S_IFBLK)
    }

    /// Returns whether others than the owner may replace what has a name in this directory.
    pub fn others_may_replace(&self) -> bool {
        self.mode & 0o022 != 0 && self.mode & 0o1000 == 0
    }

    /// Returns whether the permissions are such as those of a new file, of which a umask may have left none at all.
    pub fn is_usual(&self) -> bool {
        self.mode & 0o244 == 0o244 || self.mode & 0o600 == 0
    }
}

/// Creates one directory. An existing one is no error.
pub fn make_directory(path: Path<'_>, mode: u32) -> Result {
    // SAFETY: a C string.
    match kernel::done(unsafe { kernel::mkdirat(libc::AT_FDCWD, path.as_ptr(), mode as libc::mode_t) }) {
        Err(Error::EEXIST) => Ok(()),
        other => other,
    }
}

/// Reads the name of the working directory into `name`. Returns its length; `None` where it has no name in our root.
pub fn working_directory(name: &mut [u8]) -> Option<usize> {
    let (start, room) = (name.as_mut_ptr().cast(), name.len());
    // SAFETY: a C string and the slice's own bounds.
    let read = unsafe { kernel::readlinkat(libc::AT_FDCWD, c"/proc/self/cwd".as_ptr(), start, room) };
    let len = kernel::checked(read).ok()?;
    // `(unreachable)/…`: outside of our root.
    name.get(..len).filter(|name| name.first() == Some(&b'/') && !name.ends_with(b" (deleted)")).map(<[u8]>::len)
}

/// Writes to the standard error stream, as much as it takes. A message must not be what kills the program.
pub fn print_error(spans: &[Span]) {
    let before = mask(libc::SIG_BLOCK, OF_WRITES);
    // SAFETY: the spans are readable by the caller's promise (they are parts of messages); a `Span` is an `iovec`.
    written(unsafe { kernel::writev_once(libc::STDERR_FILENO, spans.as_ptr().cast(), spans.len() as c_int) });
    mask(libc::SIG_SETMASK, before);
}

/// The descriptors to which programs print.
pub const STANDARD_OUTPUTS: [c_int; 2] = [libc::STDOUT_FILENO, libc::STDERR_FILENO];

/// Returns a file that the program has open under the descriptor, which may be 0, 1 or 2 and stays open.
#[inline]
pub fn borrowed(fd: c_int) -> ManuallyDrop<Fd> {
    ManuallyDrop::new(Fd(fd))
}

impl Fd {
    /// Writes all bytes of the spans, as many as `total`: from the file's own place on, or from the byte `at`. Callers have the signals of a
    /// failing write blocked.
    ///
    /// # Safety
    /// Each span must point to that many readable bytes.
    pub unsafe fn write(&self, spans: &[Span], total: u64, at: Option<u64>) -> Result {
        let mut skip: usize = 0;
        let mut rest = spans;
        let mut at = at;
        while let Some((first, others)) = rest.split_first() {
            if first.len <= skip {
                skip = skip.wrapping_sub(first.len);
                rest = others;
                continue;
            }
            let tail = [first.skip(skip)];
            let list = if skip == 0 { rest } else { &tail };
            let (start, len) = (list.as_ptr().cast(), list.len() as c_int);
            // SAFETY: a `Span` is an `iovec` and readable by the caller's contract. Lists are short (IOV_MAX is 1024).
            let done = kernel::checked(written(unsafe {
                match at {
                    None => kernel::writev(self.0, start, len),
                    Some(at) => kernel::pwritev(self.0, start, len, at as libc::off_t),
                }
            }))?;
            if done as u64 == total {
                break;
            }
            if done == 0 {
                return Err(Error::EIO);
            }
            skip = skip.wrapping_add(done);
            at = at.map(|at| at.wrapping_add(done as u64));
        }
        Ok(())
    }

    /// Reads from the byte at `offset` on. Returns the number of bytes, 0 at the end.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        // SAFETY: the slice's own bounds.
        kernel::checked(unsafe {
            kernel::pread(self.0, buffer.as_mut_ptr().cast(), buffer.len(), offset as libc::off_t)
        })
    }

    /// Truncates or extends the file.
    pub fn set_size(&self, size: u64) -> Result {
        // SAFETY: an open file.
        kernel::done(written(unsafe { kernel::ftruncate(self.0, size as libc::off_t) }))
    }

    /// Returns whether all writes go to the end of the file, whatever its position is.
    pub fn appends(&self) -> bool {
        // SAFETY: a descriptor that is not open is an error.
        kernel::checked(unsafe { kernel::fcntl(self.0, libc::F_GETFL, 0) })
            .is_ok_and(|flags| flags as c_int & libc::O_APPEND != 0)
    }

    /// Returns where in a range of offsets the first data is. What is before it is a hole, and so zeros. Returns the whole range where the system
    /// does not tell. Moves the position.
    pub fn data(&self, range: Range<u64>) -> Range<u64> {
        // SAFETY: an open file.
        let seek = |at: u64, whence| unsafe { kernel::seek(self.0, at, whence) };
        match seek(range.start, libc::SEEK_DATA) {
            Ok(start) if start >= range.end => range.end..range.end,
            Ok(start) => match seek(start, libc::SEEK_HOLE) {
                Ok(end) if end > start => start..end.min(range.end),
                _ => range,
            },
            // Or there is only a hole, if the file does not end here: a read finds out.
            Err(_) => range,
        }
    }

    /// Returns the position of the next write.
    pub fn position(&self) -> Result<u64> {
        // SAFETY: an open file.
        unsafe { kernel::seek(self.0, 0, libc::SEEK_CUR) }
    }

    /// Returns the error that a close would have: network file systems report only then that an earlier write found no space.
    pub fn close_errors(&self) -> Result {
        let copy = ManuallyDrop::new(self.duplicate()?);
        // SAFETY: opened just here. Interrupted or not, it is closed.
        match kernel::done(unsafe { kernel::close(copy.0) }) {
            Err(Error::EINTR) => Ok(()),
            other => other,
        }
    }

    /// Returns the file's status.
    pub fn status(&self) -> Result<Status> {
        Status::of(self.0, None, 0)
    }

    /// Returns the number of the descriptor.
    pub fn number(&self) -> c_int {
        self.0
    }

    /// Returns the place of a name in this directory.
    #[inline]
    pub fn at<'a>(&'a self, name: Path<'a>) -> At<'a> {
        At { directory: self.0, name }
    }

    /// Gives a file without a name the name `to`, which must be free.
    pub fn link(&self, to: At<'_>) -> Result {
        const AT_EMPTY_PATH: c_int = 0x1000;
        let link = |directory, from: Path<'_>, flags| {
            // SAFETY: two C strings.
            kernel::done(unsafe { kernel::linkat(directory, from.as_ptr(), to.directory, to.name.as_ptr(), flags) })
        };
        // Before Linux 6.10 for root alone. By a name in /proc it takes the system three times as long.
        match link(self.0, c"".into(), AT_EMPTY_PATH) {
            Err(error) if error != Error::EEXIST => {}
            done => return done,
        }
        let mut own = Text::<32>::new();
        own.push(b"/proc/self/fd/")?;
        own.push_number(self.0 as u64)?;
        link(libc::AT_FDCWD, own.as_path(), libc::AT_SYMLINK_FOLLOW)
    }
}

impl Drop for Fd {
    fn drop(&mut self) {
        // SAFETY: opened by us and closed just here.
        unsafe { kernel::close(self.0) };
    }
}

/// A name, and the directory in which it is looked up.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    directory: c_int,
    name: Path<'a>,
}

impl<'a> From<Path<'a>> for At<'a> {
    /// Returns the place of a name in the working directory, or from the root if the name begins with `/`.
    #[inline]
    fn from(name: Path<'a>) -> At<'a> {
        At { directory: libc::AT_FDCWD, name }
    }
}

/// Gives `from`'s file the name `to`, whatever was there.
pub fn rename(from: At<'_>, to: At<'_>) -> Result {
    // SAFETY: two C strings.
    kernel::done(unsafe { kernel::renameat(from.directory, from.name.as_ptr(), to.directory, to.name.as_ptr()) })
}

/// Exchanges the files of two names. (By number, for not every C library has the call.)
///
/// A file that is renamed over another one is taken by some file systems (ext4) for one that must survive a loss of power: they write it to the
/// disk before they go on, which takes longer than all else.
pub fn exchange(one: At<'_>, other: At<'_>) -> Result {
    const RENAME_EXCHANGE: c_uint = 2;
    // SAFETY: two C strings.
    kernel::done(unsafe {
        kernel::renameat2(one.directory, one.name.as_ptr(), other.directory, other.name.as_ptr(), RENAME_EXCHANGE)
    })
}

/// Removes a name.
pub fn remove(at: At<'_>) -> Result {
    // SAFETY: a C string.
    kernel::done(unsafe { kernel::unlinkat(at.directory, at.name.as_ptr(), 0) })
}

/// Opens a device, a pipe or the like, whose status is known, for writing at its end. `link`: the name is a link to it. Another file by now:
/// [`Error::OVERTAKEN`]. (`O_CREAT` as in [`open_or_create_no_link`], for `fs.protected_fifos`.)
pub fn open_stream(at: At<'_>, known: &Status, link: bool) -> Result<Fd> {
    let flags = libc::O_WRONLY | libc::O_APPEND;
    let last = if link { 0 } else { libc::O_NOFOLLOW };
    let stream = open(at, flags | last | libc::O_CREAT | libc::O_NONBLOCK, 0o666)
        .map_err(|error| if error == Error::ELOOP { Error::OVERTAKEN } else { error })?;
    if !stream.status()?.is_same_file(known) {
        return Err(Error::OVERTAKEN);
    }
    // The writes may wait: for the reader of a pipe, as those of the program itself.
    // SAFETY: an open file.
    kernel::done(unsafe { kernel::fcntl(stream.0, libc::F_SETFL, flags as usize) })?;
    Ok(stream)
}

#[cfg(test)]
mod tests;
