//! The header of a raw profile: 11 to 19 words of 8 bytes, in the order its raw version gives.

#![allow(unsafe_code)]

use super::encoding::{Encoding, Endian, WordSize};
use super::version::{RawVersion, Variant};
use crate::error::{Error, Result};

/// Words in the longest header.
pub const MAX_WORDS: usize = 19;

/// Words of the headers that are written here: in the archive those of its own version.
pub const WORDS: usize = if cfg!(feature = "archive") { RawVersion::BUILT.header_words() } else { MAX_WORDS };

/// The fields of a header, under LLVM's names and in the order of [`Field`]. Fields that a raw version does not have are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct Header {
    /// Raw version and variant flags.
    pub version: u64,
    /// Bytes of all binary-id entries.
    pub binary_ids_size: u64,
    /// Control records.
    pub num_data: u64,
    /// Zero bytes between the records and the counters.
    pub padding_before_counters: u64,
    /// Counters (not bytes).
    pub num_counters: u64,
    /// Zero bytes behind the counters.
    pub padding_after_counters: u64,
    /// Bytes of MC/DC bitmaps (from version 9).
    pub num_bitmap_bytes: u64,
    /// Zero bytes behind the bitmaps (from version 9).
    pub padding_after_bitmap: u64,
    /// Uniform counters (version 11).
    pub num_uniform_counters: u64,
    /// Zero bytes behind the uniform counters (version 11).
    pub padding_after_uniform_counters: u64,
    /// Address of the uniform counters minus address of the records (version 11).
    pub uniform_counters_delta: u64,
    /// Bytes of names.
    pub names_size: u64,
    /// Address of the counters minus address of the records.
    pub counters_delta: u64,
    /// Address of the bitmaps minus address of the records (from version 9).
    pub bitmap_delta: u64,
    /// Address of the names.
    pub names_delta: u64,
    /// Vtable records (from version 10).
    pub num_vtables: u64,
    /// Bytes of vtable names (from version 10).
    pub vnames_size: u64,
    /// Number of the last value kind: 1, or 2 from version 10.
    pub value_kind_last: u64,
}

/// The magic of a word size: `ff 'l' 'p' 'r' 'o' 'f' 'r' 81` from the most significant byte down, `'R'` for 32 bits.
#[inline]
pub const fn magic(word: WordSize) -> u64 {
    match word {
        WordSize::W64 => u64::from_be_bytes(*b"\xfflprofr\x81"),
        WordSize::W32 => u64::from_be_bytes(*b"\xfflprofR\x81"),
    }
}

/// A word of the header, under LLVM's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "the fields of `Header` say what they are")]
pub enum Field {
    Magic,
    Version,
    BinaryIdsSize,
    NumData,
    PaddingBytesBeforeCounters,
    NumCounters,
    PaddingBytesAfterCounters,
    NumBitmapBytes,
    PaddingBytesAfterBitmapBytes,
    NumUniformCounters,
    PaddingBytesAfterUniformCounters,
    UniformCountersDelta,
    NamesSize,
    CountersDelta,
    BitmapDelta,
    NamesDelta,
    NumVTables,
    VNamesSize,
    ValueKindLast,
}

use Field::*;

impl Field {
    /// Which of the numbers in a [`Header`] it is; none for the magic.
    #[inline(always)]
    const fn place(self) -> usize {
        (self as usize).wrapping_sub(Magic as usize + 1)
    }
}

/// The words of each raw version, in file order.
#[rustfmt::skip]
pub const fn fields(version: RawVersion) -> &'static [Field] {
    match version {
        RawVersion::V8 => &[
            Magic, Version, BinaryIdsSize, NumData, PaddingBytesBeforeCounters, NumCounters, PaddingBytesAfterCounters,
            NamesSize, CountersDelta, NamesDelta, ValueKindLast,
        ],
        RawVersion::V9 => &[
            Magic, Version, BinaryIdsSize, NumData, PaddingBytesBeforeCounters, NumCounters, PaddingBytesAfterCounters,
            NumBitmapBytes, PaddingBytesAfterBitmapBytes, NamesSize, CountersDelta, BitmapDelta, NamesDelta,
            ValueKindLast,
        ],
        RawVersion::V10 => &[
            Magic, Version, BinaryIdsSize, NumData, PaddingBytesBeforeCounters, NumCounters, PaddingBytesAfterCounters,
            NumBitmapBytes, PaddingBytesAfterBitmapBytes, NamesSize, CountersDelta, BitmapDelta, NamesDelta,
            NumVTables, VNamesSize, ValueKindLast,
        ],
        RawVersion::V11 => &[
            Magic, Version, BinaryIdsSize, NumData, PaddingBytesBeforeCounters, NumCounters, PaddingBytesAfterCounters,
            NumBitmapBytes, PaddingBytesAfterBitmapBytes, NumUniformCounters, PaddingBytesAfterUniformCounters,
            UniformCountersDelta, NamesSize, CountersDelta, BitmapDelta, NamesDelta, NumVTables, VNamesSize,
            ValueKindLast,
        ],
    }
}

/// Which word of the header this is; none behind its end.
pub fn field(index: usize, version: RawVersion) -> Option<Field> {
    fields(version).get(index).copied()
}

// The table above and the sizes in `version` are two statements of the same fact.
const _: () = {
    assert!(fields(RawVersion::V8).len() == RawVersion::V8.header_words());
    assert!(fields(RawVersion::V9).len() == RawVersion::V9.header_words());
    assert!(fields(RawVersion::V10).len() == RawVersion::V10.header_words());
    assert!(fields(RawVersion::V11).len() == RawVersion::V11.header_words());
    assert!(fields(RawVersion::V11).len() == MAX_WORDS);
    assert!(size_of::<Header>() == (MAX_WORDS - 1) * 8);
};

impl Header {
    /// All fields this number.
    #[inline(always)]
    pub const fn of(number: u64) -> Header {
        Header {
            version: number,
            binary_ids_size: number,
            num_data: number,
            padding_before_counters: number,
            num_counters: number,
            padding_after_counters: number,
            num_bitmap_bytes: number,
            padding_after_bitmap: number,
            num_uniform_counters: number,
            padding_after_uniform_counters: number,
            uniform_counters_delta: number,
            names_size: number,
            counters_delta: number,
            bitmap_delta: number,
            names_delta: number,
            num_vtables: number,
            vnames_size: number,
            value_kind_last: number,
        }
    }

    /// A word of the header, in file order; 0 behind its end.
    #[inline(always)]
    pub fn word(&self, index: usize, version: RawVersion, word: WordSize) -> u64 {
        match fields(version.known()).get(index) {
            None => 0,
            Some(field) => self.number(*field, word),
        }
    }

    /// What a word of the header says.
    #[inline(always)]
    pub fn number(&self, field: Field, word: WordSize) -> u64 {
        match self.numbers().get(field.place()) {
            Some(number) => *number,
            // The magic.
            None => magic(word),
        }
    }

    /// All fields, in the order of [`Field`], which has the magic before them.
    #[inline(always)]
    fn numbers(&self) -> &[u64; MAX_WORDS - 1] {
        // SAFETY: as many numbers, one behind the other (`repr(C)`; an assertion above checks the size).
        unsafe { &*core::ptr::from_ref(self).cast() }
    }

    fn set(&mut self, field: Field, value: u64) {
        // SAFETY: as for `numbers`.
        let numbers: &mut [u64; MAX_WORDS - 1] = unsafe { &mut *core::ptr::from_mut(self).cast() };
        // The magic has no place: it was read before, by `encoding_of`.
        if let Some(number) = numbers.get_mut(field.place()) {
            *number = value;
        }
    }

    /// Reads the header at the start of `bytes`, whatever machine and raw version wrote it. Fields that the version does not have
    /// stay as they are.
    ///
    /// Errors: [`Error::TRUNCATED`], [`Error::BAD_MAGIC`], [`Error::bad_version`]. Nothing else is checked here: sizes are
    /// the business of `layout`.
    pub fn read(&mut self, bytes: &[u8]) -> Result<(RawVersion, Encoding)> {
        let words = bytes.as_chunks().0;
        let encoding = encoding_of(words.first().ok_or(Error::TRUNCATED)?)?;
        let number = Variant(encoding.u64_of(words.get(1).ok_or(Error::TRUNCATED)?)).number();
        let version = RawVersion::of_file(number).ok_or(Error::bad_version(number))?;
        for (index, field) in fields(version).iter().enumerate() {
            self.set(*field, encoding.u64_of(words.get(index).ok_or(Error::TRUNCATED)?));
        }
        Ok((version, encoding))
    }

    /// The same into a new one. Not for the archive, where to copy one takes `memcpy`.
    #[inline]
    pub fn decode(bytes: &[u8]) -> Result<(Header, RawVersion, Encoding)> {
        let mut header = Header::default();
        let (version, encoding) = header.read(bytes)?;
        Ok((header, version, encoding))
    }
}

/// Which machine wrote this magic.
fn encoding_of(bytes: &[u8; 8]) -> Result<Encoding> {
    for word in [WordSize::W64, WordSize::W32] {
        for endian in [Endian::Little, Endian::Big] {
            let encoding = Encoding { word, endian };
            if encoding.u64_of(bytes) == magic(word) {
                return Ok(encoding);
            }
        }
    }
    Err(Error::BAD_MAGIC)
}

#[cfg(test)]
mod tests;
