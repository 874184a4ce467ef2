//! Through the C library's functions.

#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "POSIX says it")]
#![allow(clippy::unnecessary_cast, reason = "the types differ between systems")]

use core::ffi::{c_char, c_int, c_uint, c_void};

use super::libc::{self, mode_t, off_t, rlimit, size_t, timespec};
use crate::error::{Error, Result};

/// The kernel's form of a result.
fn result(of: isize) -> isize {
    if of == -1 { super::negative_errno() } else { of }
}

/// Makes a call.
fn once(mut call: impl FnMut() -> isize) -> isize {
    result(call())
}

/// Makes a call, again as long as it is interrupted.
fn again(mut call: impl FnMut() -> isize) -> isize {
    loop {
        let result = result(call());
        if result != -(libc::EINTR as isize) {
            return result;
        }
    }
}

/// Functions of the same names and arguments.
macro_rules! same {
    ($($how:ident fn $name:ident($($arg:ident: $type:ty),*);)*) => {$(
        pub unsafe fn $name($($arg: $type),*) -> isize {
            // SAFETY: the caller's contract, which is that of the C library's function.
            $how(|| unsafe { libc::$name($($arg as _),*) } as isize)
        }
    )*};
}

same! {
    once fn close(fd: c_int);
    again fn writev(fd: c_int, list: *const libc::iovec, len: c_int);
    again fn pwritev(fd: c_int, list: *const libc::iovec, len: c_int, offset: off_t);
    again fn pread(fd: c_int, bytes: *mut c_void, len: size_t, offset: off_t);
    again fn pwrite(fd: c_int, bytes: *const c_void, len: size_t, offset: off_t);
    again fn fstat(fd: c_int, status: *mut libc::stat);
    again fn fstatat(directory: c_int, path: *const c_char, status: *mut libc::stat, flags: c_int);
    again fn ftruncate(fd: c_int, size: off_t);
    once fn fallocate(fd: c_int, mode: c_int, offset: off_t, len: off_t);
    once fn fchmod(fd: c_int, mode: mode_t);
    once fn futimens(fd: c_int, times: *const libc::timespec);
    once fn fgetxattr(fd: c_int, name: *const c_char, value: *mut c_void, len: size_t);
    once fn fchown(fd: c_int, user: libc::uid_t, group: libc::gid_t);
    again fn linkat(from_directory: c_int, from: *const c_char, to_directory: c_int, to: *const c_char, flags: c_int);
    again fn renameat(from_directory: c_int, from: *const c_char, to_directory: c_int, to: *const c_char);
    once fn unlinkat(directory: c_int, path: *const c_char, flags: c_int);
    again fn readlink(path: *const c_char, target: *mut c_char, len: size_t);
    again fn mkdir(path: *const c_char, mode: mode_t);
    once fn mmap(address: *mut c_void, len: size_t, access: c_int, flags: c_int, fd: c_int, offset: off_t);
    once fn munmap(start: *mut c_void, len: size_t);
    once fn madvise(start: *mut c_void, len: size_t, advice: c_int);
    once fn geteuid();
    once fn getpid();
    once fn getppid();
    once fn getuid();
    once fn getgid();
    once fn getegid();
    once fn kill(process: c_int, signal: c_int);
    once fn nanosleep(time: *const timespec, left: *mut timespec);
    once fn clock_gettime(clock: libc::clockid_t, time: *mut timespec);
    once fn getrlimit(resource: c_uint, limit: *mut rlimit);
    once fn gethostname(name: *mut c_char, len: size_t);
}

pub unsafe fn print(list: *const libc::iovec, len: c_int) -> isize {
    // SAFETY: the caller's contract, which is that of `writev`.
    once(|| unsafe { libc::writev(libc::STDERR_FILENO, list, len) })
}

pub unsafe fn copy_file_range(
    from: c_int,
    from_offset: *mut libc::off64_t,
    to: c_int,
    to_offset: *mut libc::off64_t,
    len: size_t,
) -> isize {
    // SAFETY: the caller's contract, which is that of the C library's function.
    again(|| unsafe { libc::copy_file_range(from, from_offset, to, to_offset, len, 0) } as isize)
}

/// `lseek`, whose result has more bits than an address may have.
#[inline]
pub unsafe fn seek(fd: c_int, offset: u64, whence: c_int) -> Result<u64> {
    // SAFETY: the caller's contract, which is that of the C library's function.
    let place = unsafe { libc::lseek(fd, offset as off_t, whence) };
    if place == -1 { Err(Error::os(super::negative_errno().wrapping_neg() as i32)) } else { Ok(place as u64) }
}

/// Functions of any number of arguments: what is passed has to have the type that it is taken for.
macro_rules! variadic {
    ($($how:ident fn $name:ident($($arg:ident: $type:ty),*);)*) => {$(
        pub unsafe fn $name($($arg: $type),*) -> isize {
            // SAFETY: the caller's contract, which is that of the C library's function.
            $how(|| unsafe { libc::$name($($arg),*) } as isize)
        }
    )*};
}

variadic! {
    again fn openat(directory: c_int, path: *const c_char, flags: c_int, mode: c_uint);
    again fn fcntl(fd: c_int, command: c_int, argument: usize);
    once fn mremap(old: *mut c_void, len: size_t, new_len: size_t, flags: c_int, new: *mut c_void);
    once fn prctl(option: c_int, argument: usize);
}

/// Calls that not every C library has a function for, or another one of that name.
macro_rules! numbered {
    ($($how:ident fn $name:ident = $number:ident($($arg:ident: $type:ty),*) $(, $more:expr)*;)*) => {$(
        pub unsafe fn $name($($arg: $type),*) -> isize {
            // SAFETY: the caller's contract.
            $how(|| unsafe { libc::syscall(libc::$number $(, $arg)* $(, $more)*) } as isize)
        }
    )*};
}

numbered! {
    once fn rt_sigprocmask = SYS_rt_sigprocmask(how: c_int, set: *const u64, old: *mut u64), size_of::<u64>();
    once fn rt_sigpending = SYS_rt_sigpending(set: *mut u64), size_of::<u64>();
    once fn rt_sigtimedwait = SYS_rt_sigtimedwait(set: *const u64, info: *mut c_void, time: *const timespec), size_of::<u64>();
    again fn renameat2 = SYS_renameat2(
        from_directory: c_int,
        from: *const c_char,
        to_directory: c_int,
        to: *const c_char,
        flags: c_uint
    );
    once fn gettid = SYS_gettid();
    once fn getrandom = SYS_getrandom(bytes: *mut c_void, len: size_t, flags: c_uint);
    again fn getdents64 = SYS_getdents64(fd: c_int, entries: *mut c_void, len: size_t);
    once fn prctl_auxv = SYS_prctl(option: c_int, bytes: *mut u8, len: size_t), 0usize, 0usize;
    once fn rt_tgsigqueueinfo = SYS_rt_tgsigqueueinfo(process: c_int, thread: c_int, number: c_int, info: *const c_void);
    once fn tgkill = SYS_tgkill(process: c_int, thread: c_int, number: c_int);
}

pub unsafe fn get_auxv(bytes: *mut u8, len: size_t) -> isize {
    // SAFETY: the caller's contract.
    unsafe { prctl_auxv(super::PR_GET_AUXV, bytes, len) }
}
