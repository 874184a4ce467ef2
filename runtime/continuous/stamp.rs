//! The stamp of a continuous file: its run, and whether its name has a number. The stamp is in the padding before the counters, which
//! readers ignore.
//!
//! Without `%m`, a run replaces the files of earlier runs, but no file of its own: a plugin that is loaded
//! again, or a child under the same name, adopts the counts in the file. Only a file whose stamp specifies a numbered name may be
//! removed: `app-1.profraw` may also be the name that a user gave to another program.

/// The size of a stamp. The plan of a file with pages reserves space for it ([`crate::format::layout::STAMP`]).
pub const SIZE: usize = crate::format::layout::STAMP as usize;

/// The first bytes of the stamp in a file without a number in its name.
const FIRST: [u8; 8] = *b"profrt-c";
/// The first bytes of the stamp in a file with a number in its name.
const NUMBERED: [u8; 8] = *b"profrt-n";

/// The stamp of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The run that has written the file.
    pub run: u64,
    /// The name of the file has a number.
    pub numbered: bool,
}

impl Stamp {
    /// Returns the bytes of the stamp in the file.
    #[inline]
    pub fn bytes(self) -> [u8; SIZE] {
        let [a, b, c, d, e, f, g, h] = if self.numbered { NUMBERED } else { FIRST };
        let [i, j, k, l, m, n, o, p] = self.run.to_ne_bytes();
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }

    /// Parses the bytes before the counters of a file; `None` if they are no stamp.
    pub fn parse(bytes: &[u8; SIZE]) -> Option<Stamp> {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *bytes;
        let mark = u64::from_ne_bytes([a, b, c, d, e, f, g, h]);
        let numbered = mark == u64::from_ne_bytes(NUMBERED);
        let run = u64::from_ne_bytes([i, j, k, l, m, n, o, p]);
        (numbered || mark == u64::from_ne_bytes(FIRST)).then_some(Stamp { run, numbered })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_are_read_back() {
        for numbered in [false, true] {
            let stamp = Stamp { run: 0x0102_0304_0506_0708, numbered };
            assert_eq!(Stamp::parse(&stamp.bytes()), Some(stamp));
        }
        assert_eq!(Stamp::parse(&[0; SIZE]), None);
        assert_eq!(Stamp::parse(b"profrt-x\x01\x02\x03\x04\x05\x06\x07\x08"), None);
    }
}
