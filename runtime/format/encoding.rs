//! Word size and byte order of the machine a profile was made on.

/// Byte order of all integers of a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Endian {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

/// Size of a pointer on the machine that made the profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordSize {
    /// 4-byte pointers.
    W32,
    /// 8-byte pointers.
    W64,
}

impl WordSize {
    /// This machine's.
    pub const NATIVE: WordSize = if cfg!(target_pointer_width = "64") { WordSize::W64 } else { WordSize::W32 };

    /// Bytes in a pointer.
    #[inline]
    pub const fn bytes(self) -> u64 {
        match self {
            WordSize::W32 => 4,
            WordSize::W64 => 8,
        }
    }
}

/// How integers and pointers of one profile are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Encoding {
    /// Pointer size.
    pub word: WordSize,
    /// Byte order.
    pub endian: Endian,
}

impl Encoding {
    /// This machine's own.
    pub const NATIVE: Encoding = Encoding {
        word: WordSize::NATIVE,
        endian: if cfg!(target_endian = "little") { Endian::Little } else { Endian::Big },
    };

    /// The bytes of `value` in this byte order.
    #[inline]
    pub const fn u64_bytes(self, value: u64) -> [u8; 8] {
        match self.endian {
            Endian::Little => value.to_le_bytes(),
            Endian::Big => value.to_be_bytes(),
        }
    }

    /// The bytes of `value` in this byte order.
    #[inline]
    pub const fn u32_bytes(self, value: u32) -> [u8; 4] {
        match self.endian {
            Endian::Little => value.to_le_bytes(),
            Endian::Big => value.to_be_bytes(),
        }
    }

    /// The number in these bytes.
    #[inline]
    pub const fn u64_of(self, bytes: &[u8; 8]) -> u64 {
        match self.endian {
            Endian::Little => u64::from_le_bytes(*bytes),
            Endian::Big => u64::from_be_bytes(*bytes),
        }
    }

    /// The `u64` at `offset`, or `None` past the end.
    #[inline]
    pub fn u64_at(self, bytes: &[u8], offset: usize) -> Option<u64> {
        Some(self.u64_of(bytes.get(offset..)?.first_chunk()?))
    }

    /// The `u32` at `offset`, or `None` past the end.
    #[inline]
    pub fn u32_at(self, bytes: &[u8], offset: usize) -> Option<u32> {
        let array: [u8; 4] = bytes.get(offset..)?.get(..4)?.try_into().ok()?;
        Some(match self.endian {
            Endian::Little => u32::from_le_bytes(array),
            Endian::Big => u32::from_be_bytes(array),
        })
    }

    /// The `u16` at `offset`, or `None` past the end.
    #[inline]
    pub fn u16_at(self, bytes: &[u8], offset: usize) -> Option<u16> {
        let array: [u8; 2] = bytes.get(offset..)?.get(..2)?.try_into().ok()?;
        Some(match self.endian {
            Endian::Little => u16::from_le_bytes(array),
            Endian::Big => u16::from_be_bytes(array),
        })
    }

    /// The pointer-sized integer at `offset`, zero-extended, or `None` past the end.
    #[inline]
    pub fn word_at(self, bytes: &[u8], offset: usize) -> Option<u64> {
        match self.word {
            WordSize::W32 => self.u32_at(bytes, offset).map(u64::from),
            WordSize::W64 => self.u64_at(bytes, offset),
        }
    }
}
