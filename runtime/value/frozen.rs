//! No new nodes while a device writes value data: it has no memory to keep how many there were when it began.
//!
//! A value that an interrupt brings meanwhile, and that is new to its site, is dropped and counted. Values that are known are
//! counted as always.

use super::dropped;
use crate::sync::{AtomicUsize, Ordering};

/// Writes under way: a handler may write while the code that it has interrupted does.
static WRITERS: AtomicUsize = AtomicUsize::new(0);

/// Until it is dropped, no node is added.
#[derive(Debug)]
pub struct Frozen(());

/// No nodes from now on.
pub fn freeze() -> Frozen {
    WRITERS.fetch_add(1, Ordering::AcqRel);
    Frozen(())
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // The subtraction of one; atomics of small CPUs have additions only.
        WRITERS.fetch_add(usize::MAX, Ordering::AcqRel);
    }
}

/// Whether a new value must be turned away; it is counted if so.
#[cfg_attr(feature = "hosted", allow(dead_code, reason = "here for tests of the rest"))]
pub fn drops_new_value() -> bool {
    let frozen = WRITERS.load(Ordering::Acquire) > 0;
    if frozen {
        dropped::drop_one();
    }
    frozen
}
