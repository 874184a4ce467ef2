//! Reads and writes blobs of names: the names sections of raw profiles, and the vtable names of indexed ones.
//!
//! A section is a sequence of blobs, one for each linked module: the length of the text as ULEB128, the length of its compressed form as
//! ULEB128 (0: the text is stored as it is), then the bytes. Zero bytes may stand between blobs. The text is names joined by the byte 1.

mod inflate;
mod recent;
mod table;
mod write;

pub(crate) use inflate::inflate;
pub use table::NameTable;
pub use write::write_blob;

use crate::error::{Error, ErrorKind};
use crate::leb128;

/// The byte between two names.
pub(crate) const SEPARATOR: u8 = 1;

/// A blob in a section.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Blob<'a> {
    /// Where the text or its compressed form starts in the section.
    start: usize,
    /// Length of the text.
    len: u64,
    /// The text, or its compressed form.
    bytes: &'a [u8],
    compressed: bool,
    /// Bytes that the blob promises and the section lacks.
    missing: u64,
}

/// The blobs of a section.
#[derive(Clone, Debug)]
struct Blobs<'a> {
    section: &'a [u8],
    at: usize,
}

impl<'a> Blobs<'a> {
    fn new(section: &'a [u8]) -> Blobs<'a> {
        Blobs { section, at: 0 }
    }

    /// Returns the next blob, or `None` at the end of the section. Errors: its lengths cannot be read.
    fn next(&mut self) -> Result<Option<Blob<'a>>, Error> {
        let rest = self.section.get(self.at..).unwrap_or(&[]);
        let Some(zeros) = rest.iter().position(|byte| *byte != 0) else { return Ok(None) };
        let begin = self.at.saturating_add(zeros);
        let malformed = |what| Error::new(ErrorKind::Malformed, what).at(begin as u64);
        let mut rest = rest.get(zeros..).unwrap_or(&[]);
        let len = leb128::take(&mut rest).ok_or_else(|| malformed("UncompressedSize"))?;
        let stored = leb128::take(&mut rest).ok_or_else(|| malformed("CompressedSize"))?;
        let compressed = stored != 0;
        let wanted = if compressed { stored } else { len };
        let there = usize::try_from(wanted).unwrap_or(usize::MAX).min(rest.len());
        let start = self.section.len().saturating_sub(rest.len());
        let bytes = rest.get(..there).unwrap_or(&[]);
        self.at = start.saturating_add(there);
        Ok(Some(Blob { start, len, bytes, compressed, missing: wanted.saturating_sub(there as u64) }))
    }
}

impl Blob<'_> {
    /// Appends the text to `text`. Errors: the blob is cut or damaged; what could be read of it has been appended.
    fn append_to(&self, text: &mut Vec<u8>) -> Result<(), Error> {
        let mut result = Ok(());
        if self.compressed {
            result = inflate(self.bytes, self.len, text);
        } else {
            text.extend_from_slice(self.bytes);
        }
        if self.missing > 0 {
            let there = self.bytes.len() as u64;
            let error = Error::new(ErrorKind::Malformed, "CompressedSize").at(self.start as u64);
            let error = error.expected(format_args!("{} bytes", there.saturating_add(self.missing)));
            return Err(error.found(format_args!("{there} bytes")));
        }
        result.map_err(|error| error.at(self.start as u64))
    }
}

/// Calls `each` with every name of a section, in order. `text` is memory to be reused. The offsets of errors count from the start of the
/// section.
pub fn for_each(section: &[u8], text: &mut Vec<u8>, mut each: impl FnMut(&[u8])) -> Result<(), Error> {
    let mut blobs = Blobs::new(section);
    while let Some(blob) = blobs.next()? {
        if blob.compressed || blob.missing > 0 {
            text.clear();
            blob.append_to(text)?;
            split(text, blob.start, &mut each)?;
        } else {
            split(blob.bytes, blob.start, &mut each)?;
        }
    }
    Ok(())
}

fn split(text: &[u8], start: usize, each: &mut impl FnMut(&[u8])) -> Result<(), Error> {
    for name in text.split(|byte| *byte == SEPARATOR) {
        if name.is_empty() {
            return Err(empty_name(start));
        }
        each(name);
    }
    Ok(())
}

fn empty_name(start: usize) -> Error {
    Error::new(ErrorKind::Malformed, "Names").at(start as u64).expected("a name").found("no bytes")
}

#[cfg(test)]
mod tests;
