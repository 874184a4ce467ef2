//! Whether the process has only one thread.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, Ordering};

core::arch::global_asm!(".weak __libc_single_threaded");

unsafe extern "C" {
    // glibc 2.32 and up; elsewhere the weak reference is null.
    #[link_name = "__libc_single_threaded"]
    static LIBC: AtomicU8;
}

/// What is said where the C library says nothing: more than one, so that counts are exact.
static UNKNOWN: AtomicU8 = AtomicU8::new(0);
/// The byte to ask.
static BYTE: AtomicPtr<AtomicU8> = AtomicPtr::new((&raw const UNKNOWN).cast_mut());

/// There is a C library: its constructor calls have reached us.
static LEARNED: AtomicBool = AtomicBool::new(false);

/// Finds out how to ask. To be called once, by the constructor; until then the answer is always `false`.
#[inline(never)]
pub fn learn_threads() {
    // Hidden from the optimiser, which takes no static to be at address 0.
    let byte = core::hint::black_box(&raw const LIBC);
    LEARNED.store(true, Ordering::Relaxed);
    if !byte.is_null() {
        BYTE.store(byte.cast_mut(), Ordering::Relaxed);
    }
}

/// The C library says so. (glibc from 2.32 on, and bionic.)
pub fn says_threads() -> bool {
    BYTE.load(Ordering::Relaxed) != (&raw const UNKNOWN).cast_mut()
}

/// A number that tells this thread from all other living ones, at the price of one instruction: where the C library keeps
/// the thread's own data. `None` while nobody knows whether there is a C library.
#[inline(always)]
pub fn thread_pointer() -> Option<usize> {
    if LEARNED.load(Ordering::Relaxed) { own_block() } else { None }
}

/// The same in a process that has a C library.
#[inline(always)]
pub fn own_block() -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    {
        let pointer: usize;
        // SAFETY: the ABI keeps the thread pointer in the first word of the thread's own block.
        unsafe { core::arch::asm!("mov {}, fs:[0]", out(reg) pointer, options(nostack, preserves_flags, readonly)) };
        Some(pointer)
    }
    #[cfg(target_arch = "aarch64")]
    {
        let pointer: usize;
        // SAFETY: reads a register.
        unsafe { core::arch::asm!("mrs {}, tpidr_el0", out(reg) pointer, options(nostack, preserves_flags, nomem)) };
        Some(pointer)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    None
}

/// Whether no other thread can run now. Never wrong when it says `true`.
#[inline(always)]
pub fn single_threaded() -> bool {
    // SAFETY: always one of the two statics above. No atomic load is needed, and the compiler makes better code of a
    // plain one: the byte becomes 0 before a second thread starts, in the only thread there is, and once there are two,
    // nobody may write 1 while they run.
    unsafe { *BYTE.load(Ordering::Relaxed).cast::<u8>() != 0 }
}
