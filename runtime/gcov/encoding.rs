//! The words of a `.gcda` file. GCC documents the format in `gcov-io.h`.
//!
//! ```text
//! file:     magic  version  stamp  function*  summary  0  0
//! function: 01000000  length  ident  line checksum  [control-flow checksum]   then its counters
//! counters: 01a10000  2 * n   n times (low word, high word)
//! summary:  a3000000  3  0  0  runs      up to version 8
//!           a1000000  2  runs  0         from version 9 on
//! ```
//!
//! A word has 32 bits, in the byte order of the program.

use super::buffer::PageBuffer;
use crate::error::Result;

/// A word in the file.
pub type Word = [u8; 4];

/// The first word.
pub const MAGIC: u32 = u32::from_be_bytes(*b"gcda");
/// The tag of a function.
pub const FUNCTION: u32 = 0x0100_0000;
/// The tag of the counters of a function.
pub const COUNTERS: u32 = 0x01a1_0000;
/// The tag of the summary up to version 8.
pub const OLD_SUMMARY: u32 = 0xa300_0000;
/// The tag of the summary from version 9 on.
pub const SUMMARY: u32 = 0xa100_0000;
/// Words before the first record: magic, version, stamp.
pub const HEADER: usize = 3;

/// The version of gcov for which a file is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Version(pub u32);

impl Version {
    /// Returns ten times the major version plus the last digit of the minor version: 47 for `407*` and `4.7`, 113 for `B13*`.
    fn number(self) -> u32 {
        let [major, tens, ones, _] = self.0.to_be_bytes();
        let digit = |byte: u8| u32::from(byte).wrapping_sub(u32::from(b'0'));
        if major >= b'A' {
            let hundreds = u32::from(major).wrapping_sub(u32::from(b'A')).wrapping_mul(100);
            hundreds.wrapping_add(digit(tens).wrapping_mul(10)).wrapping_add(digit(ones))
        } else {
            digit(major).wrapping_mul(10).wrapping_add(digit(ones))
        }
    }

    /// Returns whether a function has a checksum of its control flow: from version 4.7 on.
    pub fn has_flow_checksum(self) -> bool {
        self.number() >= 47
    }

    /// Returns the tag of the summary.
    pub fn summary_tag(self) -> u32 {
        if self.number() >= 90 { SUMMARY } else { OLD_SUMMARY }
    }
}

/// Returns the place of the number of runs among the words of a summary with this tag; `None` for other tags.
pub fn place_of_runs(tag: u32) -> Option<usize> {
    match tag {
        OLD_SUMMARY => Some(2),
        SUMMARY => Some(0),
        _ => None,
    }
}

// The records of one file, appended to a buffer.
impl Version {
    /// Appends words.
    fn words<const N: usize>(self, to: &mut PageBuffer, words: [u32; N]) -> Result {
        let mut words = words.into_iter();
        for place in to.extend(N.saturating_mul(4))?.as_chunks_mut::<4>().0 {
            *place = words.next().unwrap_or(0).to_ne_bytes();
        }
        Ok(())
    }

    /// Appends the header.
    pub fn header(self, to: &mut PageBuffer, stamp: u32) -> Result {
        self.words(to, [MAGIC, self.0, stamp])
    }

    /// Appends a function.
    pub fn function(self, to: &mut PageBuffer, ident: u32, line_checksum: u32, flow_checksum: u32) -> Result {
        if self.has_flow_checksum() {
            self.words(to, [FUNCTION, 3, ident, line_checksum, flow_checksum])
        } else {
            self.words(to, [FUNCTION, 2, ident, line_checksum])
        }
    }

    /// Appends the counters of a function: `count` of them, from an iterator that has as many.
    pub fn counters(self, to: &mut PageBuffer, count: u32, mut counters: impl Iterator<Item = u64>) -> Result {
        self.words(to, [COUNTERS, count.wrapping_mul(2)])?;
        let words = to.extend((count as usize).saturating_mul(8))?.as_chunks_mut::<4>().0;
        for place in words.as_chunks_mut::<2>().0 {
            *place = encoded(counters.next().unwrap_or(0));
        }
        Ok(())
    }

    /// Appends the summary of a file that nobody has written before: one run.
    pub fn summary(self, to: &mut PageBuffer) -> Result {
        match self.summary_tag() {
            SUMMARY => self.words(to, [SUMMARY, 2, 1, 0]),
            tag => self.words(to, [tag, 3, 0, 0, 1]),
        }
    }

    /// Appends the end.
    pub fn end(self, to: &mut PageBuffer) -> Result {
        self.words(to, [0, 0])
    }
}

/// Returns the words of a counter: the low one, then the high one.
#[inline]
pub fn encoded(counter: u64) -> [Word; 2] {
    [(counter as u32).to_ne_bytes(), ((counter >> 32) as u32).to_ne_bytes()]
}

/// Returns the counter with these words.
#[inline]
pub fn decoded([low, high]: [Word; 2]) -> u64 {
    u64::from(u32::from_ne_bytes(low)) | u64::from(u32::from_ne_bytes(high)) << 32
}
