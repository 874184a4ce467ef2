//! Writes to files that cannot be replaced: devices, pipes, and files that a process has open.

use super::Profile;
use super::publisher::Publisher;
use crate::error::{Error, Result};
use crate::os::file::{self, Fd};
use crate::os::{self, Deadline, WriteSignalsBlocked};
use crate::sink::file::File;

impl Publisher {
    /// Writes the profile to a device, a pipe, a terminal, or a file that another process has open.
    pub(super) fn write_special(&mut self, name: &[u8], profile: &mut Profile<'_>, deadline: &mut Deadline) -> Result {
        self.real.set(name)?;
        loop {
            match file::open_stream(self.real.as_path()) {
                // The file is a named pipe that no process reads yet.
                Err(Error::ENXIO) if file::is_pipe(self.real.as_path()) && !deadline.is_over() => os::pause(),
                stream => return write_to(&stream?, profile),
            }
        }
    }
}

/// Writes the profile at the current position of an open file.
pub(super) fn write_to(fd: &Fd, profile: &mut Profile<'_>) -> Result {
    let _blocked = WriteSignalsBlocked::begin();
    profile.content.write_profile(None, File::new(fd).sink())
}
