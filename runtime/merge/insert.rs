//! Adds the values of a profile to those that this image has seen.

#![allow(unsafe_code)]

use super::counters::LARGEST;
use super::rebase::Rebase;
use super::values;
use crate::format::value::KIND_MEMOP_SIZE;
use crate::sections::Image;
use crate::value::limit;
use crate::value::node::records;
#[cfg(feature = "hosted")]
use crate::value::optional::provide;
use crate::value::record::record as record_value;

/// Value data of an image, and where its addresses are now.
pub type Insert = unsafe fn(&[u8], &Image, &Rebase);

#[cfg(feature = "hosted")]
provide!("profrt_values_insert");

/// Adds values to those that the sites of an image have seen, moved to where this process has the image. Sites take as many as
/// a file can say.
///
/// # Safety
/// `image` must be an image of this process, of this archive's raw version, and the value data one that was checked for it.
#[cfg_attr(all(feature = "hosted", feature = "archive"), unsafe(export_name = "profrt_values_insert"))]
pub unsafe fn insert(data: &[u8], image: &Image, rebase: &Rebase) {
    // SAFETY: the caller's image.
    let records = unsafe { records(image.data) };
    // Tests of the limit run beside those of merges.
    #[cfg(test)]
    let _alone = crate::value::tests::alone();
    limit::lifted(|| {
        values::each(data, records, |record, kind, site, value, count| {
            let value = if kind == KIND_MEMOP_SIZE { value } else { rebase.address(value) };
            if count > 0 {
                // SAFETY: a record of this image and one of its sites.
                unsafe { record_value::<4>(value, record, site, count.min(LARGEST)) };
            }
        });
    });
}

#[cfg(feature = "hosted")]
provide!("profrt_values_take_over");

/// As [`insert`], for values that are this process's from now on.
///
/// # Safety
/// As for [`insert`].
#[cfg_attr(all(feature = "hosted", feature = "archive"), unsafe(export_name = "profrt_values_take_over"))]
pub unsafe fn take_over(data: &[u8], image: &Image, rebase: &Rebase) {
    limit::values_taken_over();
    // SAFETY: this function's contract.
    unsafe { insert(data, image, rebase) };
}
