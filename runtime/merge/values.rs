//! Checks value data against records, and walks it.

use crate::error::{Error, Result};
use crate::format::value_record::{FunctionValues, value_and_count};
use crate::native::Record;
use crate::value::node::has_sites;

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

/// Calls `each` with record, kind, number of the site within the function, value and count, for all values of all records. The bytes must
/// have passed [`check`]. Inlined, because a copy in this module would make every merge link the code that counts values.
#[inline]
pub fn each(bytes: &[u8], records: &[Record], mut each: impl FnMut(&Record, u32, u32, u64, u64)) {
    let mut rest = bytes;
    for record in records.iter().filter(|record| has_sites(record)) {
        let Some((mut function, others)) = FunctionValues::take(rest, &record.num_value_sites) else { return };
        rest = others;
        let mut site: u32 = 0;
        for (kind, sites) in record.num_value_sites.iter().enumerate() {
            for _ in 0..*sites {
                for (value, count) in function.next_site(kind).iter().map(value_and_count) {
                    each(record, kind as u32, site, value, count);
                }
                site = site.wrapping_add(1);
            }
        }
    }
}
