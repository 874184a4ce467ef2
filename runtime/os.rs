//! The operating-system layer: primitives for hosted systems (`unix`, also macOS, `wasi`, `windows`) or without any (`none`).
//! `nothing` has what several of them lack, and answers "not here"; `plain_files` what the files of WASI and Windows have in common.
//!
//! Rules for all: no panic; no heap, no `stdio`, async-signal-safe, unless a function says otherwise. Calls on files that a signal has
//! interrupted are repeated, `fallocate` a limited number of times. Failures are [`crate::error::Error::os`] with the `errno`. File descriptors are
//! opened close-on-exec and are never 0, 1 or 2.

#[cfg(not(complete))]
mod nothing;
#[cfg(all(feature = "hosted", not(unix)))]
mod plain_files;
#[cfg(all(feature = "hosted", unix))]
mod unix;
#[cfg(all(feature = "hosted", target_os = "wasi"))]
mod wasi;
#[cfg(all(feature = "hosted", windows))]
mod windows;

#[cfg(feature = "hosted")]
pub use files::DIRECTORY_MODE;
#[cfg(not(feature = "hosted"))]
pub use none::*;
/// What C libraries have for the streams and the heap of the program, which only calls of the program use.
#[cfg(feature = "hosted")]
pub mod c {
    pub use libc::{FILE, SEEK_SET, fflush, fileno, fseek, fwrite, malloc};
}
#[cfg(all(feature = "hosted", not(unix)))]
pub use nothing::*;
#[cfg(all(feature = "hosted", unix))]
pub use unix::*;
#[cfg(all(feature = "hosted", target_os = "wasi"))]
pub use wasi::*;
#[cfg(all(feature = "hosted", windows))]
pub use windows::*;

#[cfg(feature = "hosted")]
mod files {
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
}

#[cfg(not(feature = "hosted"))]
mod none {
    //! Without an operating system: no pages, no files, and threads are not known.

    pub use super::nothing::*;

    /// Returns `None`: pages cannot be mapped.
    pub fn map_pages(_len: usize) -> Option<*mut u8> {
        None
    }

    /// Does nothing, since nothing was mapped.
    pub fn unmap_pages(_start: *mut u8, _len: usize) {}
}
