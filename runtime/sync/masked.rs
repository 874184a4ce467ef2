//! A few instructions that no interrupt comes between.
//!
//! Works in privileged code, which is all code on most of these CPUs; not masked are NMI and faults. Where it was masked
//! before, it stays so.

#![allow(unsafe_code)]

use core::sync::atomic::{Ordering, compiler_fence};

/// Does `work` with interrupts masked.
#[inline]
pub fn whole<T>(work: impl FnOnce() -> T) -> T {
    let before = cpu::mask();
    compiler_fence(Ordering::SeqCst);
    let result = work();
    compiler_fence(Ordering::SeqCst);
    cpu::restore(before);
    result
}

/// ARMv6-M: the lowest bit of PRIMASK.
#[cfg(all(target_arch = "arm", not(test)))]
mod cpu {
    use core::arch::asm;

    #[inline(always)]
    pub fn mask() -> u32 {
        let before: u32;
        // SAFETY: reads a register and masks interrupts; a handler between the two leaves the register as it was.
        unsafe { asm!("mrs {}, PRIMASK", "cpsid i", out(reg) before, options(nostack, preserves_flags)) }
        before
    }

    #[inline(always)]
    pub fn restore(before: u32) {
        // SAFETY: what `mask` has read.
        unsafe { asm!("msr PRIMASK, {}", in(reg) before, options(nostack, preserves_flags)) }
    }
}

/// RISC-V in machine mode: MIE of mstatus.
#[cfg(all(any(target_arch = "riscv32", target_arch = "riscv64"), not(test)))]
mod cpu {
    use core::arch::asm;

    const MIE: usize = 8;

    #[inline(always)]
    pub fn mask() -> usize {
        let before: usize;
        // SAFETY: one instruction that clears the bit and says what was there.
        unsafe { asm!("csrrci {}, mstatus, {}", out(reg) before, const MIE, options(nostack, preserves_flags)) }
        before & MIE
    }

    #[inline(always)]
    pub fn restore(before: usize) {
        // SAFETY: sets the bit if it was set, and none but it.
        unsafe { asm!("csrs mstatus, {}", in(reg) before, options(nostack, preserves_flags)) }
    }
}

#[cfg(test)]
#[path = "tests/signals.rs"]
mod cpu;
