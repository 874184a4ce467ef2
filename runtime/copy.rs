//! Copies bytes without `memcpy`: a freestanding program need not have one, and in other programs the loader would have to look it up.

#![allow(unsafe_code)]

/// Copies bytes.
///
/// # Safety
/// `from` must be readable and `to` writable for `len` bytes, and the two must not overlap.
#[cfg(target_arch = "x86_64")]
pub unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
    // SAFETY: the caller's contract. The direction flag is clear by the ABI; the string instructions change just their three
    // registers and the destination.
    unsafe {
        core::arch::asm!(
            "rep movsb",
            inout("rcx") len => _,
            inout("rdi") to => _,
            inout("rsi") from => _,
            options(nostack)
        );
    }
}

/// Copies bytes.
///
/// # Safety
/// `from` must be readable and `to` writable for `len` bytes, and the two must not overlap.
#[cfg(not(target_arch = "x86_64"))]
#[cfg_attr(not(feature = "hosted"), inline)]
pub unsafe fn copy(to: *mut u8, from: *const u8, len: usize) {
    const WORD: usize = size_of::<usize>();
    let mut done = 0;
    let aligned = (to as usize) % WORD == 0 && (from as usize) % WORD == 0;
    // Volatile accesses, because the optimiser turns a plain loop into a call of `memcpy`.
    while aligned && len - done >= WORD {
        // SAFETY: below `len` by the condition, aligned by the check above.
        unsafe {
            let word = from.add(done).cast::<usize>().read_volatile();
            to.add(done).cast::<usize>().write_volatile(word);
        }
        done += WORD;
    }
    while done < len {
        // SAFETY: below `len`.
        unsafe { to.add(done).write_volatile(from.add(done).read_volatile()) };
        done += 1;
    }
}
