//! Dumps into memory of the caller: how many bytes that takes, and the bytes. No operating system needed.
//!
//! The value data of a profile may grow between the two calls. So the size that was told last is what a later dump keeps
//! to: values beyond it are left out, and the buffer is never overrun. Callers in several threads must take turns.

#![allow(unsafe_code)]

use crate::error::Result;
use crate::format::Variant;
use crate::layout::{Padding, Plan};
use crate::raw;
use crate::sections::{Image, variables};
use crate::sink::Sink;
use crate::sink::buffer::Buffer;
use crate::sync::{AtomicUsize, Ordering};
use crate::value::data::{self, Budget, Scratch};
use crate::value::node::{Record, records};

/// Pairs of value and count that the last size had room for. Invariant: only `size` writes it.
static PAIRS: AtomicUsize = AtomicUsize::new(0);

/// Makes `plan` the plan of an image as it is now.
#[cfg_attr(not(feature = "hosted"), inline(never))]
pub fn set_plan(plan: &mut Plan, image: &Image) -> Result {
    plan.set_image(&raw::shape(image, variables::raw_version(), Padding::Words))
}

/// The records that have value data in the file.
pub fn valued(image: &Image, plan: &Plan) -> &'static [Record] {
    if Variant(plan.header.version).has(Variant::DEBUG_CORRELATE) {
        return &[];
    }
    // SAFETY: the image's own records.
    unsafe { records(image.data) }
}

/// Bytes of this image's profile, value data included.
pub fn size() -> Result<u64> {
    let image = Image::this();
    let mut plan = Plan::empty();
    set_plan(&mut plan, &image)?;
    let records = valued(&image, &plan);
    let pairs = data::count_pairs(records);
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

/// Writes everything about an image into a sink: the plan's parts and all value data.
///
/// # Safety
/// `plan` must be the plan of `image`, and `image` an image of this process.
pub unsafe fn write_all(image: &Image, plan: &Plan, scratch: Scratch, sink: &mut dyn Sink) -> Result {
    // SAFETY: the caller's contract.
    unsafe { raw::write(image, plan, sink) }?;
    data::write(valued(image, plan), Budget(u64::MAX), scratch, sink)
}
