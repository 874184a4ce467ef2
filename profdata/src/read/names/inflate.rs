//! Decompresses the text of a blob: a zlib stream, which is a header, compressed bytes, and a check sum. zlib adds up the check sum byte by
//! byte, which takes nearly as long as all the rest, so that is done here.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::{Error, ErrorKind};

/// The largest number of bytes that zlib makes of one.
const RATIO: u64 = 1032;
/// The first reservation of memory.
const FIRST: usize = 1 << 16;

/// Appends the `len` bytes to `text` of which `bytes` are the zlib stream. Reserves memory only as the stream fills it, so that a false
/// length costs nothing. Errors: the stream is damaged, or has another length; what could be read has been appended.
pub(crate) fn inflate(bytes: &[u8], len: u64, text: &mut Vec<u8>) -> Result<(), Error> {
    let failed = || Error::new(ErrorKind::UncompressFailed, "Names");
    let most = (bytes.len() as u64).saturating_mul(RATIO);
    if len > most {
        let error = failed().expected(format_args!("at most {most} bytes of {} compressed ones", bytes.len()));
        return Err(error.found(format_args!("{len} bytes")));
    }
    let len = usize::try_from(len).map_err(|_| failed())?;
    let bytes = compressed(bytes).ok_or_else(|| failed().expected("a zlib stream"))?;
    let start = text.len();
    let mut stream = Decompress::new(false);
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
            Status::StreamEnd if now == len => {
                let end = usize::try_from(stream.total_in()).ok();
                let sum = end.and_then(|end| bytes.get(end..)?.first_chunk()).map(|sum| u32::from_be_bytes(*sum));
                let right = simd_adler32::adler32(&text.get(start..).unwrap_or(&[]));
                if sum == Some(right) {
                    return Ok(());
                }
                return Err(failed().expected("the check sum of the text").found("another one"));
            }
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

/// Returns what follows the header of a zlib stream; `None` for other bytes, and for a stream that needs a dictionary.
fn compressed(stream: &[u8]) -> Option<&[u8]> {
    const DEFLATE: u8 = 8;
    const LARGEST_WINDOW: u8 = 7;
    const DICTIONARY: u8 = 1 << 5;
    let (header, rest) = stream.split_first_chunk()?;
    let [method, flags] = *header;
    let is_sound = method & 0xf == DEFLATE && method >> 4 <= LARGEST_WINDOW && flags & DICTIONARY == 0;
    (is_sound && u16::from_be_bytes(*header).is_multiple_of(31)).then_some(rest)
}

#[cfg(test)]
mod tests {
    use flate2::{Compress, Compression, FlushCompress};

    use super::*;

    #[test]
    fn streams_are_refused_as_zlib_refuses_them() {
        let text = b"main\x01work\x01main";
        let mut whole = Vec::with_capacity(100);
        Compress::new(Compression::best(), true).compress_vec(text, &mut whole, FlushCompress::Finish).unwrap();
        let is_same = |stream: &[u8]| {
            let mut theirs = Vec::with_capacity(100);
            let status = Decompress::new(true).decompress_vec(stream, &mut theirs, FlushDecompress::Finish);
            let is_right = matches!(status, Ok(Status::StreamEnd)) && theirs == text;
            let mut ours = Vec::new();
            assert_eq!(inflate(stream, text.len() as u64, &mut ours).is_ok(), is_right, "{stream:?}");
            assert!(!is_right || ours == text);
        };
        for header in 0..=u16::MAX {
            let mut stream = whole.clone();
            stream[..2].copy_from_slice(&header.to_be_bytes());
            is_same(&stream);
        }
        for bit in 0..8 * whole.len() {
            let mut stream = whole.clone();
            stream[bit / 8] ^= 1 << (bit % 8);
            is_same(&stream);
        }
        (0..=whole.len()).for_each(|len| is_same(&whole[..len]));
        is_same(&[&whole[..], b"more"].concat());
    }
}
