//! The token to change value nodes.
//!
//! Where every change is one atomic instruction or runs with interrupts masked, everybody gets the token. Otherwise (`flagged`: the only core
//! of a CPU without compare-and-swap, where interrupts cannot be masked) one call at a time has it.
//!
//! An interrupt handler runs to its end before the interrupted code goes on, so a flag that the handler finds set stays set: the handler must
//! not wait, and its value is left out. A handler that runs between the load and the store of the flag leaves the flag as it was, so the
//! loaded value is still true. (Not so for threads that take turns on the core: see docs/VALUE-PROFILING.md.)

#[cfg(flagged)]
use core::sync::atomic::{AtomicBool, Ordering, compiler_fence};

#[cfg(flagged)]
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Token: its holder may change value nodes, until it is dropped.
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
    compiler_fence(Ordering::SeqCst);
    Some(ExclusiveToken(()))
}

#[cfg(flagged)]
impl Drop for ExclusiveToken {
    #[inline]
    fn drop(&mut self) {
        compiler_fence(Ordering::SeqCst);
        TAKEN.store(false, Ordering::Relaxed);
    }
}
