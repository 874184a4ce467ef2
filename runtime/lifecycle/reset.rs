//! The reset that programs ask for.

use crate::reset::{clear, note_reset};
use crate::sync::slot::Slot;

/// Resets counters under the lock that writes take; empty in programs without files.
pub static LOCKED_RESET: Slot<fn()> = Slot::empty();

/// Resets all counters and values of this image, in continuous mode also in the file, and clears the dumped mark.
///
/// ```no_run
/// # fn warm_up() {}
/// warm_up();
/// profrt::reset();
/// ```
pub fn reset() {
    match LOCKED_RESET.get() {
        Some(reset) => reset(),
        None => {
            clear();
            note_reset();
        }
    }
}
