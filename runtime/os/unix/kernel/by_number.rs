//! By number: Linux with 64 bits, where the kernel's types are the C library's.
//!
//! The form of a call with a directory in front is the one that all CPUs have. Each function's contract is that of the C
//! library's function of its name, but that no thread is cancelled in it.

#![allow(unsafe_code)]
#![allow(clippy::missing_safety_doc, reason = "POSIX says it")]
#![allow(clippy::unnecessary_cast, reason = "arguments of all types are words")]

use core::ffi::{c_char, c_int, c_uint, c_void};

use libc::*;

use super::system_call::profrt_system_call;
use crate::error::Result;

// Kernels that do not know the newer call are still about, but not on this CPU. (The flags are 0.)
#[cfg(target_arch = "riscv64")]
#[allow(non_upper_case_globals)]
const SYS_renameat: c_long = SYS_renameat2;

/// Makes a call: `once`, or, with up to five arguments, `again` as long as it is interrupted.
macro_rules! call {
    ($how:ident $number:ident) => { call!($how $number, 0usize) };
    ($how:ident $number:ident, $a:expr) => { call!($how $number, $a, 0usize) };
    ($how:ident $number:ident, $a:expr, $b:expr) => { call!($how $number, $a, $b, 0usize) };
    ($how:ident $number:ident, $a:expr, $b:expr, $c:expr) => { call!($how $number, $a, $b, $c, 0usize) };
    ($how:ident $number:ident, $a:expr, $b:expr, $c:expr, $d:expr) => { call!($how $number, $a, $b, $c, $d, 0usize) };
    ($how:ident $number:ident, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr) => {{
        let (a, b, c, d, e) = ($a as usize, $b as usize, $c as usize, $d as usize, $e as usize);
        // SAFETY: the contract of the function around, which says what its arguments point to.
        unsafe { $how(a, b, c, d, e, $number as usize) }
    }};
    (once $number:ident, $a:expr, $b:expr, $c:expr, $d:expr, $e:expr, $f:expr) => {{
        let (a, b, c, d, e, f) = ($a as usize, $b as usize, $c as usize, $d as usize, $e as usize, $f as usize);
        // SAFETY: as for fewer arguments.
        unsafe { profrt_system_call($number as usize, a, b, c, d, e, f) }
    }};
}

/// Makes a system call. The number comes last, so that arguments need not move from register to register on the way here.
#[inline(never)]
unsafe fn once(a: usize, b: usize, c: usize, d: usize, e: usize, number: usize) -> isize {
    // SAFETY: the caller passes the arguments that this system call takes.
    unsafe { profrt_system_call(number, a, b, c, d, e, 0) }
}

/// Makes a system call, again while signals interrupt it.
#[inline(never)]
unsafe fn again(a: usize, b: usize, c: usize, d: usize, e: usize, number: usize) -> isize {
    loop {
        // SAFETY: the caller passes the arguments that this system call takes.
        let result = unsafe { profrt_system_call(number, a, b, c, d, e, 0) };
        if result != -(EINTR as isize) {
            return result;
        }
    }
}

macro_rules! by_number {
    ($($how:ident $kind:ident fn $name:ident = $number:ident($($arg:ident: $type:ty),*);)*) => {$(
        #[inline]
        pub unsafe fn $name($($arg: $type),*) -> isize {
            call!($how $number $(, $arg)*)
        }
    )*};
}
calls!(by_number);

#[inline]
pub unsafe fn seek(fd: c_int, offset: u64, whence: c_int) -> Result<u64> {
    super::checked(call!(again SYS_lseek, fd, offset, whence)).map(|place| place as u64)
}
