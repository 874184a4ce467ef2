//! The dump into memory that writes what fits. By itself, for what it needs is linked only where something calls it.

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
    // SAFETY: the caller's contract.
    unsafe { memory::write_within(buffer, capacity) }
}
