//! Which run a file belongs to, and whether its name has a number: stated in the padding before the counters, where no reader looks.
//!
//! Without `%m`, a run replaces the files of earlier runs, but within a run nothing may be replaced: a plugin that is loaded
//! again, or a child under the same name, goes on with what is there. Only a file whose stamp says that its name was numbered may be
//! removed: `app-1.profraw` may also be the name that a user gave to another program.

/// Bytes of a stamp. The plan of a file with pages leaves room for it ([`crate::layout::STAMP`]).
pub const SIZE: usize = crate::layout::STAMP as usize;

/// The first bytes of a stamp in a file under the name as it is.
const FIRST: [u8; 8] = *b"profrt-c";
/// The same in a file with a number in its name.
const NUMBERED: [u8; 8] = *b"profrt-n";

/// What a file states about itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// The run that has written it.
    pub run: u64,
    /// Its name has a number.
    pub numbered: bool,
}

impl Stamp {
    /// The bytes in the file.
    #[inline]
    pub fn bytes(self) -> [u8; SIZE] {
        let [a, b, c, d, e, f, g, h] = if self.numbered { NUMBERED } else { FIRST };
        let [i, j, k, l, m, n, o, p] = self.run.to_ne_bytes();
        [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }

    /// Parses the bytes before the counters of a file; `None` where they are no stamp.
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
