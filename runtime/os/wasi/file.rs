//! Files of WASI: names below the directories that the engine has opened. There are no unnamed files, no locks, owners and modes, and a rename
//! replaces.

#![allow(unsafe_code)]

use core::ffi::c_int;
use core::mem::{ManuallyDrop, MaybeUninit};

pub use super::super::files::Lock;
pub use super::super::plain_files::*;
use super::last_error;
use crate::error::{Error, Result};
use crate::path::Path;
use crate::span::Span;

/// An open file, closed when dropped; see also [`borrowed`].
#[derive(Debug)]
pub struct Fd(c_int);

/// A name, and the directory in which it is looked up.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    directory: c_int,
    name: Path<'a>,
}

impl<'a> From<Path<'a>> for At<'a> {
    /// Returns the place of a name, which the C library looks up in the directories that the engine has opened.
    fn from(name: Path<'a>) -> At<'a> {
        At { directory: libc::AT_FDCWD, name }
    }
}

/// No file can be locked.
pub const LOCKS: bool = false;
/// A rename replaces a file that somebody has open.
pub const REPLACES_OPEN: bool = true;

fn done(result: c_int) -> Result {
    if result == 0 { Ok(()) } else { Err(last_error()) }
}

fn checked(result: isize) -> Result<usize> {
    usize::try_from(result).map_err(|_| last_error())
}

fn open(at: At<'_>, flags: c_int) -> Result<Fd> {
    // SAFETY: a C string. WASI knows no modes.
    let fd = unsafe { libc::openat(at.directory, at.name.as_ptr(), flags) };
    if fd < 0 { Err(last_error()) } else { Ok(Fd(fd)) }
}

/// Opens a directory to look names up in it ([`Fd::at`]).
pub fn open_directory(path: Path<'_>) -> Result<Fd> {
    open(path.into(), libc::O_DIRECTORY | libc::O_RDONLY)
}

/// Creates a file that did not exist before.
pub fn create_new(at: At<'_>, _replaced: Option<&Status>) -> Result<Fd> {
    open(at, libc::O_CREAT | libc::O_EXCL | libc::O_RDWR | libc::O_NOFOLLOW)
}

/// Opens a file for reading and writing, or creates an empty one; not through a symbolic link (`ELOOP`).
pub fn open_or_create_no_link(at: At<'_>) -> Result<Fd> {
    open(at, libc::O_CREAT | libc::O_RDWR | libc::O_NOFOLLOW)
}

/// Opens an existing file that is no link for writing at its end.
pub fn open_for_appending(at: At<'_>) -> Result<Fd> {
    open(at, libc::O_WRONLY | libc::O_APPEND | libc::O_NOFOLLOW)
}

/// Opens an existing file that is no link for reading.
pub fn open_for_reading(path: Path<'_>) -> Result<Fd> {
    open(path.into(), libc::O_RDONLY | libc::O_NOFOLLOW)
}

/// Opens a file for reading and writing, or creates an empty one. Follows symbolic links.
pub fn open_or_create(at: At<'_>) -> Result<Fd> {
    open(at, libc::O_CREAT | libc::O_RDWR)
}

/// Opens a device, a pipe or the like for writing at its end.
pub fn open_stream(at: At<'_>, _known: &Status, _link: bool) -> Result<Fd> {
    open(at, libc::O_WRONLY | libc::O_APPEND)
}

/// Returns the status of the file with this name. Follows symbolic links.
pub fn status(at: At<'_>) -> Result<Status> {
    // SAFETY: a C string and room for the answer.
    Status::by(&|stat| unsafe { libc::fstatat(at.directory, at.name.as_ptr(), stat, 0) })
}

/// Returns the status of what has this very name, which may be a symbolic link.
pub fn status_of_name(at: At<'_>) -> Result<Status> {
    // SAFETY: a C string and room for the answer.
    Status::by(&|stat| unsafe { libc::fstatat(at.directory, at.name.as_ptr(), stat, libc::AT_SYMLINK_NOFOLLOW) })
}

impl Status {
    /// Converts the `stat` that a successful call fills.
    fn by(call: &dyn Fn(*mut libc::stat) -> c_int) -> Result<Status> {
        let mut stat = MaybeUninit::<libc::stat>::uninit();
        done(call(stat.as_mut_ptr()))?;
        // SAFETY: filled by the call, which has succeeded.
        let stat = unsafe { stat.assume_init_ref() };
        let kind = stat.st_mode & libc::S_IFMT;
        Ok(Status {
            device: stat.st_dev,
            inode: stat.st_ino,
            links: stat.st_nlink,
            size: stat.st_size as u64,
            device_file: kind == libc::S_IFCHR || kind == libc::S_IFBLK,
            regular: kind == libc::S_IFREG,
            directory: kind == libc::S_IFDIR,
            link: kind == libc::S_IFLNK,
            ..Status::default()
        })
    }
}

/// Creates one directory. An existing one is no error.
pub fn make_directory(path: Path<'_>, mode: u32) -> Result {
    // SAFETY: a C string.
    match done(unsafe { libc::mkdirat(libc::AT_FDCWD, path.as_ptr(), mode) }) {
        Err(Error::EEXIST) => Ok(()),
        other => other,
    }
}

/// Gives `from`'s file the name `to`, whatever was there.
pub fn rename(from: At<'_>, to: At<'_>) -> Result {
    // SAFETY: two C strings.
    done(unsafe { libc::renameat(from.directory, from.name.as_ptr(), to.directory, to.name.as_ptr()) })
}

/// Removes a name.
pub fn remove(at: At<'_>) -> Result {
    // SAFETY: a C string.
    done(unsafe { libc::unlinkat(at.directory, at.name.as_ptr(), 0) })
}

/// The descriptors to which programs print.
pub const STANDARD_OUTPUTS: [c_int; 2] = [libc::STDOUT_FILENO, libc::STDERR_FILENO];

/// Writes to the standard error stream.
pub fn print_error(spans: &[Span]) {
    // SAFETY: the spans are readable by the caller's promise.
    let _ = unsafe { borrowed(libc::STDERR_FILENO).write(spans, 0, None) };
}

/// Returns a file that the program has open under the descriptor, which stays open.
pub fn borrowed(fd: c_int) -> ManuallyDrop<Fd> {
    ManuallyDrop::new(Fd(fd))
}

impl Fd {
    /// Writes all bytes of the spans: from the file's own place on, or from the byte `at`. One span after the other, since engines may take only
    /// the first of a list.
    ///
    /// # Safety
    /// Each span must point to that many readable bytes.
    pub unsafe fn write(&self, spans: &[Span], _total: u64, mut at: Option<u64>) -> Result {
        for span in spans {
            let mut rest = *span;
            while rest.len > 0 {
                let (start, len) = (rest.start.cast(), rest.len);
                // SAFETY: readable by this function's contract.
                let written = checked(match at {
                    None => unsafe { libc::write(self.0, start, len) },
                    Some(at) => unsafe { libc::pwrite(self.0, start, len, at as libc::off_t) },
                })?;
                if written == 0 {
                    return Err(Error::EIO);
                }
                rest = rest.skip(written);
                at = at.map(|at| at.wrapping_add(written as u64));
            }
        }
        Ok(())
    }

    /// Reads from the byte at `offset` on. Returns the number of bytes, 0 at the end.
    pub fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<usize> {
        let (start, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: the slice's own bounds.
        checked(unsafe { libc::pread(self.0, start, len, offset as libc::off_t) })
    }

    /// Truncates or extends the file.
    pub fn set_size(&self, size: u64) -> Result {
        // SAFETY: an open file.
        done(unsafe { libc::ftruncate(self.0, size as libc::off_t) })
    }

    /// Returns whether all writes go to the end of the file, whatever its position is.
    pub fn appends(&self) -> bool {
        // SAFETY: a descriptor that is not open is an error.
        let flags = unsafe { libc::fcntl(self.0, libc::F_GETFL) };
        flags >= 0 && flags & libc::O_APPEND != 0
    }

    /// Returns the position of the next write.
    pub fn position(&self) -> Result<u64> {
        // SAFETY: an open file.
        let at = unsafe { libc::lseek(self.0, 0, libc::SEEK_CUR) };
        u64::try_from(at).map_err(|_| last_error())
    }

    /// Returns the file's status.
    pub fn status(&self) -> Result<Status> {
        // SAFETY: an open file and room for the answer.
        Status::by(&|stat| unsafe { libc::fstat(self.0, stat) })
    }

    /// Returns the number of the descriptor.
    pub fn number(&self) -> c_int {
        self.0
    }

    /// Returns the place of a name in this directory.
    pub fn at<'a>(&'a self, name: Path<'a>) -> At<'a> {
        At { directory: self.0, name }
    }

    /// Refuses.
    pub fn link(&self, _to: At<'_>) -> Result {
        Err(Error::ENOSYS)
    }

    /// Refuses.
    pub fn try_lock(&self) -> Lock {
        Lock::Impossible(Error::ENOLCK)
    }

    /// Does nothing.
    pub fn unlock(&self) {}
}

impl Drop for Fd {
    fn drop(&mut self) {
        // SAFETY: opened by us and closed just here.
        unsafe { libc::close(self.0) };
    }
}
