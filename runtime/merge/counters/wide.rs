//! The sum of counters with the widest registers that the CPU has: the same loop, compiled once more.

#![allow(unsafe_code)]

use core::arch::x86_64::{__cpuid, __cpuid_count};
use core::sync::atomic::{AtomicU8, Ordering};

use super::sum;

/// Fewer are not worth asking the CPU, which on a virtual machine takes some thousand instructions' time.
const LEAST: usize = 4096;

/// As [`sum`].
pub fn sum_fast(ours: &mut [u64], theirs: &[[u8; 8]]) -> u64 {
    if ours.len() < LEAST || !has_avx2() {
        return sum(ours, theirs);
    }
    // SAFETY: the CPU has the instructions, and the system saves the registers.
    unsafe { sum_wide(ours, theirs) }
}

#[target_feature(enable = "avx2")]
fn sum_wide(ours: &mut [u64], theirs: &[[u8; 8]]) -> u64 {
    sum(ours, theirs)
}

/// 0: not known yet; 1: it has not; 2: it has.
static AVX2: AtomicU8 = AtomicU8::new(0);

fn has_avx2() -> bool {
    match AVX2.load(Ordering::Relaxed) {
        0 => {
            let has = ask();
            AVX2.store(1 + u8::from(has), Ordering::Relaxed);
            has
        }
        known => known == 2,
    }
}

#[cold]
fn ask() -> bool {
    const OSXSAVE: u32 = 1 << 27;
    const AVX: u32 = 1 << 28;
    const AVX2: u32 = 1 << 5;
    // Registers of 128 and of 256 bits.
    const STATE: u32 = 0b110;
    if __cpuid(0).eax < 7 || __cpuid(1).ecx & (OSXSAVE | AVX) != OSXSAVE | AVX || __cpuid_count(7, 0).ebx & AVX2 == 0 {
        return false;
    }
    let saved: u32;
    // SAFETY: allowed where OSXSAVE is set; reads a register.
    unsafe {
        core::arch::asm!("xgetbv", in("ecx") 0, out("eax") saved, out("edx") _, options(nomem, nostack, preserves_flags));
    }
    saved & STATE == STATE
}
