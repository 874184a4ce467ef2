//! Where the bytes of a profile to be merged come from.

use crate::error::{Error, Result};
#[cfg(feature = "hosted")]
use crate::os::Fd;

/// Bytes by their place. Reading beyond the end is [`Error::TRUNCATED`].
pub trait ProfileSource {
    /// How many bytes there are.
    fn size(&self) -> u64;

    /// How many bytes can be asked for at a time when there is this much scratch memory.
    fn max_len(&self, scratch: usize) -> usize;

    /// What stands at a place: zeros that take no room (`true`) or anything else, and for how many bytes at least.
    /// `after_hole`: the last such zeros end there.
    fn extent(&self, _at: u64, _after_hole: bool) -> (bool, u64) {
        (false, u64::MAX)
    }

    /// The `len` bytes from `at` on, put into `scratch` where they are not in memory already.
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

/// A profile in a file, which is read and not mapped: a file that another program cuts short is an error then, and no
/// deadly signal.
#[cfg(feature = "hosted")]
#[derive(Debug)]
pub struct FileSource<'a> {
    /// The file.
    pub fd: &'a Fd,
    /// Its bytes.
    pub size: u64,
    /// Its holes may be looked for, which moves the place of the next write.
    pub holes: bool,
}

#[cfg(feature = "hosted")]
impl FileSource<'_> {
    /// It as a source. (Here, so that programs have one table of its functions.)
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

/// Bytes of a source, in pieces as large as the source and the scratch memory allow.
pub struct Pieces<'a> {
    source: &'a dyn ProfileSource,
    at: u64,
    left: u64,
    most: usize,
}

impl<'a> Pieces<'a> {
    /// The bytes from `at` to `at + len`. All pieces but the last are whole multiples of `unit`; where there is no room for one,
    /// [`Error::NO_SPACE`], for nobody would see a whole unit at all.
    pub fn of(source: &'a dyn ProfileSource, at: u64, len: u64, unit: usize, scratch: &[u8]) -> Result<Pieces<'a>> {
        let most = source.max_len(scratch.len()).checked_div(unit).unwrap_or(0).wrapping_mul(unit);
        if most == 0 && len > 0 {
            return Err(Error::NO_SPACE);
        }
        Ok(Pieces { source, at, left: len, most })
    }

    /// The next piece, put into the same scratch memory where it is not in memory already; empty behind the last.
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
