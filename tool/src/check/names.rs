//! The names of functions and vtables: for each module two ULEB128 sizes, plain and compressed (0: it is not), then the names.

use std::io::{self, Read as _, Write as _};

use flate2::read::ZlibDecoder;

/// What is wrong, and where.
pub struct Bad {
    /// From the start of the names.
    pub offset: usize,
    pub expected: String,
    pub found: String,
}

/// Counts names without keeping them: a few damaged bytes can stand for very many.
#[derive(Default)]
struct Unpacked {
    bytes: u64,
    separators: u64,
}

impl Unpacked {
    /// Names stand apart by a byte 1.
    fn names(&self) -> u64 {
        if self.bytes > 0 { self.separators + 1 } else { 0 }
    }
}

impl io::Write for Unpacked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes += bytes.len() as u64;
        self.separators += bytes.iter().filter(|byte| **byte == 1).count() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Counts the names.
pub fn names(bytes: &[u8]) -> Result<u64, Bad> {
    let mut at = 0;
    let mut number = 0;
    loop {
        // Linkers may pad between modules.
        at += bytes[at..].iter().take_while(|byte| **byte == 0).count();
        if at == bytes.len() {
            return Ok(number);
        }
        let start = at;
        let bad = |offset, expected: &str, found: String| Bad { offset, expected: expected.to_owned(), found };
        let size = |at: &mut usize| uleb(bytes, at).ok_or_else(|| bad(start, "two ULEB128 sizes", "none".to_owned()));
        let plain = size(&mut at)?;
        let packed = size(&mut at)?;
        let stored = if packed == 0 { plain } else { packed };
        let rest = &bytes[at..];
        let Some(text) = usize::try_from(stored).ok().and_then(|stored| rest.get(..stored)) else {
            let expected = format!("at most {} bytes of names", rest.len());
            return Err(bad(start, &expected, format!("a size of {stored} bytes")));
        };
        if packed == 0 {
            let mut plain = Unpacked::default();
            let _ = plain.write(text);
            number += plain.names();
        } else {
            let mut unpacked = Unpacked::default();
            // One byte more than there should be is enough to see that there are too many.
            let most = plain.saturating_add(1);
            if let Err(error) = io::copy(&mut ZlibDecoder::new(text).take(most), &mut unpacked) {
                return Err(bad(at, "names compressed by zlib", format!("bytes that zlib refuses ({error})")));
            }
            if unpacked.bytes != plain {
                return Err(bad(start, &format!("{plain} bytes of names, unpacked"), unpacked.bytes.to_string()));
            }
            number += unpacked.names();
        }
        at += text.len();
    }
}

fn uleb(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut number: u64 = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        let part = u64::from(byte & 127);
        if part << shift >> shift != part {
            return None;
        }
        number |= part << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_packed_with_padding_between() {
        let mut bytes = b"\x07\x00main\x01ab\0\0\0".to_vec();
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(b"one\x01two\x01three").unwrap();
        let packed = packer.finish().unwrap();
        bytes.extend([13, packed.len() as u8]);
        bytes.extend(&packed);
        assert!(names(&bytes).is_ok_and(|number| number == 5));
        let last = bytes.len() - 1;
        assert!(names(&bytes[..last]).is_err());
        let size = 2 + 7 + 3;
        bytes[size] = 14;
        assert!(names(&bytes).is_err_and(|bad| (bad.offset, bad.found.as_str()) == (size, "13")));
        bytes[size] = 13;
        bytes[last] ^= 1;
        assert!(names(&bytes).is_err());
    }

    #[test]
    fn sizes_beyond_the_end() {
        let bad = names(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00a").err().unwrap();
        assert_eq!((bad.offset, bad.found), (0, format!("a size of {} bytes", u64::MAX)));
        assert!(names(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x00a").is_err());
        assert!(names(b"\x80").is_err());
    }
}
