//! What files have in common on all systems.

use core::sync::atomic::AtomicU32;

use super::file::{Fd, Status};
use crate::error::{Error, Result};

/// The mode of directories that the runtime creates; the program may set another one.
pub static DIRECTORY_MODE: AtomicU32 = AtomicU32::new(0o755);

/// What became of an attempt to lock a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lock {
    /// We have the lock.
    Taken,
    /// Another process has it.
    Busy,
    /// A process that may only be able to read the file has a read lock.
    HeldByReader,
    /// The file cannot be locked, for this reason: there are no locks on this file system.
    Impossible(Error),
}

impl Fd {
    /// Fills all of `buffer` from `offset` on.
    pub fn read_all(&self, buffer: &mut [u8], offset: u64) -> Result {
        let mut done: usize = 0;
        while done < buffer.len() {
            let room = buffer.get_mut(done..).unwrap_or_default();
            match self.read_at(room, offset.wrapping_add(done as u64))? {
                0 => return Err(Error::TRUNCATED),
                read => done = done.wrapping_add(read),
            }
        }
        Ok(())
    }
}

impl Status {
    /// Returns whether both are of one file.
    pub fn is_same_file(&self, other: &Status) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}
