//! The dump to a buffer with as many values as fit. A file of its own, so that the code is linked only where it is called.

#![allow(unsafe_code)]

use crate::dump::memory::{self, Written};
use crate::error::Result;

/// Writes the raw profile of this image into `capacity` bytes, with as many values as fit. Errors: those of [`super::capture`],
/// but for the sink's.
///
/// # Safety
/// `buffer` must point to `capacity` writable bytes.
pub unsafe fn capture_within(buffer: *mut u8, capacity: usize) -> Result<Written> {
    super::can_capture()?;
    // SAFETY: the caller passes a buffer with `capacity` writable bytes.
    unsafe { memory::write_within(buffer, capacity) }
}
