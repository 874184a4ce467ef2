//! Files that stay in use: locked for as long as they are mapped, and mapped in the place of memory.

use super::super::memory::map;
use super::kernel::libc;
use super::written;
use super::{Fd, kernel};
use crate::error::{Error, Result};

impl Fd {
    /// Returns another descriptor of the open file above 2, which keeps its lock, too.
    pub fn duplicate(&self) -> Result<Fd> {
        // SAFETY: an open file.
        kernel::checked(unsafe { kernel::fcntl(self.0, libc::F_DUPFD_CLOEXEC, 3) }).map(|fd| Fd(fd as _))
    }

    /// Reserves space on the disk for `len` bytes: a store to a mapped page without space is a deadly signal. File systems that cannot
    /// reserve find the space when the bytes are written. Where signals keep interrupting the call, it fails after 100 attempts.
    pub fn allocate(&self, len: u64) -> Result {
        let mut result = Ok(());
        for _ in 0..100 {
            // SAFETY: an open file.
            result = kernel::done(written(unsafe {
                kernel::fallocate(self.0, libc::FALLOC_FL_KEEP_SIZE, 0, len as libc::off_t)
            }));
            if result != Err(Error::EINTR) {
                break;
            }
        }
        match result {
            Err(error @ (Error::ENOSPC | Error::EDQUOT | Error::EFBIG | Error::EIO | Error::EINTR)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Maps `len` bytes of the file from `offset` on, at an address of the system's choice.
    pub fn map(&self, offset: u64, len: usize) -> Result<*mut u8> {
        map(len, libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED, self.0, offset)
    }
}

/// The file that is mapped, which stays open with its lock. (No file is all zeroes, so that the state takes no space in the program's file.)
///
/// On most file systems a mapping keeps the lock, too, when the program closes all descriptors; not on overlayfs, and FUSE with passthrough.
#[derive(Debug)]
pub struct HeldFile(Option<(Fd, [u64; 2])>);

impl HeldFile {
    /// No file.
    pub const NONE: HeldFile = HeldFile(None);

    /// Keeps a file with this device and inode, in place of the one before.
    pub fn keep(&mut self, file: Fd, identity: [u64; 2]) {
        self.release();
        self.0 = Some((file, identity));
    }

    /// Returns how many names the file has. `None`: the program has closed all descriptors, and may have opened other files.
    #[inline(never)]
    pub fn links(&self) -> Option<u64> {
        let (file, identity) = self.0.as_ref()?;
        let now = file.status().ok()?;
        ([now.device, now.inode] == *identity).then_some(now.links)
    }

    /// Closes the file. Its mapping keeps the lock.
    pub fn release(&mut self) {
        let is_open = self.links().is_some();
        if let Some((file, _)) = self.0.take()
            && !is_open
        {
            core::mem::forget(file);
        }
    }
}

/// Moves the mapping at `from`, of a file or of memory, to `to`, in the place of the pages there.
///
/// # Safety
/// `from` and `to` must be `len` bytes of whole mapped pages. The caller needs the bytes at `to` no more, and uses `from` no more.
pub unsafe fn move_pages(from: *mut u8, to: *mut u8, len: usize) -> Result {
    // MREMAP_MAYMOVE | MREMAP_FIXED, which the crate `libc` lacks for Android.
    const MAYMOVE_FIXED: i32 = 3;
    // SAFETY: the caller passes two ranges of whole mapped pages; it uses `from` no more, and needs no bytes at `to`.
    kernel::done(unsafe { kernel::mremap(from.cast(), len, len, MAYMOVE_FIXED, to.cast()) })
}
