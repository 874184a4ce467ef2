//! Dumps into memory of the caller: how many bytes that takes, and the bytes.
//!
//! The value data of a profile may grow between the two calls. So the size that was told last is what a later dump keeps
//! to: values beyond it are left out, and the buffer is never overrun. Callers in several threads must take turns.

#![allow(unsafe_code)]

use super::{set_plan, valued};
use crate::error::Result;
use crate::layout::Plan;
use crate::raw;
use crate::sections::Image;
use crate::sink::buffer::Buffer;
use crate::sync::{AtomicUsize, Ordering};
use crate::value::data::{self, Budget, Scratch};
use crate::value::pairs;

/// Pairs of value and count that the last size had room for. Invariant: only `size` writes it.
static PAIRS: AtomicUsize = AtomicUsize::new(0);

/// Bytes of this image's profile, value data included.
pub fn size() -> Result<u64> {
    let image = Image::this();
    let mut plan = Plan::empty();
    set_plan(&mut plan, &image)?;
    let records = valued(&image, &plan);
    let pairs = pairs::count(records);
    PAIRS.store(usize::try_from(pairs).unwrap_or(usize::MAX), Ordering::Relaxed);
    Ok(plan.fixed_size().saturating_add(data::size(records, pairs)))
}

/// Writes this image's profile into memory that has room for what [`size`] said.
///
/// # Safety
/// `buffer` must point to as many writable bytes as the last call of [`size`] returned.
pub unsafe fn write(buffer: *mut u8) -> Result {
    let image = Image::this();
    let mut plan = Plan::empty();
    set_plan(&mut plan, &image)?;
    let records = valued(&image, &plan);
    let pairs = PAIRS.load(Ordering::Relaxed) as u64;
    let capacity = plan.fixed_size().saturating_add(data::size(records, pairs));
    // SAFETY: the caller's contract; the fixed size of an image never changes.
    let mut sink = unsafe { Buffer::new(buffer, usize::try_from(capacity).unwrap_or(0)) };
    // SAFETY: this image and its plan.
    unsafe { raw::write(&image, &plan, &mut sink) }?;
    data::write(records, Budget(pairs), Scratch::None, &mut sink)
}
