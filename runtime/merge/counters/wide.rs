//! Adds counters in registers of 256 bits, where the CPU has them.

#![allow(unsafe_code)]

use core::arch::x86_64::{
    __cpuid, __cpuid_count, __m256i, _mm256_add_epi64, _mm256_loadu_si256, _mm256_or_si256, _mm256_setzero_si256,
    _mm256_storeu_si256,
};
use core::sync::atomic::{AtomicU8, Ordering};

use super::narrow::sum;

/// The smallest number of counters worth asking the CPU for AVX2, which on a virtual machine takes as long as some thousand
/// instructions.
const LEAST: usize = 4096;

/// Adds counters to counters, wrapping around, with AVX2 where that pays. Returns what [`sum`] returns.
pub fn sum_fast(ours: &mut [u64], theirs: &[[u8; 8]]) -> u64 {
    if ours.len() < LEAST || !has_avx2() {
        return sum(ours, theirs);
    }
    // SAFETY: `has_avx2` has found that the CPU has the instructions, and that the system saves the registers.
    unsafe { sum_wide(ours, theirs) }
}

/// The number of counters that one turn of the loop adds: four registers.
const LANES: usize = 16;

/// Adds four counters to four, and sets in `any` all bits that are set in any of the summands.
///
/// # Safety
/// Both must point to 32 bytes, and nobody else may use those of `ours`. No alignment is needed.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn add_four(ours: *mut __m256i, theirs: *const __m256i, any: &mut __m256i) {
    // SAFETY: 32 bytes each, by this function's contract.
    unsafe {
        let (our, their) = (_mm256_loadu_si256(ours), _mm256_loadu_si256(theirs));
        *any = _mm256_or_si256(*any, _mm256_or_si256(our, their));
        _mm256_storeu_si256(ours, _mm256_add_epi64(our, their));
    }
}

/// Adds counters to counters, wrapping around, with AVX2. Returns what [`sum`] returns.
#[target_feature(enable = "avx2")]
fn sum_wide(ours: &mut [u64], theirs: &[[u8; 8]]) -> u64 {
    let len = ours.len().min(theirs.len()) / LANES * LANES;
    let (first_of_ours, first_of_theirs) = (ours.as_mut_ptr(), theirs.as_ptr());
    let (mut first, mut second) = (_mm256_setzero_si256(), _mm256_setzero_si256());
    let mut at: usize = 0;
    while at < len {
        // SAFETY: `len` is a multiple of `LANES` and not above either length, so both slices have `LANES` counters from `at` on.
        unsafe {
            let (ours, theirs) = (first_of_ours.add(at).cast(), first_of_theirs.add(at).cast());
            add_four(ours, theirs, &mut first);
            add_four(ours.add(1), theirs.add(1), &mut second);
            add_four(ours.add(2), theirs.add(2), &mut first);
            add_four(ours.add(3), theirs.add(3), &mut second);
        }
        at = at.wrapping_add(LANES);
    }
    let (rest, others) = (ours.get_mut(len..).unwrap_or_default(), theirs.get(len..).unwrap_or(&[]));
    let any = _mm256_or_si256(first, second);
    let mut lanes = [0u64; 4];
    // SAFETY: an array of 32 bytes.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), any) };
    lanes.iter().fold(sum(rest, others), |any, lane| any | lane)
}

/// Whether the CPU has AVX2. 0: unknown; 1: no; 2: yes.
static AVX2: AtomicU8 = AtomicU8::new(0);

/// Returns whether the CPU has AVX2 and the system saves its registers. Asks once.
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

/// Asks the CPU whether it has AVX2, and whether the system saves its registers.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::vec::Vec;

    proptest! {
        #[test]
        fn the_same_as_one_by_one(
            counters in proptest::collection::vec((any::<u64>(), any::<u64>(), 0u32..64), 0..100),
            longer in 0usize..3,
        ) {
            if !has_avx2() {
                std::eprintln!("not tried: this CPU has no AVX2");
                return Ok(());
            }
            // Small ones, so that no bit is set in all.
            let ours: Vec<u64> = counters.iter().map(|(our, _, shift)| our >> shift).collect();
            let mut theirs: Vec<[u8; 8]> = counters.iter().map(|(_, their, shift)| (their >> shift).to_ne_bytes()).collect();
            theirs.resize(theirs.len() + longer, [1; 8]);
            let (mut wide, mut plain) = (ours.clone(), ours);
            // SAFETY: the CPU has the instructions.
            let any = unsafe { sum_wide(&mut wide, &theirs) };
            prop_assert_eq!(any, sum(&mut plain, &theirs));
            prop_assert_eq!(wide, plain);
        }
    }
}
