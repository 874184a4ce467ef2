//! Atomics as every CPU can have them, and locks for cold paths.
//!
//! | the CPU has | read-modify-write is | 64-bit numbers are |
//! | --- | --- | --- |
//! | compare-and-swap of 64 bits | its own | its own |
//! | compare-and-swap of words | its own | two words and a carry (`halves`) |
//! | none, but interrupts can be masked here | a few instructions with interrupts masked (`single`, `masked`) | the same |
//! | none | plain; a value that an interrupt brings meanwhile is left out (`single`, [`exclusive()`]) | the same |
//!
//! A CPU without compare-and-swap is the only core that runs instrumented code. `build.rs` names the cases: `halves`,
//! `no_cas`, and then `masked` or `flagged`.
//!
//! A dump may be asked for by a signal handler or an exit handler while the same thread is inside another dump, so nobody
//! waits without end for a lock here: callers use `try_lock` and know what to do without it.

#![allow(unsafe_code)]

#[cfg(any(halves, test))]
pub mod halves;
#[cfg(masked)]
mod masked;
#[cfg(no_cas)]
mod single;

pub use core::sync::atomic::Ordering;

#[cfg(not(no_cas))]
pub use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};
#[cfg(no_cas)]
pub use single::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize};

#[cfg(not(halves))]
pub use core::sync::atomic::AtomicU64;
#[cfg(halves)]
pub use halves::AtomicU64;

#[cfg(feature = "hosted")]
pub use spin::mutex::SpinMutex as Mutex;

/// A pointer to a function, or none: another module provides it while the program runs, so that programs without that module do not link it.
#[cfg(feature = "hosted")]
pub struct Slot<F: 'static>(AtomicPtr<F>);

#[cfg(feature = "hosted")]
impl<F: Copy + Sync> Slot<F> {
    /// Creates an empty slot.
    pub const fn empty() -> Slot<F> {
        Slot(AtomicPtr::new(core::ptr::null_mut()))
    }

    /// Stores a function, or empties the slot.
    pub fn set(&self, function: Option<&'static F>) {
        self.0.store(function.map_or(core::ptr::null(), core::ptr::from_ref).cast_mut(), Ordering::Release);
    }

    /// Returns the function.
    pub fn get(&self) -> Option<F> {
        // SAFETY: null, or from a reference that `set` was given, which lives for ever.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }.copied()
    }
}

#[cfg(flagged)]
static TAKEN: core::sync::atomic::AtomicBool = core::sync::atomic::AtomicBool::new(false);

/// Token: its holder may change value nodes, until it is dropped.
///
/// Where every change is one atomic instruction or runs with interrupts masked, everybody gets the token. Otherwise (`flagged`: the only core
/// of a CPU without compare-and-swap, where interrupts cannot be masked) one call at a time has it.
///
/// An interrupt handler runs to its end before the interrupted code goes on, so a flag that the handler finds set stays set: the handler must
/// not wait, and its value is left out. A handler that runs between the load and the store of the flag leaves the flag as it was, so the
/// loaded value is still true. (Not so for threads that take turns on the core: see docs/VALUE-PROFILING.md.)
pub struct ExclusiveToken(());

/// Returns the token.
#[cfg(not(flagged))]
#[inline(always)]
pub fn exclusive() -> Option<ExclusiveToken> {
    Some(ExclusiveToken(()))
}

/// Returns the token, unless the interrupted code has it.
#[cfg(flagged)]
#[inline]
pub fn exclusive() -> Option<ExclusiveToken> {
    if TAKEN.load(Ordering::Relaxed) {
        return None;
    }
    TAKEN.store(true, Ordering::Relaxed);
    core::sync::atomic::compiler_fence(Ordering::SeqCst);
    Some(ExclusiveToken(()))
}

#[cfg(flagged)]
impl Drop for ExclusiveToken {
    #[inline]
    fn drop(&mut self) {
        core::sync::atomic::compiler_fence(Ordering::SeqCst);
        TAKEN.store(false, Ordering::Relaxed);
    }
}
#[cfg(test)]
mod tests;
