//! Numbers and strings in a frame.

use crate::leb128;

/// Appends numbers and strings.
pub(crate) trait Put {
    /// Appends a number as LEB128.
    fn number(&mut self, number: u64);
    /// Appends a number of up to 128 bits as LEB128.
    fn wide(&mut self, number: u128);
    /// Appends eight bytes.
    fn word(&mut self, word: u64);
    /// Appends a length and the bytes.
    fn string(&mut self, bytes: &[u8]);
}

impl Put for Vec<u8> {
    fn number(&mut self, number: u64) {
        leb128::put(self, number);
    }

    fn wide(&mut self, number: u128) {
        leb128::put_wide(self, number);
    }

    fn word(&mut self, word: u64) {
        self.extend_from_slice(&word.to_le_bytes());
    }

    fn string(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.extend_from_slice(bytes);
    }
}

/// Takes numbers and strings from the front. All functions return `None` when the bytes end too early.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Take<'a>(pub(crate) &'a [u8]);

impl<'a> Take<'a> {
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*byte)
    }

    /// Takes a LEB128 number; `None` when it is above 2^64 - 1.
    pub(crate) fn number(&mut self) -> Option<u64> {
        leb128::take(&mut self.0)
    }

    /// Takes a LEB128 number of up to 128 bits.
    pub(crate) fn wide(&mut self) -> Option<u128> {
        leb128::take_wide(&mut self.0)
    }

    /// Takes the number of things that follow, of at least one byte each: a number that the bytes cannot hold is refused before memory is
    /// reserved for it.
    pub(crate) fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.0.len())
    }

    pub(crate) fn word(&mut self) -> Option<u64> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*word))
    }

    pub(crate) fn string(&mut self) -> Option<&'a [u8]> {
        let len = self.count()?;
        let (string, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(string)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        Some(String::from_utf8_lossy(self.string()?).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_that_is_longer_than_the_bytes_is_none() {
        assert_eq!(Take(&[2, b'a', b'b']).string(), Some(&b"ab"[..]));
        assert_eq!(Take(&[5, 0]).string(), None);
    }
}
