//! Devices, pipes and the like, to which bytes are simply written.

#![allow(unsafe_code)]

use super::kernel::{self, libc};
use super::{At, Fd, Status, open};
use crate::error::{Error, Result};

/// Opens a device, a pipe or the like, whose status is known, for writing at its end. `link`: the name is a link to it. Another file by now:
/// [`Error::OVERTAKEN`]. (`O_CREAT` as in [`super::open_or_create_no_link`], for `fs.protected_fifos`.)
pub fn open_stream(at: At<'_>, known: &Status, link: bool) -> Result<Fd> {
    let flags = libc::O_WRONLY | libc::O_APPEND;
    let last = if link { 0 } else { libc::O_NOFOLLOW };
    let stream = match open(at, flags | last | libc::O_CREAT | libc::O_NONBLOCK, 0o666) {
        Err(Error::ELOOP) => Err(Error::OVERTAKEN),
        other => other,
    }?;
    if !stream.status()?.is_same_file(known) {
        return Err(Error::OVERTAKEN);
    }
    // The writes may wait: for the reader of a pipe, as those of the program itself.
    // SAFETY: an open file.
    kernel::done(unsafe { kernel::fcntl(stream.0, libc::F_SETFL, flags as usize) })?;
    Ok(stream)
}
