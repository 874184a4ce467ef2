//! System calls, in the kernel's form: a result, or the error's number less than 0.
//!
//! Each function of the C library that a program refers to is looked up by the loader, which costs the program's start more
//! than all else that a runtime does there. So where the calls have the same form on all CPUs, which is Linux with 64 bits,
//! they are made by number; elsewhere through the C library's functions, with 64-bit offsets everywhere.

/// Has the macro `$implement` define the calls: `once`, or `again` as long as a signal interrupts the call (not `fallocate`: some file
/// systems begin anew then). Where numbers are not used, `named` and `variadic` calls are functions of the C library, and `numbered` ones its
/// `syscall`, since not every C library has a function for them. macOS refuses what is `numbered`, but for a few, and `linux`.
macro_rules! calls {
    ($implement:ident) => { $implement! {
        again variadic fn openat = SYS_openat(directory: c_int, path: *const c_char, flags: c_int, mode: c_uint);
        once named fn close = SYS_close(fd: c_int);
        again named fn writev = SYS_writev(fd: c_int, list: *const iovec, len: c_int);
        once numbered fn writev_once = SYS_writev(fd: c_int, list: *const iovec, len: c_int);
        // The offset is two words, of which those of 64 bits take the first.
        again named fn pwritev = SYS_pwritev(fd: c_int, list: *const iovec, len: c_int, offset: off_t);
        again named fn pread = SYS_pread64(fd: c_int, bytes: *mut c_void, len: size_t, offset: off_t);
        again named fn fstat = SYS_fstat(fd: c_int, status: *mut stat);
        again named fn fstatat = SYS_newfstatat(directory: c_int, path: *const c_char, status: *mut stat, flags: c_int);
        again variadic fn fcntl = SYS_fcntl(fd: c_int, command: c_int, argument: usize);
        again named fn ftruncate = SYS_ftruncate(fd: c_int, size: off_t);
        once linux fn fallocate = SYS_fallocate(fd: c_int, mode: c_int, offset: off_t, len: off_t);
        once named fn fchmod = SYS_fchmod(fd: c_int, mode: mode_t);
        once named fn fchown = SYS_fchown(fd: c_int, user: uid_t, group: gid_t);
        once linux fn fgetxattr = SYS_fgetxattr(fd: c_int, name: *const c_char, value: *mut c_void, len: size_t);
        again named fn linkat = SYS_linkat(
            from_directory: c_int, from: *const c_char, to_directory: c_int, to: *const c_char, flags: c_int
        );
        again named fn renameat = SYS_renameat(from_directory: c_int, from: *const c_char, to_directory: c_int, to: *const c_char);
        again numbered fn renameat2 = SYS_renameat2(
            from_directory: c_int, from: *const c_char, to_directory: c_int, to: *const c_char, flags: c_uint
        );
        once named fn unlinkat = SYS_unlinkat(directory: c_int, path: *const c_char, flags: c_int);
        again named fn readlinkat = SYS_readlinkat(directory: c_int, path: *const c_char, target: *mut c_char, len: size_t);
        again named fn mkdirat = SYS_mkdirat(directory: c_int, path: *const c_char, mode: mode_t);
        once numbered fn mremap = SYS_mremap(old: *mut c_void, len: size_t, new_len: size_t, flags: c_int, new: *mut c_void);
        once named fn mmap = SYS_mmap(
            address: *mut c_void, len: size_t, access: c_int, flags: c_int, fd: c_int, offset: off_t
        );
        once named fn munmap = SYS_munmap(start: *mut c_void, len: size_t);
        once named fn geteuid = SYS_geteuid();
        once numbered fn exit_group = SYS_exit_group(status: c_int);
        once named fn getpid = SYS_getpid();
        once named fn getppid = SYS_getppid();
        once numbered fn gettid = SYS_gettid();
        once named fn kill = SYS_kill(process: c_int, signal: c_int);
        once named fn nanosleep = SYS_nanosleep(time: *const timespec, left: *mut timespec);
        once named fn clock_gettime = SYS_clock_gettime(clock: clockid_t, time: *mut timespec);
        once named fn uname = SYS_uname(names: *mut utsname);
        once linux fn prctl = SYS_prctl(option: c_int, argument: usize);
        once numbered fn rt_sigprocmask = SYS_rt_sigprocmask(how: c_int, set: *const u64, old: *mut u64, size: size_t);
        once numbered fn rt_sigtimedwait = SYS_rt_sigtimedwait(
            set: *const u64, info: *mut c_void, time: *const timespec, size: size_t
        );
        once numbered fn rt_tgsigqueueinfo = SYS_rt_tgsigqueueinfo(
            process: c_int, thread: c_int, number: c_int, info: *const c_void
        );
        once numbered fn tgkill = SYS_tgkill(process: c_int, thread: c_int, number: c_int);
    }};
}

// Others with 64 bits have other forms of some calls.
#[cfg(kernel_by_number)]
mod by_number;
#[cfg(kernel_by_number)]
pub use by_number::*;

#[cfg(not(kernel_by_number))]
mod by_name;
#[cfg(not(kernel_by_number))]
pub use by_name::*;

/// The C library with types and calls that have 64-bit file offsets.
#[cfg(large_files_by_other_names)]
pub mod libc {
    //! The C library as it is where files may be large: glibc's plain calls take 32-bit offsets on CPUs with 32 bits, and fail with `EOVERFLOW` at
    //! a file of 2 GiB or an inode number of more than 32 bits. Its other calls go by the plain names here.

    #![allow(unsafe_code)]

    pub use ::libc::*;
    #[allow(unused_imports, reason = "all whose plain names would be wrong")]
    pub use ::libc::{
        fallocate64 as fallocate, flock64 as flock, fstat64 as fstat, fstatat64 as fstatat, fstatfs64 as fstatfs,
        ftruncate64 as ftruncate, lseek64 as lseek, mmap64 as mmap, off64_t as off_t, open64 as open,
        openat64 as openat, pread64 as pread, pwrite64 as pwrite, pwritev64 as pwritev, stat64 as stat,
        statfs64 as statfs,
    };

    /// Calls `fcntl` by number: glibc has a function that takes a [`flock`] of 64 bits from 2.28 on.
    ///
    /// # Safety
    /// That of the call: the argument must be what the command takes.
    pub unsafe fn fcntl(fd: c_int, command: c_int, argument: usize) -> c_long {
        // SAFETY: this function's contract.
        unsafe { ::libc::syscall(::libc::SYS_fcntl64, fd, command, argument) }
    }
}
#[cfg(target_os = "macos")]
#[path = "kernel/darwin.rs"]
pub mod libc;
#[cfg(not(any(large_files_by_other_names, target_os = "macos")))]
pub use ::libc;

use crate::error::{Error, Result};

/// Converts the result of a system call.
#[inline]
pub fn checked(result: isize) -> Result<usize> {
    // Errors are the last page of addresses, which no call returns otherwise.
    const ERRORS: usize = 4096;
    let value = result as usize;
    if value > usize::MAX - ERRORS { Err(Error::os(result.wrapping_neg() as i32)) } else { Ok(value) }
}

/// Converts the result of a system call that returns only success or an error.
pub fn done(result: isize) -> Result {
    checked(result).map(drop)
}

#[cfg(kernel_by_number)]
mod system_call {
    //! The instruction that enters the kernel.
    //!
    //! In a module of its own, so that it is an archive member of its own: a program that defines the function itself gets that one,
    //! which is how tests let calls fail. It has a name that members share but nobody else sees.

    #![allow(unsafe_code)]

    crate::link::hide!("profrt_system_call");

    /// Makes a system call: its result, or the error's number less than 0.
    ///
    /// # Safety
    /// The arguments must be what the call of this number takes.
    #[unsafe(no_mangle)]
    #[inline(never)]
    pub unsafe extern "C" fn profrt_system_call(
        number: usize,
        a: usize,
        b: usize,
        c: usize,
        d: usize,
        e: usize,
        f: usize,
    ) -> isize {
        let result: isize;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: the kernel keeps all registers but these three; what it does to memory is the caller's contract.
        unsafe {
            core::arch::asm!(
                "syscall",
                inout("rax") number as isize => result,
                in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
                out("rcx") _, out("r11") _,
                options(nostack)
            );
        }
        #[cfg(target_arch = "aarch64")]
        // SAFETY: the kernel keeps all registers but the result's; what it does to memory is the caller's contract.
        unsafe {
            core::arch::asm!(
                "svc 0",
                in("x8") number,
                inout("x0") a => result,
                in("x1") b, in("x2") c, in("x3") d, in("x4") e, in("x5") f,
                options(nostack)
            );
        }
        #[cfg(target_arch = "riscv64")]
        // SAFETY: the kernel keeps all registers but the result's; what it does to memory is the caller's contract.
        unsafe {
            core::arch::asm!(
                "ecall",
                in("a7") number,
                inout("a0") a => result,
                in("a1") b, in("a2") c, in("a3") d, in("a4") e, in("a5") f,
                options(nostack)
            );
        }
        result
    }
}
