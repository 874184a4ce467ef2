//! Where a profile ends.

use super::cursor::Cursor;
use super::header::Header;
use crate::error::Error;

/// Returns where an indexed profile ends, in bytes: after its last section. Readers look at nothing after it, as where files were joined.
/// `None` when the last section is MemProf's, whose size this function does not know.
///
/// Errors: it is no indexed profile, or its last section is cut.
pub fn end(bytes: &[u8]) -> Result<Option<usize>, Error> {
    let header = Header::parse(bytes)?;
    let last = header.starts().max().unwrap_or(0);
    let mut cursor = header.section(bytes, last, "section")?;
    let word = |cursor: &mut Cursor<'_>| cursor.u64().ok_or_else(|| cursor.too_short("section"));
    if header.traces == Some(last) {
        let traces = word(&mut cursor)?;
        word(&mut cursor)?;
        for _ in 0..traces {
            word(&mut cursor)?;
            let functions = word(&mut cursor)?;
            cursor.take_items(functions, 8).ok_or_else(|| cursor.too_large("Trace.NumFunctions", functions))?;
        }
    } else if header.vtable_names == Some(last) || header.binary_ids == Some(last) {
        let size = word(&mut cursor)?;
        cursor.take_padded(size).ok_or_else(|| cursor.too_large("section", size))?;
    } else if header.memprof == Some(last) {
        return Ok(None);
    } else {
        let buckets = word(&mut cursor)?;
        word(&mut cursor)?;
        cursor.take_items(buckets, 8).ok_or_else(|| cursor.too_large("NumBuckets", buckets))?;
    }
    Ok(Some(cursor.offset()))
}
