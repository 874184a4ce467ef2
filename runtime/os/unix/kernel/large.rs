//! The C library as it is where files may be large: glibc's plain calls take 32-bit offsets on CPUs with 32 bits, and fail with `EOVERFLOW` at
//! a file of 2 GiB or an inode number of more than 32 bits. Its other calls go by the plain names here.

#![allow(unsafe_code)]

pub use ::libc::*;
#[allow(unused_imports, reason = "all whose plain names would be wrong")]
pub use ::libc::{
    fallocate64 as fallocate, flock64 as flock, fstat64 as fstat, fstatat64 as fstatat, fstatfs64 as fstatfs,
    ftruncate64 as ftruncate, lseek64 as lseek, mmap64 as mmap, off64_t as off_t, open64 as open, openat64 as openat,
    pread64 as pread, pwrite64 as pwrite, pwritev64 as pwritev, stat64 as stat, statfs64 as statfs,
};

/// Calls `fcntl` by number: glibc has a function that takes a [`flock`] of 64 bits from 2.28 on.
///
/// # Safety
/// That of the call: the argument must be what the command takes.
pub unsafe fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_long {
    // SAFETY: this function's contract.
    unsafe { ::libc::syscall(::libc::SYS_fcntl64, fd, command, argument) }
}
