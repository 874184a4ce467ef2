//! The C library of macOS, with what Linux has besides: in another form where macOS has the like, else so that the call is refused.

#![allow(unsafe_code)]
#![allow(deprecated, reason = "the loader's functions go to a crate of their own")]

pub use ::libc::__error as __errno_location;
pub use ::libc::*;

/// A directory that names are looked up in is opened for reading.
pub const O_PATH: c_int = 0;
/// There are no files without a name: a directory cannot be opened for writing.
pub const O_TMPFILE: c_int = O_DIRECTORY;
/// No command: nobody knows whose a lock is.
pub const F_OFD_GETLK: c_int = -1;
// No signals.
pub const SIGPOLL: c_int = 0;
pub const SIGPWR: c_int = 0;
pub const SIGSTKFLT: c_int = 0;
// Of refused calls.
pub const FALLOC_FL_KEEP_SIZE: c_int = 0;
pub const PR_GET_PDEATHSIG: c_int = 0;
pub const PR_SET_PDEATHSIG: c_int = 0;
// The questions of `getauxval`.
pub const AT_PAGESZ: c_ulong = 6;
pub const AT_ENTRY: c_ulong = 9;
pub const AT_EUID: c_ulong = 12;
pub const AT_SECURE: c_ulong = 23;

/// Answers as Linux does. The entry is an address in the executable.
///
/// # Safety
/// None.
pub unsafe fn getauxval(kind: c_ulong) -> c_ulong {
    // SAFETY: no preconditions.
    unsafe {
        match kind {
            AT_PAGESZ => sysconf(_SC_PAGESIZE) as c_ulong,
            AT_ENTRY => _dyld_get_image_header(0) as c_ulong,
            AT_EUID => geteuid().into(),
            _ => issetugid() as c_ulong,
        }
    }
}

/// Calls `fcntl`; `flock` for a lock that belongs to an open file and not to the process.
///
/// # Safety
/// That of the call: the argument must be what the command takes.
pub unsafe fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_int {
    if command != F_OFD_SETLK {
        // SAFETY: this function's contract.
        return unsafe { ::libc::fcntl(fd, command, argument) };
    }
    // SAFETY: this function's contract: the lock.
    let lock = unsafe { &*core::ptr::with_exposed_provenance::<flock>(argument) };
    let how = if lock.l_type == F_UNLCK as c_short { LOCK_UN } else { LOCK_EX | LOCK_NB };
    // SAFETY: a descriptor that is not open is an error.
    unsafe { ::libc::flock(fd, how) }
}
