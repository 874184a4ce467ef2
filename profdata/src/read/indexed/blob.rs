//! Names of vtables: blobs, each plain or compressed, with names that a byte 1 separates.

use flate2::{Decompress, FlushDecompress, Status};

use super::cursor::Cursor;
use crate::error::{Error, ErrorKind};

/// Zlib makes at most so many bytes out of one.
const MAX_RATIO: u64 = 1032;

/// Hands over the names in blobs.
pub(super) fn names(mut blobs: Cursor<'_>, mut each: impl FnMut(&[u8])) -> Result<(), Error> {
    let mut inflated = Vec::new();
    while !blobs.is_empty() {
        let start = blobs;
        let (Some(size), Some(compressed)) = (uleb(&mut blobs), uleb(&mut blobs)) else {
            return Err(start.malformed("names").expected("two sizes"));
        };
        let stored = if compressed == 0 { size } else { compressed };
        let bytes = blobs.take_items(stored, 1).ok_or_else(|| blobs.too_large("names", stored))?;
        let content = if compressed == 0 {
            bytes
        } else {
            inflate(bytes, size, &mut inflated).ok_or_else(|| {
                let error = Error::new(ErrorKind::UncompressFailed, "names").at(start.offset() as u64);
                error.expected(format_args!("{size} bytes when decompressed"))
            })?;
            &inflated
        };
        if !content.is_empty() {
            content.split(|byte| *byte == 1).for_each(&mut each);
        }
        // Zero bytes stand between blobs.
        let zeros = blobs.rest().iter().take_while(|byte| **byte == 0).count();
        blobs.take(zeros);
    }
    Ok(())
}

/// Inflates into `out`. Returns `None` unless all of `bytes` give exactly `size` bytes.
fn inflate(bytes: &[u8], size: u64, out: &mut Vec<u8>) -> Option<()> {
    if size / MAX_RATIO > bytes.len() as u64 {
        return None;
    }
    let size = usize::try_from(size).ok()?;
    out.clear();
    // One byte more than needed, so that a stream that goes on is seen.
    out.reserve_exact(size.checked_add(1)?);
    let mut stream = Decompress::new(true);
    let status = stream.decompress_vec(bytes, out, FlushDecompress::Finish).ok()?;
    (status == Status::StreamEnd && out.len() == size && stream.total_in() == bytes.len() as u64).then_some(())
}

/// Reads a number of 7 bits a byte, the lowest first.
fn uleb(cursor: &mut Cursor<'_>) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let [byte] = cursor.take(1)? else { return None };
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            return None;
        }
        number |= bits << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
