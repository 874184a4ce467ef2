//! Names of files, and the directories in which they are looked up.

#![allow(unsafe_code)]

use core::ffi::{c_int, c_uint};

use super::kernel;
use crate::error::Result;
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
