//! Sources of the bytes of a profile: memory or a file.

use crate::error::{Error, Result};
#[cfg(feature = "hosted")]
use crate::os::Fd;

/// Reads a profile at any offset. Reading beyond the end is [`Error::TRUNCATED`].
pub trait ProfileSource {
    /// Returns the size of the profile in bytes.
    fn size(&self) -> u64;

    /// Returns how many bytes a caller with `scratch` bytes of scratch memory can read at a time.
    fn max_len(&self, scratch: usize) -> usize;

    /// Returns whether the extent at the offset `at` is a hole (zeros that take no disk space), and how many bytes of the extent follow at
    /// least. `after_hole`: whether the last hole ends at this offset.
    fn extent(&self, _at: u64, _after_hole: bool) -> (bool, u64) {
        (false, u64::MAX)
    }

    /// Returns the `len` bytes from the offset `at` on. Reads them into `scratch` unless they are in memory.
    fn bytes<'a>(&'a self, at: u64, len: usize, scratch: &'a mut [u8]) -> Result<&'a [u8]>;
}

/// A profile in memory.
#[derive(Debug)]
pub struct MemorySource<'a>(pub &'a [u8]);

impl ProfileSource for MemorySource<'_> {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn max_len(&self, _scratch: usize) -> usize {
        usize::MAX
    }

    fn bytes<'a>(&'a self, at: u64, len: usize, _scratch: &'a mut [u8]) -> Result<&'a [u8]> {
        let at = usize::try_from(at).map_err(|_| Error::TRUNCATED)?;
        self.0.get(at..).and_then(|rest| rest.get(..len)).ok_or(Error::TRUNCATED)
    }
}

/// A profile in a file. Read and not mapped: when another program truncates the file, that is an error and no fatal signal.
#[cfg(feature = "hosted")]
#[derive(Debug)]
pub struct FileSource<'a> {
    /// The file.
    pub fd: &'a Fd,
    /// Its size in bytes.
    pub size: u64,
    /// Whether to search for holes, which moves the file offset.
    pub holes: bool,
}

#[cfg(feature = "hosted")]
impl FileSource<'_> {
    /// Returns the file as a source. (A function, so that programs have one table of its methods.)
    #[inline(never)]
    pub fn source(&self) -> &dyn ProfileSource {
        self
    }
}

#[cfg(feature = "hosted")]
impl ProfileSource for FileSource<'_> {
    fn size(&self) -> u64 {
        self.size
    }

    fn max_len(&self, scratch: usize) -> usize {
        scratch
    }

    fn extent(&self, at: u64, after_hole: bool) -> (bool, u64) {
        if self.holes { self.fd.extent(at, self.size, after_hole) } else { (false, u64::MAX) }
    }

    fn bytes<'a>(&'a self, at: u64, len: usize, scratch: &'a mut [u8]) -> Result<&'a [u8]> {
        let room = scratch.get_mut(..len).ok_or(Error::TRUNCATED)?;
        self.fd.read_all(room, at)?;
        Ok(room)
    }
}

/// Reads a range of a source in pieces as large as the source and the scratch memory allow.
pub struct Pieces<'a> {
    source: &'a dyn ProfileSource,
    at: u64,
    left: u64,
    most: usize,
}

impl<'a> Pieces<'a> {
    /// Creates a reader of the bytes from `at` to `at + len`. All pieces except the last are multiples of `unit`. Error: [`Error::NO_SPACE`]
    /// where the scratch memory has no space for a unit.
    pub fn of(source: &'a dyn ProfileSource, at: u64, len: u64, unit: usize, scratch: &[u8]) -> Result<Pieces<'a>> {
        let most = source.max_len(scratch.len()).checked_div(unit).unwrap_or(0).wrapping_mul(unit);
        if most == 0 && len > 0 {
            return Err(Error::NO_SPACE);
        }
        Ok(Pieces { source, at, left: len, most })
    }

    /// Returns the next piece; empty after the last. Reads it into `scratch` unless it is in memory.
    pub fn next<'b>(&'b mut self, scratch: &'b mut [u8]) -> Result<&'b [u8]> {
        if self.left == 0 {
            return Ok(&[]);
        }
        let now = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.most);
        let from = self.at;
        self.at = from.checked_add(now as u64).ok_or(Error::TRUNCATED)?;
        self.left = self.left.wrapping_sub(now as u64);
        self.source.bytes(from, now, scratch)
    }
}
