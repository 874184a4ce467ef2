//! Inserts the values of a profile into the value sites of an image in memory.

#![allow(unsafe_code)]

use super::counters::LARGEST;
use super::rebase::Rebase;
use super::values;
use crate::format::value::KIND_MEMOP_SIZE;
use crate::sections::Image;
use crate::value::hook::insert_value;
use crate::value::limits::values_per_site;
use crate::value::node::records;

/// Counts the values in `data`, rebased, at the value sites of an image. Sites take as many values as a profile can hold.
///
/// # Safety
/// - `image` must be an image of this process, of this archive's raw version.
/// - `data` must be value data that `values::check` or `values::in_buffer` has accepted for the image.
pub unsafe fn insert_values(data: &[u8], image: &Image, rebase: &Rebase) {
    // SAFETY: `image` is an image of this process by this function's contract, so its records are readable.
    let records = unsafe { records(image.data) };
    // Tests of the limit run at the same time as those of merges.
    #[cfg(test)]
    let _alone = crate::value::tests::alone();
    values_per_site::without_limit(|| {
        values::each(data, records, |record, kind, site, value, count| {
            let value = if kind == KIND_MEMOP_SIZE { value } else { rebase.rebased(value) };
            if count > 0 {
                // SAFETY: `each` passes records of this image with the number of one of their sites.
                unsafe { insert_value(value, record, site, count.min(LARGEST)) };
            }
        });
    });
}

/// Inserts the values of a file that this process takes over in continuous mode.
///
/// # Safety
/// The contract of [`insert_values`].
pub unsafe fn take_over(data: &[u8], image: &Image, rebase: &Rebase) {
    values_per_site::raise_unless_set();
    // SAFETY: the caller passes an image of this process and checked value data, as `insert_values` requires.
    unsafe { insert_values(data, image, rebase) };
}
