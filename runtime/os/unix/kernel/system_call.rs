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
