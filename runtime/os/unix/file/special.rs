//! Devices, pipes and the like, to which bytes are simply written.

#![allow(unsafe_code)]

use super::kernel::{self, libc};
use super::{Fd, open};
use crate::error::Result;
use crate::path::Path;

/// Opens a device, a pipe or the like for writing at its end. (`O_CREAT` as in [`super::open_or_create_no_link`], for `fs.protected_fifos`.)
pub fn open_stream(path: Path<'_>) -> Result<Fd> {
    let flags = libc::O_WRONLY | libc::O_APPEND;
    let stream = open(path.into(), flags | libc::O_CREAT | libc::O_NONBLOCK, 0o666)?;
    // The writes may wait: for the reader of a pipe, as those of the program itself.
    // SAFETY: an open file.
    kernel::done(unsafe { kernel::fcntl(stream.0, libc::F_SETFL, flags as usize) })?;
    Ok(stream)
}
