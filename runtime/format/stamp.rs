//! The stamp of a continuous file or a numbered file: its run, and two flags. It is in the padding before the counters, which readers ignore.
//!
//! Without `%m`, a run replaces the files of earlier runs, but no file of its own: a plugin that is loaded
//! again, or a child under the same name, adopts the counts in the file. Only a file whose stamp specifies a numbered name may be
//! removed: `app-1.profraw` may also be the name that a user gave to another program.
//!
//! A process that moves its counts to a file under another name marks the old file before it unlocks it. So no other process of the run
//! adopts these counts, too.

use crate::Encoding;
use crate::layout::STAMP;

/// The bytes of a stamp: two words. The plan of a file with pages reserves space for them.
pub type StampBytes = [[u8; 8]; 2];
const _: () = assert!(size_of::<StampBytes>() as u64 == STAMP);

/// The first word of a stamp on a little-endian machine, without its flags.
const MAGIC: u64 = u64::from_le_bytes(*b"profrt-c");
/// The flags of a stamp, which the magic does not have.
const NUMBERED: u64 = 1;
const MOVED: u64 = 2;

/// The stamp of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The run that has written the file.
    pub run: u64,
    /// The name of the file has a number.
    pub numbered: bool,
    /// Another file has all counts of this file.
    pub moved: bool,
}

impl Stamp {
    /// Returns the bytes of the stamp in a file of a machine.
    #[inline]
    pub fn bytes(self, encoding: Encoding) -> StampBytes {
        let numbered = if self.numbered { NUMBERED } else { 0 };
        let moved = if self.moved { MOVED } else { 0 };
        [MAGIC | numbered | moved, self.run].map(|word| encoding.u64_bytes(word))
    }

    /// Parses the bytes before the counters of a file of a machine; `None` if they are no stamp.
    #[inline]
    pub fn parse(bytes: StampBytes, encoding: Encoding) -> Option<Stamp> {
        let [mark, run] = bytes.map(|word| encoding.u64_of(&word));
        let stamp = Stamp { run, numbered: mark & NUMBERED != 0, moved: mark & MOVED != 0 };
        (mark & !(NUMBERED | MOVED) == MAGIC).then_some(stamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Endian, WordSize};

    #[test]
    fn stamps_are_read_back() {
        for endian in [Endian::Little, Endian::Big] {
            let encoding = Encoding { word: WordSize::W64, endian };
            for (numbered, moved) in [(false, false), (true, false), (false, true), (true, true)] {
                let stamp = Stamp { run: 0x0102_0304_0506_0708, numbered, moved };
                assert_eq!(Stamp::parse(stamp.bytes(encoding), encoding), Some(stamp));
            }
            assert_eq!(Stamp::parse([[0; 8]; 2], encoding), None);
            assert_eq!(Stamp::parse([*b"profrt-x", [1; 8]], encoding), None);
        }
    }
}
