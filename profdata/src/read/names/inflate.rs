//! Decompresses the text of a blob.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::{Error, ErrorKind};

/// The largest number of bytes that zlib makes of one.
const RATIO: u64 = 1032;
/// The first reservation of memory.
const FIRST: usize = 1 << 16;

/// Appends the `len` bytes to `text` of which `bytes` are the zlib stream. Reserves memory only as the stream fills it, so that a false
/// length costs nothing. Errors: the stream is damaged, or has another length; what could be read has been appended.
pub(super) fn inflate(bytes: &[u8], len: u64, text: &mut Vec<u8>) -> Result<(), Error> {
    let failed = || Error::new(ErrorKind::UncompressFailed, "Names");
    let most = (bytes.len() as u64).saturating_mul(RATIO);
    if len > most {
        let error = failed().expected(format_args!("at most {most} bytes of {} compressed ones", bytes.len()));
        return Err(error.found(format_args!("{len} bytes")));
    }
    let len = usize::try_from(len).map_err(|_| failed())?;
    let start = text.len();
    let mut stream = Decompress::new(true);
    loop {
        let done = text.len().saturating_sub(start);
        let left = len.saturating_sub(done);
        // One more than is left shows a stream that is too long.
        text.reserve_exact(left.saturating_add(1).min(FIRST.max(done)));
        let (read, written) = (stream.total_in(), stream.total_out());
        let rest = usize::try_from(read).ok().and_then(|read| bytes.get(read..)).unwrap_or(&[]);
        let status = stream.decompress_vec(rest, text, FlushDecompress::None).map_err(|error| failed().found(error))?;
        let now = text.len().saturating_sub(start);
        if now > len {
            text.truncate(start.saturating_add(len));
            return Err(failed().expected(format_args!("{len} bytes")).found("more"));
        }
        match status {
            Status::StreamEnd if now == len => return Ok(()),
            Status::StreamEnd => {
                return Err(failed().expected(format_args!("{len} bytes")).found(format_args!("{now} bytes")));
            }
            // Neither bytes were taken nor made: the stream is cut.
            _ if stream.total_in() == read && stream.total_out() == written => {
                return Err(failed()
                    .expected("the end of the stream")
                    .found(format_args!("the end of its bytes after {now} bytes")));
            }
            _ => {}
        }
    }
}
