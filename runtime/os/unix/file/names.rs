//! Names of files, and the directories in which they are looked up.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_uint};

use super::kernel;
use crate::error::{Error, Result};
use crate::path::Path;

/// A name, and the directory in which it is looked up.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    pub(super) directory: c_int,
    pub(super) name: Path<'a>,
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

/// Renames a file as `flags` say.
fn rename_with(from: At<'_>, to: At<'_>, flags: c_uint) -> Result {
    // SAFETY: two C strings. By number, for not every C library has the call.
    kernel::done(unsafe {
        kernel::renameat2(from.directory, from.name.as_ptr(), to.directory, to.name.as_ptr(), flags)
    })
}

/// Gives `from`'s file the name `to` if that is free (`EEXIST`), where the system can do both at once.
pub fn rename_if_free(from: At<'_>, to: At<'_>) -> Result {
    const RENAME_NOREPLACE: c_uint = 1;
    rename_with(from, to, RENAME_NOREPLACE)
}

/// Gives `from`'s file the name `to`, which another file has, and that one is removed. When we are killed in between, or the system does not
/// remove it, the other one is still there, under the name `from`. After an error, nothing has changed.
///
/// Not by [`rename`] where the system can exchange names: some file systems (ext4) take a file that is renamed over another for
/// one that must survive a loss of power, and write it to the disk before they go on, which takes longer than all else.
pub fn replace(from: At<'_>, to: At<'_>) -> Result {
    const RENAME_EXCHANGE: c_uint = 2;
    if rename_with(from, to, RENAME_EXCHANGE).is_err() {
        return rename(from, to);
    }
    match remove(from) {
        Ok(()) | Err(Error::ENOENT) => Ok(()),
        Err(error) => match rename_with(from, to, RENAME_EXCHANGE) {
            // A rename removes the old file where a filter of system calls lets nothing else do that.
            Ok(()) => rename(from, to).map_err(|_| error),
            Err(_) => Ok(()),
        },
    }
}

/// Fails if the system refuses to rename or remove this file whatever the new name is: in a sandbox, or on a read-only file system.
/// Renames the file to the name that it has: the kernel checks permission before it notices that nothing changes.
pub fn check_rename_allowed(at: At<'_>) -> Result {
    match rename(at, at) {
        Err(error @ (Error::EACCES | Error::EPERM | Error::EROFS)) => Err(error),
        _ => Ok(()),
    }
}

/// Gives the file at `from` the second name `to`, which must be free.
pub fn link(from: At<'_>, to: At<'_>) -> Result {
    // SAFETY: two C strings.
    kernel::done(unsafe { kernel::linkat(from.directory, from.name.as_ptr(), to.directory, to.name.as_ptr(), 0) })
}

/// Removes a name.
pub fn remove(at: At<'_>) -> Result {
    // SAFETY: a C string.
    kernel::done(unsafe { kernel::unlinkat(at.directory, at.name.as_ptr(), 0) })
}
