//! A CRC-32 of bytes in memory, and a sink that computes it.

#![allow(unsafe_code)]

use super::{Sink, in_turn};
use crate::error::{Error, Result};
use crate::format::crc;
use crate::span::Span;

/// The CRC of the bytes so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crc(u32);

impl Crc {
    /// Creates the CRC of no bytes.
    pub const fn new() -> Crc {
        Crc(crc::START)
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
        Crc(crc::step(self.0, byte))
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
        crc::value(self.0)
    }
}

/// A sink that counts bytes and computes their CRC.
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
