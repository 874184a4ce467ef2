//! By number: Linux with 64 bits, where the kernel's types are the C library's.
//!
//! The form of a call with a directory in front is the one that all CPUs have. Each function's contract is that of the C
//! library's function of its name, but that no thread is cancelled in it.

#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "POSIX says it")]

use core::ffi::{c_char, c_int, c_uint, c_void};

use libc::{AT_FDCWD, mode_t, off_t, rlimit, size_t, timespec};

use super::system_call::profrt_system_call;

/// What goes into a register.
trait Word {
    fn word(self) -> usize;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Word for $type {
            #[inline(always)]
            fn word(self) -> usize {
                self as usize
            }
        }
    )*};
}
numbers!(c_int, c_uint, i64, usize);

impl<T> Word for *const T {
    #[inline(always)]
    fn word(self) -> usize {
        self.expose_provenance()
    }
}

impl<T> Word for *mut T {
    #[inline(always)]
    fn word(self) -> usize {
        self.expose_provenance()
    }
}

/// Makes a call with up to six arguments.
macro_rules! call {
    ($number:ident) => { call!($number, 0usize) };
    ($number:ident, $a:expr) => { call!($number, $a, 0usize, 0usize) };
    ($number:ident, $a:expr, $b:expr) => { call!($number, $a, $b, 0usize) };
    ($number:ident, $a:expr, $b:expr, $c:expr) => { call!($number, $a, $b, $c, 0usize) };
    ($number:ident, $a:expr, $b:expr, $c:expr, $d:expr) => { call!($number, $a, $b, $c, $d, 0usize, 0usize) };
    ($number:ident, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr) => { call!($number, $a, $b, $c, $d, $e, 0usize) };
    ($number:ident, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr) => {{
        let (a, b, c, d, e, f) = ($a.word(), $b.word(), $c.word(), $d.word(), $e.word(), $f.word());
        // SAFETY: the contract of the function around, which says what its arguments point to.
        unsafe { profrt_system_call(libc::$number as usize, a, b, c, d, e, f) }
    }};
}

pub unsafe fn open(path: *const c_char, flags: c_int, mode: c_uint) -> isize {
    call!(SYS_openat, AT_FDCWD, path, flags, mode)
}

pub unsafe fn close(fd: c_int) -> isize {
    call!(SYS_close, fd)
}

pub unsafe fn writev(fd: c_int, list: *const libc::iovec, len: c_int) -> isize {
    call!(SYS_writev, fd, list, len)
}

pub unsafe fn pwritev(fd: c_int, list: *const libc::iovec, len: c_int, offset: off_t) -> isize {
    // The offset is two words, of which those of 64 bits take the first.
    call!(SYS_pwritev, fd, list, len, offset, 0usize)
}

pub unsafe fn pread(fd: c_int, bytes: *mut c_void, len: size_t, offset: off_t) -> isize {
    call!(SYS_pread64, fd, bytes, len, offset)
}

pub unsafe fn pwrite(fd: c_int, bytes: *const c_void, len: size_t, offset: off_t) -> isize {
    call!(SYS_pwrite64, fd, bytes, len, offset)
}

pub unsafe fn lseek(fd: c_int, offset: off_t, whence: c_int) -> isize {
    call!(SYS_lseek, fd, offset, whence)
}

pub unsafe fn fstat(fd: c_int, status: *mut libc::stat) -> isize {
    call!(SYS_fstat, fd, status)
}

pub unsafe fn stat(path: *const c_char, status: *mut libc::stat) -> isize {
    call!(SYS_newfstatat, AT_FDCWD, path, status, 0usize)
}

pub unsafe fn fcntl(fd: c_int, command: c_int, argument: usize) -> isize {
    call!(SYS_fcntl, fd, command, argument)
}

pub unsafe fn ftruncate(fd: c_int, size: off_t) -> isize {
    call!(SYS_ftruncate, fd, size)
}

pub unsafe fn fallocate(fd: c_int, mode: c_int, offset: off_t, len: off_t) -> isize {
    call!(SYS_fallocate, fd, mode, offset, len)
}

pub unsafe fn copy_file_range(
    from: c_int,
    from_offset: *mut libc::off64_t,
    to: c_int,
    to_offset: *mut libc::off64_t,
    len: size_t,
    flags: c_uint,
) -> isize {
    call!(SYS_copy_file_range, from, from_offset, to, to_offset, len, flags)
}

pub unsafe fn fchmod(fd: c_int, mode: mode_t) -> isize {
    call!(SYS_fchmod, fd, mode)
}

pub unsafe fn fchown(fd: c_int, user: libc::uid_t, group: libc::gid_t) -> isize {
    call!(SYS_fchown, fd, user, group)
}

pub unsafe fn linkat(
    from_directory: c_int,
    from: *const c_char,
    to_directory: c_int,
    to: *const c_char,
    flags: c_int,
) -> isize {
    call!(SYS_linkat, from_directory, from, to_directory, to, flags)
}

pub unsafe fn link(from: *const c_char, to: *const c_char) -> isize {
    // SAFETY: the caller's contract.
    unsafe { linkat(AT_FDCWD, from, AT_FDCWD, to, 0) }
}

pub unsafe fn rename(from: *const c_char, to: *const c_char) -> isize {
    let here = AT_FDCWD;
    #[cfg(target_arch = "riscv64")]
    let result = call!(SYS_renameat2, here, from, here, to, 0usize);
    // Kernels that do not know the newer one are still about.
    #[cfg(not(target_arch = "riscv64"))]
    let result = call!(SYS_renameat, here, from, here, to);
    result
}

pub unsafe fn unlink(path: *const c_char) -> isize {
    call!(SYS_unlinkat, AT_FDCWD, path, 0usize)
}

pub unsafe fn readlink(path: *const c_char, target: *mut c_char, len: size_t) -> isize {
    call!(SYS_readlinkat, AT_FDCWD, path, target, len)
}

pub unsafe fn mkdir(path: *const c_char, mode: mode_t) -> isize {
    call!(SYS_mkdirat, AT_FDCWD, path, mode)
}

pub unsafe fn mmap(address: *mut c_void, len: size_t, access: c_int, flags: c_int, fd: c_int, offset: off_t) -> isize {
    call!(SYS_mmap, address, len, access, flags, fd, offset)
}

pub unsafe fn mremap(old: *mut c_void, len: size_t, new_len: size_t, flags: c_int, new: *mut c_void) -> isize {
    call!(SYS_mremap, old, len, new_len, flags, new)
}

pub unsafe fn munmap(start: *mut c_void, len: size_t) -> isize {
    call!(SYS_munmap, start, len)
}

pub unsafe fn madvise(start: *mut c_void, len: size_t, advice: c_int) -> isize {
    call!(SYS_madvise, start, len, advice)
}

pub unsafe fn getpid() -> isize {
    call!(SYS_getpid)
}

pub unsafe fn nanosleep(time: *const timespec, left: *mut timespec) -> isize {
    call!(SYS_nanosleep, time, left)
}

pub unsafe fn clock_gettime(clock: libc::clockid_t, time: *mut timespec) -> isize {
    call!(SYS_clock_gettime, clock, time)
}

pub unsafe fn prctl(option: c_int, argument: usize) -> isize {
    call!(SYS_prctl, option, argument)
}

pub unsafe fn get_auxv(bytes: *mut u8, len: size_t) -> isize {
    call!(SYS_prctl, super::PR_GET_AUXV, bytes, len)
}

pub unsafe fn getrlimit(resource: c_uint, limit: *mut rlimit) -> isize {
    let none: *const rlimit = core::ptr::null();
    call!(SYS_prlimit64, 0usize, resource, none, limit)
}

pub unsafe fn gethostname(name: *mut c_char, len: size_t) -> isize {
    let mut names = core::mem::MaybeUninit::<libc::utsname>::uninit();
    let result = call!(SYS_uname, names.as_mut_ptr());
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

pub unsafe fn rt_sigprocmask(how: c_int, set: *const u64, old: *mut u64) -> isize {
    call!(SYS_rt_sigprocmask, how, set, old, size_of::<u64>())
}

pub unsafe fn rt_sigpending(set: *mut u64) -> isize {
    call!(SYS_rt_sigpending, set, size_of::<u64>())
}

pub unsafe fn rt_sigtimedwait(set: *const u64, info: *mut c_void, time: *const timespec) -> isize {
    call!(SYS_rt_sigtimedwait, set, info, time, size_of::<u64>())
}

pub unsafe fn renameat2(
    from_directory: c_int,
    from: *const c_char,
    to_directory: c_int,
    to: *const c_char,
    flags: c_uint,
) -> isize {
    call!(SYS_renameat2, from_directory, from, to_directory, to, flags)
}

pub unsafe fn gettid() -> isize {
    call!(SYS_gettid)
}

pub unsafe fn rt_tgsigqueueinfo(process: c_int, thread: c_int, number: c_int, info: *const c_void) -> isize {
    call!(SYS_rt_tgsigqueueinfo, process, thread, number, info)
}

pub unsafe fn tgkill(process: c_int, thread: c_int, number: c_int) -> isize {
    call!(SYS_tgkill, process, thread, number)
}
