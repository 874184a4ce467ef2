//! The reset that programs ask for.

use crate::reset::{clear, forget_dump};
use crate::sync::slot::Slot;

/// Resets counters beside writes of the file; empty in programs without files.
pub static BESIDE_WRITES: Slot<fn()> = Slot::empty();

/// Resets all counters and values of this image, in continuous mode also in the file, and clears the dumped mark.
///
/// ```no_run
/// # fn warm_up() {}
/// warm_up();
/// profrt::reset();
/// ```
pub fn reset() {
    match BESIDE_WRITES.get() {
        Some(reset) => reset(),
        None => {
            clear();
            forget_dump();
        }
    }
}
