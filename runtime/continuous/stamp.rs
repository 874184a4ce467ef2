//! The stamp of a continuous file: its run, and whether its name has a number. The stamp is in the padding before the counters, which
//! readers ignore.
//!
//! Without `%m`, a run replaces the files of earlier runs, but no file of its own: a plugin that is loaded
//! again, or a child under the same name, adopts the counts in the file. Only a file whose stamp specifies a numbered name may be
//! removed: `app-1.profraw` may also be the name that a user gave to another program.
//!
//! A process that moves its counts to a file under another name marks the old file before it unlocks it. So no other process of the run
//! adopts these counts, too.

/// The size of a stamp. The plan of a file with pages reserves space for it ([`crate::format::layout::STAMP`]).
pub const SIZE: usize = crate::format::layout::STAMP as usize;

/// The first bytes of the stamp in a file without a number in its name.
const FIRST: [u8; 8] = *b"profrt-c";
/// The first bytes of the stamp in a file with a number in its name.
const NUMBERED: [u8; 8] = *b"profrt-n";
/// The same two, in a file whose counts are moving to another one.
const FIRST_MOVING: [u8; 8] = *b"profrt-C";
const NUMBERED_MOVING: [u8; 8] = *b"profrt-N";

/// The stamp of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The run that has written the file.
    pub run: u64,
    /// The name of the file has a number.
    pub numbered: bool,
    /// The counts of the file are moving to another file.
    pub moving: bool,
}

impl Stamp {
    /// Returns the bytes of the stamp in the file.
    #[inline]
    pub fn bytes(self) -> [u8; SIZE] {
        let [a, b, c, d, e, f, g, h] = match (self.numbered, self.moving) {
            (false, false) => FIRST,
            (true, false) => NUMBERED,
            (false, true) => FIRST_MOVING,
            (true, true) => NUMBERED_MOVING,
        };
        let [i, j, k, l, m, n, o, p] = self.run.to_ne_bytes();
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }

    /// Parses the bytes before the counters of a file; `None` if they are no stamp.
    pub fn parse(bytes: &[u8; SIZE]) -> Option<Stamp> {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
        let mark = u64::from_ne_bytes([a, b, c, d, e, f, g, h]);
        let is = |first: [u8; 8]| mark == u64::from_ne_bytes(first);
        let run = u64::from_ne_bytes([i, j, k, l, m, n, o, p]);
        let (numbered, moving) = (is(NUMBERED) || is(NUMBERED_MOVING), is(FIRST_MOVING) || is(NUMBERED_MOVING));
        (numbered || moving || is(FIRST)).then_some(Stamp { run, numbered, moving })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_read_back() {
        for (numbered, moving) in [(false, false), (true, false), (false, true), (true, true)] {
            let stamp = Stamp { run: 0x0102_0304_0506_0708, numbered, moving };
            assert_eq!(Stamp::parse(&stamp.bytes()), Some(stamp));
        }
        assert_eq!(Stamp::parse(&[0; SIZE]), None);
        assert_eq!(Stamp::parse(b"profrt-x\x01\x02\x03\x04\x05\x06\x07\x08"), None);
    }
}
