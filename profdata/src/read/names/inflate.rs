//! Decompresses the text of a blob: a zlib stream, which is a header, compressed bytes, and a check sum. zlib adds up the check sum byte by
//! byte, which takes nearly as long as all the rest, so that is done here.

use std::io::Read;

use flate2::bufread::DeflateDecoder;

use crate::error::{Error, ErrorKind};

/// The largest number of bytes that zlib makes of one.
const RATIO: u64 = 1032;

/// Appends the `len` bytes to `text` of which `bytes` are the zlib stream. Takes memory only as the stream fills it, so that a false
/// length costs nothing. Errors: the stream is damaged, or has another length; what could be read has been appended.
pub(crate) fn inflate(bytes: &[u8], len: u64, text: &mut Vec<u8>) -> Result<(), Error> {
    let failed = || Error::new(ErrorKind::UncompressFailed, "Names");
    let most = (bytes.len() as u64).saturating_mul(RATIO);
    if len > most {
        let error = failed().expected(format_args!("at most {most} bytes of {} compressed ones", bytes.len()));
        return Err(error.found(format_args!("{len} bytes")));
    }
    let bytes = compressed(bytes).ok_or_else(|| failed().expected("a zlib stream"))?;
    let start = text.len();
    let mut stream = DeflateDecoder::new(bytes);
    // One more than is wanted shows a stream that is too long.
    let read = stream.by_ref().take(len.saturating_add(1)).read_to_end(text);
    let found = text.len().saturating_sub(start);
    text.truncate(start.saturating_add(found.min(usize::try_from(len).unwrap_or(found))));
    read.map_err(|error| failed().found(error))?;
    if found as u64 != len {
        return Err(failed().expected(format_args!("{len} bytes")).found(format_args!("at least {found} bytes")));
    }
    let end = usize::try_from(stream.total_in()).ok();
    let sum = end.and_then(|end| bytes.get(end..)?.first_chunk()).map(|sum| u32::from_be_bytes(*sum));
    if sum != Some(simd_adler32::adler32(&text.get(start..).unwrap_or(&[]))) {
        return Err(failed().expected("the check sum of the text").found("another one, or a cut stream"));
    }
    Ok(())
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
    use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

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
