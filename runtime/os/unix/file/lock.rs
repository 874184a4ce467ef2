//! Locks of files against other processes.

#![allow(unsafe_code)]

use core::ffi::c_int;

use super::kernel::libc;
use super::{Fd, Lock, kernel, process_id};
use crate::error::{Error, Result};

/// Most files can be locked.
pub const LOCKS: bool = true;
/// A rename replaces a file that somebody has open.
pub const REPLACES_OPEN: bool = true;

/// Locks or unlocks a whole file.
fn set_lock(fd: c_int, on: bool, command: c_int) -> Result {
    // SAFETY: all-zero is a valid `flock`: the whole file.
    let mut lock: libc::flock = unsafe { core::mem::zeroed() };
    lock.l_type = (if on { libc::F_WRLCK } else { libc::F_UNLCK }) as libc::c_short;
    // SAFETY: a valid lock; a descriptor that is not open is an error.
    kernel::done(unsafe { kernel::fcntl(fd, command, (&raw const lock).expose_provenance()) })
}

impl Fd {
    /// Locks the file, if no other process has it locked. A POSIX lock of the program itself counts as ours.
    pub fn try_lock(&self) -> Lock {
        match set_lock(self.0, true, libc::F_OFD_SETLK) {
            Ok(()) => Lock::Taken,
            Err(Error::EAGAIN) => self.refused(),
            Err(error) => Lock::Impossible(error),
        }
    }

    /// Returns whose lock keeps us from locking the file. A read lock is not another writer's, and is not waited for: any reader could block us.
    fn refused(&self) -> Lock {
        // SAFETY: all-zero is a valid `flock`: the whole file.
        let mut lock: libc::flock = unsafe { core::mem::zeroed() };
        lock.l_type = libc::F_WRLCK as libc::c_short;
        // SAFETY: an open file, and room for the answer. `l_pid` is -1 for an OFD lock.
        let known = unsafe { kernel::fcntl(self.0, libc::F_OFD_GETLK, (&raw mut lock).expose_provenance()) } >= 0;
        match c_int::from(lock.l_type) {
            kind if !known || kind == libc::F_UNLCK as c_int => Lock::Busy,
            // The program's own, which it took before it gave us the file.
            _ if i64::from(lock.l_pid) == i64::from(process_id()) => Lock::Taken,
            kind if kind == libc::F_RDLCK as c_int => Lock::HeldByReader,
            _ => Lock::Busy,
        }
    }

    /// Unlocks it. Closing is not enough: a child that was forked meanwhile has the file open too, with the lock.
    pub fn unlock(&self) {
        let _ = set_lock(self.0, false, libc::F_OFD_SETLK);
    }
}
