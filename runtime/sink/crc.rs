//! CRC-32 (that of Ethernet and zip: polynomial 0x04C11DB7 reflected, all ones at start and end), and a sink that takes it.

#![allow(unsafe_code)]

use super::Sink;
use crate::error::{Error, Result};
use crate::span::Span;

/// The checksum of the bytes so far. Four bits at a time: a table of 64 bytes is what a small device can spare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crc(u32);

const POLYNOMIAL: u32 = 0xedb8_8320;

/// The checksum of four bits.
const fn step(bits: u32) -> u32 {
    let mut crc = bits;
    let mut bit = 0;
    while bit < 4 {
        crc = if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
        bit += 1;
    }
    crc
}

#[rustfmt::skip]
static TABLE: [u32; 16] = [
    step(0), step(1), step(2), step(3), step(4), step(5), step(6), step(7),
    step(8), step(9), step(10), step(11), step(12), step(13), step(14), step(15),
];

impl Crc {
    /// Of no bytes.
    pub const fn new() -> Crc {
        Crc(u32::MAX)
    }

    /// One byte more.
    #[inline]
    pub fn add(&mut self, byte: u8) {
        let step = |crc: u32| crc >> 4 ^ TABLE.get((crc & 15) as usize).copied().unwrap_or(0);
        self.0 = step(step(self.0 ^ u32::from(byte)));
    }

    /// The checksum.
    pub const fn value(self) -> u32 {
        !self.0
    }
}

/// A sink that counts the bytes and takes their checksum.
#[derive(Debug)]
pub struct Checksum {
    /// Of all bytes.
    pub crc: Crc,
    /// Their number.
    pub len: u32,
}

impl Sink for Checksum {
    unsafe fn write(&mut self, spans: &[Span]) -> Result {
        for span in spans {
            let len = u32::try_from(span.len).map_err(|_| Error::Overflow)?;
            self.len = self.len.checked_add(len).ok_or(Error::Overflow)?;
            for at in 0..span.len {
                // SAFETY: within a span that is readable by this function's contract. Volatile: others may write to it.
                self.crc.add(unsafe { span.start.wrapping_add(at).read_volatile() });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_value_of_the_standard() {
        let mut crc = Crc::new();
        b"123456789".iter().for_each(|byte| crc.add(*byte));
        assert_eq!(crc.value(), 0xcbf4_3926);
    }
}
