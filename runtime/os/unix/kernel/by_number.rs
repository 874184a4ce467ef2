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

/// Makes a call: `once`, or `again` as long as it is interrupted.
macro_rules! call {
    (once $($call:tt)*) => { call!(false, $($call)*) };
    (again $($call:tt)*) => { call!(true, $($call)*) };
    ($again:literal, $number:ident $(, $argument:expr)*) => {
        // SAFETY: the contract of the function around, which says what its arguments point to.
        unsafe { call::<$again, _>($number as usize, [$($argument as usize),*]) }
    };
}

/// Makes a system call by the shortest way for so many arguments. Those that are not given are 0.
#[inline(always)]
unsafe fn call<const AGAIN: bool, const N: usize>(number: usize, arguments: [usize; N]) -> isize {
    let at = |index: usize| arguments.get(index).copied().unwrap_or(0);
    const { assert!(N < 6 || !AGAIN) };
    // SAFETY: the caller passes the arguments that this system call takes.
    unsafe {
        match N {
            0..=3 if AGAIN => three_again(number, at(0), at(1), at(2)),
            0..=3 => three(number, at(0), at(1), at(2)),
            _ if AGAIN => five_again(number, at(0), at(1), at(2), at(3), at(4)),
            4..=5 => five(number, at(0), at(1), at(2), at(3), at(4)),
            _ => profrt_system_call(number, at(0), at(1), at(2), at(3), at(4), at(5)),
        }
    }
}

// What fits into registers is passed in them, unchanged from one of these functions to the next. The contract of each: the system call takes these
// arguments, and 0 for the others.

#[inline(never)]
unsafe fn three(number: usize, a: usize, b: usize, c: usize) -> isize {
    // SAFETY: this function's contract.
    unsafe { five(number, a, b, c, 0, 0) }
}

#[inline(never)]
unsafe fn five(number: usize, a: usize, b: usize, c: usize, d: usize, e: usize) -> isize {
    // SAFETY: this function's contract.
    unsafe { profrt_system_call(number, a, b, c, d, e, 0) }
}

#[inline(never)]
unsafe fn three_again(number: usize, a: usize, b: usize, c: usize) -> isize {
    // SAFETY: this function's contract.
    unsafe { five_again(number, a, b, c, 0, 0) }
}

#[inline(never)]
unsafe fn five_again(number: usize, a: usize, b: usize, c: usize, d: usize, e: usize) -> isize {
    loop {
        // SAFETY: this function's contract.
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
