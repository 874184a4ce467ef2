//! Writes the profile of an image to a sink, without an operating system.

#![allow(unsafe_code)]

pub mod memory;

use crate::error::Result;
use crate::format::Variant;
use crate::format::layout::Padding;
use crate::native::Plan;
use crate::raw;
use crate::sections::{Image, variables};
use crate::sink::Sink;
use crate::value::node::{Record, records};
use crate::value::writer;

/// Makes `plan` the plan of an image as it is now.
#[cfg_attr(not(feature = "hosted"), inline(never))]
pub fn set_plan(plan: &mut Plan, image: &Image) -> Result {
    Ok(plan.set_image(&raw::shape(image, variables::raw_version(), Padding::Words))?)
}

/// Returns the records whose value data the file has: those of the image, or none with correlation by debug info.
pub fn records_for_values(image: &Image, plan: &Plan) -> &'static [Record] {
    if plan.variant().has(Variant::DEBUG_CORRELATE) {
        return &[];
    }
    // SAFETY: the image's own records.
    unsafe { records(image.data) }
}

/// Writes the whole profile of an image to a sink: the parts of the plan and all value data.
///
/// # Safety
/// `plan` must be the plan of `image`, and `image` an image of this process.
pub unsafe fn write_all(image: &Image, plan: &Plan, sink: &mut dyn Sink) -> Result {
    // SAFETY: the caller passes an image of this process and its plan.
    unsafe { raw::write_parts(image, plan, sink) }?;
    writer::write_value_data(records_for_values(image, plan), u64::MAX, sink)
}
