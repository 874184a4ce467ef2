//! Who may change what values are kept in, on the only core of a CPU without compare-and-swap on which interrupts cannot be
//! masked.
//!
//! An interrupt handler runs to its end before the code that it has interrupted goes on, so what it finds taken stays taken:
//! it must not wait, and its value is left out. A handler that comes between the look and the mark leaves the mark as it
//! was, so what was seen is still true. (Not so for threads that take turns on the core: see docs/VALUE-PROFILING.md.)

use core::sync::atomic::{AtomicBool, Ordering, compiler_fence};

static TAKEN: AtomicBool = AtomicBool::new(false);

/// Leave to change what values are kept in, until it is dropped.
#[derive(Debug)]
pub struct Alone(());

/// Leave to change what values are kept in, unless the interrupted code has it.
#[inline]
pub fn alone() -> Option<Alone> {
    if TAKEN.load(Ordering::Relaxed) {
        return None;
    }
    TAKEN.store(true, Ordering::Relaxed);
    compiler_fence(Ordering::SeqCst);
    Some(Alone(()))
}

impl Drop for Alone {
    #[inline]
    fn drop(&mut self) {
        compiler_fence(Ordering::SeqCst);
        TAKEN.store(false, Ordering::Relaxed);
    }
}
