//! By number: Linux with 64 bits, where the kernel's types are the C library's.
//!
//! The form of a call with a directory in front is the one that all CPUs have. Each function's contract is that of the C
//! library's function of its name, but that no thread is cancelled in it.

#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "POSIX says it")]

use core::ffi::{c_char, c_int, c_uint, c_void};

use libc::{AT_FDCWD, mode_t, off_t, rlimit, size_t, timespec};

use super::system_call::profrt_system_call;
use crate::error::Result;

/// What goes into a register.
trait Argument {
    fn word(self) -> usize;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Argument for $type {
            #[inline(always)]
            fn word(self) -> usize {
                self as usize
            }
        }
    )*};
}
numbers!(c_int, c_uint, i64, usize);

impl<T> Argument for *const T {
    #[inline(always)]
    fn word(self) -> usize {
        self.expose_provenance()
    }
}

impl<T> Argument for *mut T {
    #[inline(always)]
    fn word(self) -> usize {
        self.expose_provenance()
    }
}

/// Makes a call with up to five arguments: `once`, or `again` as long as it is interrupted.
macro_rules! call {
    ($how:ident $number:ident) => { call!($how $number, 0usize) };
    ($how:ident $number:ident, $a:expr) => { call!($how $number, $a, 0usize) };
    ($how:ident $number:ident, $a:expr, $b:expr) => { call!($how $number, $a, $b, 0usize) };
    ($how:ident $number:ident, $a:expr, $b:expr, $c:expr) => { call!($how $number, $a, $b, $c, 0usize) };
    ($how:ident $number:ident, $a:expr, $b:expr, $c:expr, $d:expr) => { call!($how $number, $a, $b, $c, $d, 0usize) };
    ($how:ident $number:ident, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr) => {{
        let (a, b, c, d, e) = ($a.word(), $b.word(), $c.word(), $d.word(), $e.word());
        // SAFETY: the contract of the function around, which says what its arguments point to.
        unsafe { $how(a, b, c, d, e, libc::$number as usize) }
    }};
}

/// The number comes last, so that arguments need not move from register to register on the way here.
#[inline(never)]
unsafe fn once(a: usize, b: usize, c: usize, d: usize, e: usize, number: usize) -> isize {
    // SAFETY: the caller's contract.
    unsafe { profrt_system_call(number, a, b, c, d, e, 0) }
}

#[inline(never)]
unsafe fn again(a: usize, b: usize, c: usize, d: usize, e: usize, number: usize) -> isize {
    loop {
        // SAFETY: the caller's contract.
        let result = unsafe { profrt_system_call(number, a, b, c, d, e, 0) };
        if result != -(libc::EINTR as isize) {
            return result;
        }
    }
}

#[inline]
pub unsafe fn openat(directory: c_int, path: *const c_char, flags: c_int, mode: c_uint) -> isize {
    call!(again SYS_openat, directory, path, flags, mode)
}

#[inline]
pub unsafe fn close(fd: c_int) -> isize {
    call!(once SYS_close, fd)
}

#[inline]
pub unsafe fn writev(fd: c_int, list: *const libc::iovec, len: c_int) -> isize {
    call!(again SYS_writev, fd, list, len)
}

#[inline]
pub unsafe fn print(list: *const libc::iovec, len: c_int) -> isize {
    call!(once SYS_writev, libc::STDERR_FILENO, list, len)
}

#[inline]
pub unsafe fn pwritev(fd: c_int, list: *const libc::iovec, len: c_int, offset: off_t) -> isize {
    // The offset is two words, of which those of 64 bits take the first.
    call!(again SYS_pwritev, fd, list, len, offset)
}

#[inline]
pub unsafe fn pread(fd: c_int, bytes: *mut c_void, len: size_t, offset: off_t) -> isize {
    call!(again SYS_pread64, fd, bytes, len, offset)
}

#[inline]
pub unsafe fn pwrite(fd: c_int, bytes: *const c_void, len: size_t, offset: off_t) -> isize {
    call!(again SYS_pwrite64, fd, bytes, len, offset)
}

#[inline]
pub unsafe fn seek(fd: c_int, offset: u64, whence: c_int) -> Result<u64> {
    super::checked(call!(again SYS_lseek, fd, offset as off_t, whence)).map(|place| place as u64)
}

#[inline]
pub unsafe fn fstat(fd: c_int, status: *mut libc::stat) -> isize {
    call!(again SYS_fstat, fd, status)
}

#[inline]
pub unsafe fn fstatat(directory: c_int, path: *const c_char, status: *mut libc::stat, flags: c_int) -> isize {
    call!(again SYS_newfstatat, directory, path, status, flags)
}

#[inline]
pub unsafe fn fcntl(fd: c_int, command: c_int, argument: usize) -> isize {
    call!(again SYS_fcntl, fd, command, argument)
}

#[inline]
pub unsafe fn ftruncate(fd: c_int, size: off_t) -> isize {
    call!(again SYS_ftruncate, fd, size)
}

#[inline]
pub unsafe fn fallocate(fd: c_int, mode: c_int, offset: off_t, len: off_t) -> isize {
    call!(once SYS_fallocate, fd, mode, offset, len)
}

#[inline]
pub unsafe fn copy_file_range(
    from: c_int,
    from_offset: *mut libc::off64_t,
    to: c_int,
    to_offset: *mut libc::off64_t,
    len: size_t,
) -> isize {
    // The flags, of which there are none, are the sixth argument, and 0.
    call!(again SYS_copy_file_range, from, from_offset, to, to_offset, len)
}

#[inline]
pub unsafe fn fchmod(fd: c_int, mode: mode_t) -> isize {
    call!(once SYS_fchmod, fd, mode)
}

#[inline]
pub unsafe fn futimens(fd: c_int, times: *const libc::timespec) -> isize {
    call!(once SYS_utimensat, fd, core::ptr::null::<c_char>(), times, 0)
}

#[inline]
pub unsafe fn fgetxattr(fd: c_int, name: *const c_char, value: *mut c_void, len: size_t) -> isize {
    call!(once SYS_fgetxattr, fd, name, value, len)
}

#[inline]
pub unsafe fn fchown(fd: c_int, user: libc::uid_t, group: libc::gid_t) -> isize {
    call!(once SYS_fchown, fd, user, group)
}

#[inline]
pub unsafe fn linkat(
    from_directory: c_int,
    from: *const c_char,
    to_directory: c_int,
    to: *const c_char,
    flags: c_int,
) -> isize {
    call!(again SYS_linkat, from_directory, from, to_directory, to, flags)
}

#[inline]
pub unsafe fn renameat(from_directory: c_int, from: *const c_char, to_directory: c_int, to: *const c_char) -> isize {
    #[cfg(target_arch = "riscv64")]
    let result = call!(again SYS_renameat2, from_directory, from, to_directory, to, 0usize);
    // Kernels that do not know the newer one are still about.
    #[cfg(not(target_arch = "riscv64"))]
    let result = call!(again SYS_renameat, from_directory, from, to_directory, to);
    result
}

#[inline]
pub unsafe fn unlinkat(directory: c_int, path: *const c_char, flags: c_int) -> isize {
    call!(once SYS_unlinkat, directory, path, flags)
}

#[inline]
pub unsafe fn readlink(path: *const c_char, target: *mut c_char, len: size_t) -> isize {
    call!(again SYS_readlinkat, AT_FDCWD, path, target, len)
}

#[inline]
pub unsafe fn mkdir(path: *const c_char, mode: mode_t) -> isize {
    call!(again SYS_mkdirat, AT_FDCWD, path, mode)
}

#[inline]
pub unsafe fn mmap(address: *mut c_void, len: size_t, access: c_int, flags: c_int, fd: c_int, offset: off_t) -> isize {
    let (address, access, flags, fd) = (address.word(), access.word(), flags.word(), fd.word());
    // SAFETY: this function's contract.
    unsafe { profrt_system_call(libc::SYS_mmap as usize, address, len, access, flags, fd, offset.word()) }
}

#[inline]
pub unsafe fn mremap(old: *mut c_void, len: size_t, new_len: size_t, flags: c_int, new: *mut c_void) -> isize {
    call!(once SYS_mremap, old, len, new_len, flags, new)
}

#[inline]
pub unsafe fn munmap(start: *mut c_void, len: size_t) -> isize {
    call!(once SYS_munmap, start, len)
}

#[inline]
pub unsafe fn madvise(start: *mut c_void, len: size_t, advice: c_int) -> isize {
    call!(once SYS_madvise, start, len, advice)
}

#[inline]
pub unsafe fn geteuid() -> isize {
    call!(once SYS_geteuid)
}

#[inline]
pub unsafe fn getpid() -> isize {
    call!(once SYS_getpid)
}

#[inline]
pub unsafe fn getppid() -> isize {
    call!(once SYS_getppid)
}

#[inline]
pub unsafe fn getuid() -> isize {
    call!(once SYS_getuid)
}

#[inline]
pub unsafe fn getgid() -> isize {
    call!(once SYS_getgid)
}

#[inline]
pub unsafe fn getegid() -> isize {
    call!(once SYS_getegid)
}

#[inline]
pub unsafe fn kill(process: c_int, signal: c_int) -> isize {
    call!(once SYS_kill, process, signal)
}

#[inline]
pub unsafe fn getrandom(bytes: *mut c_void, len: size_t, flags: c_uint) -> isize {
    call!(once SYS_getrandom, bytes, len, flags)
}

#[inline]
pub unsafe fn getdents64(fd: c_int, entries: *mut c_void, len: size_t) -> isize {
    call!(again SYS_getdents64, fd, entries, len)
}

#[inline]
pub unsafe fn nanosleep(time: *const timespec, left: *mut timespec) -> isize {
    call!(once SYS_nanosleep, time, left)
}

#[inline]
pub unsafe fn clock_gettime(clock: libc::clockid_t, time: *mut timespec) -> isize {
    call!(once SYS_clock_gettime, clock, time)
}

#[inline]
pub unsafe fn prctl(option: c_int, argument: usize) -> isize {
    call!(once SYS_prctl, option, argument)
}

#[inline]
pub unsafe fn get_auxv(bytes: *mut u8, len: size_t) -> isize {
    call!(once SYS_prctl, super::PR_GET_AUXV, bytes, len)
}

#[inline]
pub unsafe fn getrlimit(resource: c_uint, limit: *mut rlimit) -> isize {
    let none: *const rlimit = core::ptr::null();
    call!(once SYS_prlimit64, 0usize, resource, none, limit)
}

#[inline]
pub unsafe fn gethostname(name: *mut c_char, len: size_t) -> isize {
    let mut names = core::mem::MaybeUninit::<libc::utsname>::uninit();
    let result = call!(once SYS_uname, names.as_mut_ptr());
    if result == 0 {
        // SAFETY: filled by the call that has succeeded.
        let names = unsafe { names.assume_init_ref() };
        let room = len.min(names.nodename.len());
        for (at, byte) in names.nodename.iter().take(room).enumerate() {
            // SAFETY: less than the caller's room. Volatile, or it becomes a call of `memcpy`, which a program without a C library
            // does not have.
            unsafe { name.wrapping_add(at).write_volatile(*byte) };
        }
    }
    result
}

#[inline]
pub unsafe fn rt_sigprocmask(how: c_int, set: *const u64, old: *mut u64) -> isize {
    call!(once SYS_rt_sigprocmask, how, set, old, size_of::<u64>())
}

#[inline]
pub unsafe fn rt_sigpending(set: *mut u64) -> isize {
    call!(once SYS_rt_sigpending, set, size_of::<u64>())
}

#[inline]
pub unsafe fn rt_sigtimedwait(set: *const u64, info: *mut c_void, time: *const timespec) -> isize {
    call!(once SYS_rt_sigtimedwait, set, info, time, size_of::<u64>())
}

#[inline]
pub unsafe fn renameat2(
    from_directory: c_int,
    from: *const c_char,
    to_directory: c_int,
    to: *const c_char,
    flags: c_uint,
) -> isize {
    call!(again SYS_renameat2, from_directory, from, to_directory, to, flags)
}

#[inline]
pub unsafe fn gettid() -> isize {
    call!(once SYS_gettid)
}

#[inline]
pub unsafe fn rt_tgsigqueueinfo(process: c_int, thread: c_int, number: c_int, info: *const c_void) -> isize {
    call!(once SYS_rt_tgsigqueueinfo, process, thread, number, info)
}

#[inline]
pub unsafe fn tgkill(process: c_int, thread: c_int, number: c_int) -> isize {
    call!(once SYS_tgkill, process, thread, number)
}
