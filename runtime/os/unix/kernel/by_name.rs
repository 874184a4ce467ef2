//! Through the C library's functions.

#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "POSIX says it")]
#![allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
#![cfg_attr(target_os = "macos", allow(unused_variables, reason = "calls of Linux are refused"))]

use core::ffi::{c_char, c_int, c_uint, c_void};

use super::libc::{self, clockid_t, gid_t, iovec, mode_t, off_t, size_t, stat, timespec, uid_t, utsname};
use crate::error::Result;

/// Makes a call.
fn once(mut call: impl FnMut() -> isize) -> isize {
    match call() {
        // SAFETY: always a valid pointer to this thread's errno.
        -1 => (unsafe { *super::super::errno_place() } as isize).wrapping_neg(),
        result => result,
    }
}

/// Makes a call, again as long as it is interrupted.
fn again(mut call: impl FnMut() -> isize) -> isize {
    loop {
        let result = once(&mut call);
        if result != -(libc::EINTR as isize) {
            return result;
        }
    }
}

/// Calls the C library: with casts, where its types differ between systems; functions of any number of arguments take what they get.
#[cfg(not(target_os = "macos"))]
macro_rules! function {
    (linux $name:ident $number:ident $($arg:ident)*) => { libc::$name($($arg),*) };
    (named $name:ident $number:ident $($arg:ident)*) => { libc::$name($($arg as _),*) };
    (variadic $name:ident $number:ident $($arg:ident)*) => { libc::$name($($arg),*) };
    (numbered $name:ident $number:ident $($arg:ident)*) => { libc::syscall(libc::$number $(, $arg)*) };
}

/// Calls macOS's: some calls that Linux has by number by other names, with flags of the same values.
#[cfg(target_os = "macos")]
macro_rules! function {
    (named $name:ident $number:ident $($arg:ident)*) => { libc::$name($($arg as _),*) };
    (variadic $name:ident $number:ident $($arg:ident)*) => { libc::$name($($arg),*) };
    (numbered writev_once $number:ident $($arg:ident)*) => { libc::writev($($arg),*) };
    (numbered renameat2 $number:ident $($arg:ident)*) => { libc::renameatx_np($($arg),*) };
    (numbered rt_sigprocmask $number:ident $how:ident $set:ident $old:ident $size:ident) => {
        libc::pthread_sigmask($how, $set.cast(), $old.cast())
    };
    (numbered tgkill $number:ident $process:ident $thread:ident $signal:ident) => { libc::raise($signal) };
    ($kind:ident $name:ident $($rest:ident)*) => {{
        *super::super::errno_place() = libc::ENOSYS;
        -1
    }};
}

macro_rules! by_name {
    ($($how:ident $kind:ident fn $name:ident = $number:ident($($arg:ident: $type:ty),*);)*) => {$(
        pub unsafe fn $name($($arg: $type),*) -> isize {
            // SAFETY: the caller's contract, which is that of the C library's function.
            $how(|| unsafe { function!($kind $name $number $($arg)*) } as isize)
        }
    )*};
}
calls!(by_name);

/// Calls `lseek`, whose result may have more bits than an address.
pub unsafe fn seek(fd: c_int, offset: u64, whence: c_int) -> Result<u64> {
    // SAFETY: the caller's contract, which is that of the C library's function.
    match unsafe { libc::lseek(fd, offset as off_t, whence) } {
        -1 => Err(super::super::last_error()),
        place => Ok(place as u64),
    }
}
