//! CRC-32 (that of Ethernet and zip: polynomial 0x04C11DB7 reflected, all ones at start and end), and a sink that computes it.

#![allow(unsafe_code)]

use super::{Sink, in_turn};
use crate::error::{Error, Result};
use crate::span::Span;

/// The CRC of the bytes so far, computed bit by bit: a table would take more flash than this code, and serial lines are slower still.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crc(u32);

const POLYNOMIAL: u32 = 0xedb8_8320;

impl Crc {
    /// Creates the CRC of no bytes.
    pub const fn new() -> Crc {
        Crc(u32::MAX)
    }

    /// Adds a byte.
    #[inline(always)]
    pub fn add(&mut self, byte: u8) {
        *self = self.and(byte);
    }

    /// Returns the CRC with a byte added. By value, so that the CRC stays in a register.
    #[cfg_attr(feature = "hosted", inline)]
    #[cfg_attr(not(feature = "hosted"), inline(never))]
    fn and(self, byte: u8) -> Crc {
        let mut crc = self.0 ^ u32::from(byte);
        for _ in 0..8 {
            crc = crc >> 1 ^ POLYNOMIAL & (crc & 1).wrapping_neg();
        }
        Crc(crc)
    }

    /// Adds the bytes of a span.
    ///
    /// # Safety
    /// The span must be readable. Its bytes may change meanwhile.
    pub unsafe fn add_all(&mut self, span: Span) {
        for at in 0..span.len {
            // SAFETY: within the caller's span. Volatile: others may write to it.
            self.add(unsafe { span.start.wrapping_add(at).read_volatile() });
        }
    }

    /// Returns the CRC as it is stored.
    pub const fn value(self) -> u32 {
        !self.0
    }
}

/// A sink that counts bytes and computes their CRC.
#[derive(Debug)]
pub struct Checksum {
    /// CRC of all bytes.
    pub crc: Crc,
    /// Number of bytes.
    pub len: u32,
}

impl Sink for Checksum {
    unsafe fn put(&mut self, span: Span) -> Result {
        let len = u32::try_from(span.len).map_err(|_| Error::OVERFLOW)?;
        self.len = self.len.checked_add(len).ok_or(Error::OVERFLOW)?;
        // SAFETY: readable by this function's contract.
        unsafe { self.crc.add_all(span) };
        Ok(())
    }

    in_turn! {}
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
