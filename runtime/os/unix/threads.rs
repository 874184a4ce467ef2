//! Tells whether the process has a single thread, and identifies threads.

#![allow(unsafe_code)]

use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

crate::link::weak!("__libc_single_threaded");

unsafe extern "C" {
    // glibc 2.32 and up; elsewhere the weak reference is null.
    #[link_name = "__libc_single_threaded"]
    static LIBC: AtomicU8;
}

/// What the byte says: one thread, or several. (The C library has no other numbers.)
const ONE: u8 = 1;
const SEVERAL: u8 = 0;
/// The byte until a C library has called our constructor: several threads, which cannot be told apart.
static UNKNOWN: AtomicU8 = AtomicU8::new(2);
/// The byte where the C library has none.
static MANY: AtomicU8 = AtomicU8::new(SEVERAL);
/// The byte that tells whether there is a single thread.
static BYTE: AtomicPtr<AtomicU8> = AtomicPtr::new((&raw const UNKNOWN).cast_mut());

/// Looks up the C library's byte. To be called by the constructor; until then [`single_threaded`] returns `false`.
#[inline(never)]
pub fn learn_threads() {
    let byte = crate::link::opaque(&raw const LIBC);
    let byte = if byte.is_null() { &raw const MANY } else { byte };
    BYTE.store(byte.cast_mut(), Ordering::Relaxed);
}

/// Returns a number that identifies this thread among all living ones, by one instruction: the address of the C library's data of this
/// thread. `None` until a C library has called our constructor.
#[inline(always)]
pub fn thread_pointer() -> Option<usize> {
    if BYTE.load(Ordering::Relaxed).cast_const() == &raw const UNKNOWN { None } else { thread_block() }
}

/// Returns the address of the C library's data of this thread, in a process that has a C library.
#[inline(always)]
pub fn thread_block() -> Option<usize> {
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

/// Returns `true` only if no other thread can run now.
#[inline(always)]
pub fn single_threaded() -> bool {
    // SAFETY: always one of the statics above. No atomic load is needed, and the compiler makes better code of a
    // plain one: the byte becomes 0 before a second thread starts, in the only thread there is, and once there are two,
    // nobody may write 1 while they run.
    unsafe { *BYTE.load(Ordering::Relaxed).cast::<u8>() == ONE }
}
