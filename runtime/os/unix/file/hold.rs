//! Files that stay in use: locked for as long as they are mapped, and mapped in the place of memory.
//!
//! On most file systems a mapping keeps the open file, and with it the lock, when the descriptor is closed; the kernel releases the lock with
//! the last mapping, however the process ends. On the other file systems the descriptor stays open ([`HeldLock`]).

use core::ptr;

use super::kernel::libc;
use super::lock::set_lock;
use super::{Fd, Status, kernel};
use crate::error::{Error, Result};

impl Fd {
    /// Locks the file for as long as it is open or mapped. Returns `false` if another process or image has locked it. Fails where files cannot be locked.
    pub fn hold(&self) -> Result<bool> {
        match set_lock(self.0, true, libc::F_OFD_SETLK) {
            Err(Error::EAGAIN) => Ok(false),
            other => other.map(|()| true),
        }
    }

    /// Reserves space on the disk for `len` bytes: a store to a mapped page without space is a deadly signal. File systems that cannot
    /// reserve find the space when the bytes are written. Where signals keep interrupting the call, it fails after 100 attempts.
    pub fn allocate(&self, len: u64) -> Result {
        let mut result = Ok(());
        for _ in 0..100 {
            // SAFETY: an open file.
            result =
                kernel::done(unsafe { kernel::fallocate(self.0, libc::FALLOC_FL_KEEP_SIZE, 0, len as libc::off_t) });
            if result != Err(Error::EINTR) {
                break;
            }
        }
        match result {
            Err(error @ (Error::ENOSPC | Error::EDQUOT | Error::EFBIG | Error::EIO | Error::EINTR)) => Err(error),
            _ => Ok(()),
        }
    }

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

    /// Writes bytes at `offset`, in one piece if they do not cross a page.
    pub fn write_at(&self, bytes: &[u8], offset: u64) -> Result {
        // SAFETY: the slice's own bounds.
        let done = kernel::checked(unsafe {
            kernel::pwrite(self.0, bytes.as_ptr().cast(), bytes.len(), offset as libc::off_t)
        })?;
        if done == bytes.len() { Ok(()) } else { Err(Error::EIO) }
    }

    /// Maps `len` bytes of the file from `offset` on, at an address of the system's choice.
    pub fn map(&self, offset: u64, len: usize) -> Result<*mut u8> {
        let (access, offset) = (libc::PROT_READ | libc::PROT_WRITE, offset as libc::off_t);
        // SAFETY: a new mapping at an address of the system's choice touches nothing that exists.
        let start = unsafe { kernel::mmap(ptr::null_mut(), len, access, libc::MAP_SHARED, self.0, offset) };
        kernel::checked(start).map(ptr::with_exposed_provenance_mut)
    }
}

/// Types of file systems where a mapping keeps the open file of a layer below, which has no locks: overlayfs, and FUSE with passthrough.
const LAYERED: [u32; 2] = [0x794c_7630, 0x6573_5546];

/// The lock of a file that is mapped. (No lock is all zeroes, so that the state takes no space in the file of the program.)
#[derive(Debug)]
pub struct HeldLock {
    /// The device of the last file; 0: there was none.
    device: u64,
    /// The file system of that device is one of [`LAYERED`].
    layered: bool,
    /// The file, with its device and inode, if its mapping does not keep the lock.
    open: Option<(Fd, [u64; 2])>,
}

impl HeldLock {
    /// No lock.
    pub const NONE: HeldLock = HeldLock { device: 0, layered: false, open: None };

    /// Keeps the lock of a file that was locked ([`Fd::hold`]) and then mapped, in place of the lock that was kept before.
    pub fn keep(&mut self, file: Fd) {
        self.release();
        let Ok(Status { device, inode, .. }) = file.status() else { return };
        // A signal handler in a sandbox replaces a file on the same device; the sandbox need not know one more system call.
        if self.device != device {
            self.layered = file.is_layered();
            self.device = device;
        }
        if self.layered {
            self.open = Some((file, [device, inode]));
        }
    }

    /// Releases the lock, unless a mapping keeps it.
    pub fn release(&mut self) {
        let Some((file, identity)) = self.open.take() else { return };
        if !file.status().is_ok_and(|now| [now.device, now.inode] == identity) {
            // The program has closed all descriptors, and opened other files.
            core::mem::forget(file);
        }
    }
}

impl Fd {
    /// Returns whether the file's system is one of [`LAYERED`].
    fn is_layered(&self) -> bool {
        // SAFETY: all-zero is a valid `statfs`.
        let mut system: libc::statfs = unsafe { core::mem::zeroed() };
        // SAFETY: an open file, and room for the answer.
        let known = kernel::done(unsafe { kernel::fstatfs(self.0, &mut system) });
        known.is_ok() && LAYERED.contains(&(system.f_type as u32))
    }
}

/// Moves the mapping at `from`, of a file or of memory, to `to`, in the place of the pages there.
///
/// # Safety
/// `from` and `to` must be `len` bytes of whole mapped pages. The caller needs the bytes at `to` no more, and uses `from` no more.
pub unsafe fn move_pages(from: *mut u8, to: *mut u8, len: usize) -> Result {
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: the caller passes two ranges of whole mapped pages; it uses `from` no more, and needs no bytes at `to`.
    kernel::done(unsafe { kernel::mremap(from.cast(), len, len, flags, to.cast()) })
}
