//! Whether the process has only one thread.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

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

/// Finds out how to ask. To be called once, by the constructor; until then the answer is always `false`.
#[inline(never)]
pub fn learn_threads() {
    // Hidden from the optimiser, which takes no static to be at address 0.
    let byte = core::hint::black_box(&raw const LIBC);
    if !byte.is_null() {
        BYTE.store(byte.cast_mut(), Ordering::Relaxed);
    }
}

/// Whether no other thread can run now. Never wrong when it says `true`.
#[inline(always)]
pub fn single_threaded() -> bool {
    // SAFETY: always one of the two statics above. A relaxed load is enough: the byte becomes 0 before a second thread
    // starts, in the thread that starts it.
    unsafe { (*BYTE.load(Ordering::Relaxed)).load(Ordering::Relaxed) != 0 }
}
