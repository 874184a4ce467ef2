//! Firmware in Rust whose coverage goes to a file of the host: start-up, the code under test, the dump.

#![no_std]
#![no_main]

use core::arch::{asm, global_asm};
use core::panic::PanicInfo;

use profrt::sink::Semihosting;

// Reset: variables, then `main`.
global_asm!(
    ".section .vectors, \"a\"",
    ".word stack_top, reset, fault, fault, fault, fault, fault",
    ".text",
    ".thumb_func",
    ".globl reset",
    "reset:",
    "ldr r0, =data_start",
    "ldr r1, =data_end",
    "ldr r2, =data_load",
    "b 2f",
    "1: ldr r3, [r2], #4",
    "str r3, [r0], #4",
    "2: cmp r0, r1",
    "blo 1b",
    "ldr r0, =bss_start",
    "ldr r1, =bss_end",
    "movs r2, #0",
    "b 4f",
    "3: str r2, [r0], #4",
    "4: cmp r0, r1",
    "blo 3b",
    "bl main",
    ".thumb_func",
    "fault:",
    "b fault",
    ".pool",
);

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    // Counters are where the linker fragment of profrt places them; nothing else gives them their initial values.
    // This function has been counted by then, so its page says that its beginning never ran.
    profrt::start();
    let mut sum = 0;
    for n in 0..100 {
        sum += subject(n);
    }
    let done = sum == 1722 && profrt::check() == profrt::State::Ready && dump().is_ok();
    stop(done)
}

#[inline(never)]
fn subject(n: u32) -> u32 {
    if n % 3 == 0 { n } else if n == 1000 { 0 } else if n < 5 { 2 } else { never_or(n) }
}

#[inline(never)]
fn never_or(n: u32) -> u32 {
    match n {
        200.. => n * 2,
        50.. => 1,
        _ => 0,
    }
}

/// The counts, for llvm-profdata, to a file of the host.
fn dump() -> profrt::Result {
    let mut file = Semihosting::create(c"raw.profraw")?;
    profrt::capture(&mut file)?;
    file.close()
}

/// Ends QEMU.
fn stop(good: bool) -> ! {
    let reason = if good { 0x20026 } else { 0x20023 };
    loop {
        // SAFETY: SYS_EXIT, with a reason; a debugger or an emulator listens.
        unsafe { asm!("bkpt #0xab", in("r0") 0x18, in("r1") reason) };
    }
}

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    stop(false)
}
