//! Checks value data against records, and inserts its values into the value sites of an image in memory.

#![allow(unsafe_code)]

use super::counters::LARGEST;
use super::rebase::Rebase;
use crate::error::{Error, Result};
use crate::format::value::KIND_MEMOP_SIZE;
use crate::format::value_record::{FunctionValues, value_and_count};
use crate::native::Record;
use crate::sections::Image;
use crate::value::hook::insert_value;
use crate::value::limits::values_per_site;
use crate::value::node::{has_sites, records};

/// Checks that the bytes are the complete value data of these records.
pub fn check(bytes: &[u8], records: &[Record]) -> Result {
    if after_values(bytes, records)?.is_empty() { Ok(()) } else { Err(Error::CORRUPT) }
}

/// Returns the bytes after the value data of these records.
fn after_values<'a>(bytes: &'a [u8], records: &[Record]) -> Result<&'a [u8]> {
    let mut rest = bytes;
    for record in records.iter().filter(|record| has_sites(record)) {
        (_, rest) = FunctionValues::take(rest, &record.num_value_sites).ok_or(Error::CORRUPT)?;
    }
    Ok(rest)
}

/// Finds the value data at the start of the rest of a buffer. The buffer may be longer than the profile in it, as LLVM's runtime allows
/// too. A size of 0 means that the profile has no value data.
pub fn in_buffer<'a>(bytes: &'a [u8], records: &[Record]) -> Result<&'a [u8]> {
    if bytes.iter().take(size_of::<u32>()).all(|byte| *byte == 0) {
        return Ok(&[]);
    }
    let len = bytes.len().wrapping_sub(after_values(bytes, records)?.len());
    Ok(bytes.get(..len).unwrap_or(&[]))
}

/// Counts the values in `data`, rebased, at the value sites of an image. Sites take as many values as a profile can hold.
///
/// # Safety
/// - `image` must be an image of this process, of this archive's raw version.
/// - `data` must be value data that [`check()`] or [`in_buffer`] has accepted for the image.
pub unsafe fn insert(data: &[u8], image: &Image, rebase: &Rebase) {
    // SAFETY: `image` is an image of this process by this function's contract, so its records are readable.
    let records = unsafe { records(image.data) };
    // Tests of the limit run at the same time as those of merges.
    #[cfg(test)]
    let _alone = crate::value::tests::alone();
    values_per_site::without_limit(|| {
        let mut rest = data;
        for record in records.iter().filter(|record| has_sites(record)) {
            let Some((mut function, others)) = FunctionValues::take(rest, &record.num_value_sites) else { return };
            rest = others;
            let mut site: u32 = 0;
            for (kind, sites) in record.num_value_sites.iter().enumerate() {
                for _ in 0..*sites {
                    // No `filter`, whose closure would be in a member of the archive that every merge links.
                    for (value, count) in function.next_site(kind).iter().map(value_and_count) {
                        let value = if kind as u32 == KIND_MEMOP_SIZE { value } else { rebase.rebased(value) };
                        if count > 0 {
                            // SAFETY: a record of this image with the number of one of its sites.
                            unsafe { insert_value(value, record, site, count.min(LARGEST)) };
                        }
                    }
                    site = site.wrapping_add(1);
                }
            }
        }
    });
}

/// Inserts the values of a file that this process takes over in continuous mode.
///
/// # Safety
/// The contract of [`insert`].
#[cfg(feature = "hosted")]
pub unsafe fn take_over(data: &[u8], image: &Image, rebase: &Rebase) {
    values_per_site::raise_unless_set();
    // SAFETY: the caller passes an image of this process and checked value data, as `insert` requires.
    unsafe { insert(data, image, rebase) };
}
