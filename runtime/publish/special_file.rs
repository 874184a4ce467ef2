//! Writing to what is no regular file, or to a file that somebody has open.

use super::Profile;
use super::publisher::Publisher;
use crate::error::{Error, Result};
use crate::os::file::{self, Fd};
use crate::os::{self, Deadline, Quiet};
use crate::sink::file::File;

impl Publisher {
    /// A device, a pipe, a terminal, or a file that somebody has open: the bytes are simply written.
    pub(super) fn write_stream(&mut self, name: &[u8], profile: &mut Profile<'_>, deadline: &mut Deadline) -> Result {
        self.real.set(name)?;
        loop {
            match file::open_stream(self.real.as_path()) {
                // A named pipe that nobody reads yet.
                Err(Error::ENXIO) if file::is_pipe(self.real.as_path()) && !deadline.is_over() => os::pause(),
                stream => return write_to(&stream?, profile),
            }
        }
    }
}

/// Writes the profile at the place where an open file is.
pub(super) fn write_to(fd: &Fd, profile: &mut Profile<'_>) -> Result {
    let _quiet = Quiet::begin();
    profile.content.write(None, File::new(fd).sink())
}
