//! Inserts the values of a profile into the sites of an image in memory.

#![allow(unsafe_code)]

use super::counters::LARGEST;
use super::rebase::Rebase;
use super::values;
use crate::format::value::KIND_MEMOP_SIZE;
use crate::sections::Image;
use crate::value::hook::count_value;
use crate::value::limits::values_per_site;
use crate::value::node::records;
use crate::value::optional::provide;

/// Pointer to [`insert`] or [`take_over`].
pub type InsertValues = unsafe fn(&[u8], &Image, &Rebase);

provide!("profrt_values_insert": InsertValues = insert);

/// Adds the values in `data` to those that the sites of an image have seen, and rebases addresses. Sites take as many values as a
/// profile can hold.
///
/// # Safety
/// `image` must be an image of this process, of this archive's raw version, and `data` value data that was checked for the image.
pub unsafe fn insert(data: &[u8], image: &Image, rebase: &Rebase) {
    // SAFETY: an image of this process, by this function's contract.
    let records = unsafe { records(image.data) };
    // Tests of the limit run at the same time as those of merges.
    #[cfg(test)]
    let _alone = crate::value::tests::alone();
    values_per_site::without_limit(|| {
        values::each(data, records, |record, kind, site, value, count| {
            let value = if kind == KIND_MEMOP_SIZE { value } else { rebase.address(value) };
            if count > 0 {
                // SAFETY: a record of this image and one of its sites.
                unsafe { count_value::<4>(value, record, site, count.min(LARGEST)) };
            }
        });
    });
}

provide!("profrt_values_take_over": InsertValues = take_over);

/// Does the work of [`insert`] for the values of a file that this process takes over in continuous mode.
///
/// # Safety
/// As for [`insert`].
pub unsafe fn take_over(data: &[u8], image: &Image, rebase: &Rebase) {
    values_per_site::raise_unless_set();
    // SAFETY: this function's contract is that of `insert`.
    unsafe { insert(data, image, rebase) };
}
