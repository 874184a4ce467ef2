//! Writes the profile of an image to a sink, without an operating system.

#![allow(unsafe_code)]

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
    raw::set_plan(plan, image, variables::raw_version(), Padding::Words)
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

pub mod memory {
    //! Dumps to memory of the caller, and their size.
    //!
    //! Value data grows, and a caller may use a size at any later time, as with LLVM's runtime, where the size is constant. Therefore the first
    //! call of [`size`] or [`write`] fixes the size for all later calls, and no dump is larger than the buffer of any caller: values that come
    //! later are left out. [`write_within`] knows the length of its buffer and writes as many values as fit.

    #![allow(unsafe_code)]

    use core::mem::offset_of;

    use super::{records_for_values, set_plan};
    use crate::error::{Error, Result};
    use crate::format::layout::Part;
    use crate::format::value::PAIR;
    use crate::link;
    use crate::native::{KINDS, Plan, Record, empty_plan};
    use crate::raw;
    use crate::sections::Image;
    use crate::sink::buffer::Buffer;
    use crate::sync::{AtomicUsize, Ordering};
    #[cfg(feature = "hosted")]
    use crate::value::linked;
    use crate::value::node::{heads, values_at};
    use crate::value::writer;

    /// Number of pairs (value and count) in the fixed size, or one of the two constants below. Invariant: changes once, from
    /// [`UNTOLD`] to another number.
    static PAIRS: AtomicUsize = AtomicUsize::new(UNTOLD);
    /// The size is not fixed yet.
    const UNTOLD: usize = usize::MAX;
    /// The size is that of a profile without value data, which LLVM's runtime returns.
    const NO_VALUE_DATA: usize = usize::MAX - 1;

    /// Fixes the size, unless it is fixed. Returns the number of pairs in the fixed size.
    fn fix(pairs: usize) -> usize {
        match PAIRS.compare_exchange(UNTOLD, pairs, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => pairs,
            Err(told) => told,
        }
    }

    /// Returns the size of an image's profile without value data. With this image's records it becomes the fixed size, because both size calls
    /// of LLVM's runtime return the same number, so that a caller may use either for the buffer of [`write`].
    pub fn size_without_values(image: &Image) -> Result<u64> {
        if image.data.start == link::data::span().start {
            fix(NO_VALUE_DATA);
        }
        let mut plan = empty_plan();
        set_plan(&mut plan, image)?;
        Ok(plan.fixed_size())
    }

    /// Writes an image's profile without value data.
    ///
    /// # Safety
    /// The spans of `image` must be readable, and `buffer` must have [`size_without_values`] writable bytes.
    pub unsafe fn write_without_values(buffer: *mut u8, image: &Image) -> Result {
        let mut plan = empty_plan();
        set_plan(&mut plan, image)?;
        // SAFETY: `buffer` has space for the plan's size by this function's contract.
        let mut sink = unsafe { Buffer::new(buffer, usize::try_from(plan.fixed_size()).unwrap_or(0)) };
        // SAFETY: the spans are readable by this function's contract, and the plan is theirs.
        unsafe { raw::write_parts(image, &plan, &mut sink) }
    }

    /// Returns the size of a profile of this plan with `pairs` pairs.
    fn size_with(plan: &Plan, records: &[Record], pairs: usize) -> u64 {
        let values = if pairs == NO_VALUE_DATA { 0 } else { writer::size(records, pairs as u64) };
        plan.fixed_size().saturating_add(values)
    }

    /// Returns the number of pairs that these records have now.
    fn pairs_now(records: &[Record]) -> usize {
        #[cfg(feature = "hosted")]
        if linked::write().is_none() {
            return 0;
        }
        let mut pairs: usize = 0;
        for record in records {
            for head in heads(record) {
                pairs = pairs.wrapping_add(usize::from(values_at(head)));
            }
        }
        pairs
    }

    /// Returns the number of bytes that [`write`] writes: the size of this image's profile at the first call.
    pub fn size() -> Result<u64> {
        let image = Image::this();
        let mut plan = empty_plan();
        set_plan(&mut plan, &image)?;
        let records = records_for_values(&image, &plan);
        Ok(size_with(&plan, records, fix(pairs_now(records))))
    }

    /// Writes this image's profile to memory with space for [`size`] bytes, and fills all of them.
    ///
    /// # Safety
    /// `buffer` must point to as many writable bytes as [`size`] has returned; where nobody has called it, to as many as a profile
    /// without value data has.
    pub unsafe fn write(buffer: *mut u8) -> Result {
        let image = Image::this();
        let mut plan = empty_plan();
        set_plan(&mut plan, &image)?;
        let capacity = size_with(&plan, records_for_values(&image, &plan), fix(NO_VALUE_DATA));
        // SAFETY: `buffer` has this number of bytes by this function's contract, since all calls of `size` have returned it.
        let written = unsafe { fill(buffer, usize::try_from(capacity).unwrap_or(0), &image, &plan) }?;
        // Values are left out where the system refuses memory.
        if written as u64 == capacity { Ok(()) } else { Err(Error::NO_SPACE) }
    }

    /// The result of [`write_within`].
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Written {
        /// Bytes of the profile in the buffer; 0 when not even a profile without values fits.
        pub written: usize,
        /// Bytes that the profile takes with all values. Never less than `written`.
        pub needed: usize,
    }

    /// Writes this image's profile into `capacity` bytes, with as many values as fit.
    ///
    /// # Safety
    /// `buffer` must point to `capacity` writable bytes.
    pub unsafe fn write_within(buffer: *mut u8, capacity: usize) -> Result<Written> {
        let image = Image::this();
        let mut plan = empty_plan();
        set_plan(&mut plan, &image)?;
        // SAFETY: the caller's buffer.
        let written = match unsafe { fill(buffer, capacity, &image, &plan) } {
            Err(Error::NO_SPACE) => 0,
            result => result?,
        };
        // Read after the write: other threads only add values.
        let records = records_for_values(&image, &plan);
        let needed = usize::try_from(size_with(&plan, records, pairs_now(records))).unwrap_or(usize::MAX);
        Ok(Written { written, needed })
    }

    /// Writes a complete profile within `capacity` bytes: with value data, or else without it and with records that have no sites. Returns the
    /// number of bytes written. Errors: [`Error::NO_SPACE`], with nothing written.
    ///
    /// # Safety
    /// `buffer` must point to `capacity` writable bytes, and `plan` must be the one of `image`, which is this image.
    unsafe fn fill(buffer: *mut u8, capacity: usize, image: &Image, plan: &Plan) -> Result<usize> {
        let records = records_for_values(image, plan);
        let room = (capacity as u64).checked_sub(plan.fixed_size()).ok_or(Error::NO_SPACE)?;
        // SAFETY: the caller's buffer.
        let mut sink = unsafe { Buffer::new(buffer, capacity) };
        // SAFETY: this image and its plan.
        unsafe { raw::write_parts(image, plan, &mut sink) }?;
        match room.checked_sub(writer::size(records, 0)) {
            Some(rest) => writer::write_value_data(records, rest / PAIR, &mut sink)?,
            // SAFETY: the profile of this plan was just written there.
            None => unsafe { clear_sites(buffer, plan, records.len()) },
        }
        Ok(capacity.wrapping_sub(sink.room()))
    }

    /// Sets the numbers of value sites to 0 in the first `count` records of a profile: readers require value data for functions with sites.
    ///
    /// # Safety
    /// `profile` must point to a writable profile of this plan, which has at least `count` records.
    unsafe fn clear_sites(profile: *mut u8, plan: &Plan, count: usize) {
        let data = profile.wrapping_add(plan.chunk(Part::Data).offset as usize);
        for index in 0..count {
            let record = data.wrapping_add(index.wrapping_mul(size_of::<Record>()));
            let sites = record.wrapping_add(offset_of!(Record, num_value_sites)).cast::<[u16; KINDS]>();
            // SAFETY: within the record by its layout, and the record within the profile by the caller's contract.
            unsafe { sites.write_unaligned([0; KINDS]) };
        }
    }
}
