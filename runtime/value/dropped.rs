//! Counts dropped values: those that were not counted for lack of memory, or in an interrupt handler. (Values that a full site turns away
//! are not counted here.)

use crate::sync::{AtomicU64, AtomicUsize, Ordering};

/// The number of values dropped for lack of memory, or on devices because lists were frozen.
static DROPPED: AtomicU64 = AtomicU64::new(0);
/// The number of values dropped because the interrupted code was inside `value`, on CPUs where that matters (`sync::exclusive`). Only
/// interrupt handlers write it.
static DROPPED_REENTRANT: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of values dropped since the program began.
pub fn dropped_values() -> u64 {
    DROPPED.load(Ordering::Relaxed).wrapping_add(DROPPED_REENTRANT.load(Ordering::Relaxed) as u64)
}

/// Counts a value dropped in an interrupt handler. (May lose one when another handler interrupts the addition.)
#[cold]
pub fn drop_reentrant_value() {
    DROPPED_REENTRANT.fetch_add(1, Ordering::Relaxed);
}

/// Counts a value that got no node.
#[cfg_attr(feature = "hosted", inline)]
pub fn drop_value() {
    DROPPED.fetch_add(1, Ordering::Relaxed);
}
