//! Freezes the lists while a device writes value data: a device has no memory to remember how many nodes each list had.
//!
//! A value that an interrupt handler brings meanwhile, and that is new to its site, is dropped and counted as such. Known
//! values are counted as always.

use super::limits;
use crate::sync::{AtomicUsize, Ordering};

/// The number of writes in progress; more than one when a handler writes while the interrupted code does.
static WRITERS: AtomicUsize = AtomicUsize::new(0);

/// Guard: while it lives, no node is added.
pub struct Frozen(());

/// Stops the adding of nodes for the life of the guard.
pub fn freeze() -> Frozen {
    WRITERS.fetch_add(1, Ordering::AcqRel);
    Frozen(())
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // Subtracts one; atomics of small CPUs have additions only.
        WRITERS.fetch_add(usize::MAX, Ordering::AcqRel);
    }
}

/// Returns whether a new value must be dropped, and counts a dropped value.
#[cfg_attr(feature = "hosted", allow(dead_code, reason = "here for tests of the rest"))]
pub fn drops_new_value() -> bool {
    let frozen = WRITERS.load(Ordering::Acquire) > 0;
    if frozen {
        limits::drop_value();
    }
    frozen
}
