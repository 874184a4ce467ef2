//! The header of a raw profile: 11 to 19 words of 8 bytes, in the order its raw version gives.

use super::encoding::{Encoding, Endian, WordSize};
use super::version::{RawVersion, Variant};
use crate::error::FormatError;
use crate::scope::{All, Scope};

/// Words in the longest header.
pub const MAX_WORDS: usize = 19;

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
    /// Zero bytes after the counters.
    pub padding_after_counters: u64,
    /// Bytes of MC/DC bitmaps (from version 9).
    pub num_bitmap_bytes: u64,
    /// Zero bytes after the bitmaps (from version 9).
    pub padding_after_bitmap: u64,
    /// Uniform counters (version 11).
    pub num_uniform_counters: u64,
    /// Zero bytes after the uniform counters (version 11).
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
    /// Returns the index of the field in [`Numbers`]; of the magic, a number that is no index.
    #[inline(always)]
    const fn index(self) -> usize {
        (self as usize).wrapping_sub(Magic as usize + 1)
    }
}

/// The words of each raw version, in file order.
#[rustfmt::skip]
#[inline]
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

// The table above and the sizes in `version` are two statements of the same fact.
const _: () = {
    assert!(fields(RawVersion::V8).len() == RawVersion::V8.header_words());
    assert!(fields(RawVersion::V9).len() == RawVersion::V9.header_words());
    assert!(fields(RawVersion::V10).len() == RawVersion::V10.header_words());
    assert!(fields(RawVersion::V11).len() == RawVersion::V11.header_words());
    assert!(fields(RawVersion::V11).len() == MAX_WORDS);
    // A field that is forgotten in `fields` or here.
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

    /// Returns a word of the header, in file order; 0 after its end.
    #[inline(always)]
    pub fn word<S: Scope>(&self, index: usize, version: RawVersion, word: WordSize) -> u64 {
        match fields(S::version(version)).get(index) {
            None => 0,
            Some(field) => self.number(*field, word),
        }
    }

    /// Returns the number in a word of the header.
    #[inline(always)]
    pub fn number(&self, field: Field, word: WordSize) -> u64 {
        self.numbers().get(field, word)
    }

    /// Returns all fields as an array.
    #[inline(always)]
    pub const fn numbers(&self) -> Numbers {
        Numbers([
            self.version,
            self.binary_ids_size,
            self.num_data,
            self.padding_before_counters,
            self.num_counters,
            self.padding_after_counters,
            self.num_bitmap_bytes,
            self.padding_after_bitmap,
            self.num_uniform_counters,
            self.padding_after_uniform_counters,
            self.uniform_counters_delta,
            self.names_size,
            self.counters_delta,
            self.bitmap_delta,
            self.names_delta,
            self.num_vtables,
            self.vnames_size,
            self.value_kind_last,
        ])
    }

    /// Sets all fields.
    #[inline(always)]
    const fn set_numbers(&mut self, numbers: Numbers) {
        [
            self.version,
            self.binary_ids_size,
            self.num_data,
            self.padding_before_counters,
            self.num_counters,
            self.padding_after_counters,
            self.num_bitmap_bytes,
            self.padding_after_bitmap,
            self.num_uniform_counters,
            self.padding_after_uniform_counters,
            self.uniform_counters_delta,
            self.names_size,
            self.counters_delta,
            self.bitmap_delta,
            self.names_delta,
            self.num_vtables,
            self.vnames_size,
            self.value_kind_last,
        ] = numbers.0;
    }

    /// Reads the header at the start of `bytes`, of any machine and of a raw version in `S`. Fields that the version does not have stay as
    /// they are. Checks nothing but magic, version and length: sizes are checked by [`crate::layout::Plan::check`].
    ///
    /// Errors: [`FormatError::Truncated`], [`FormatError::BadMagic`], [`FormatError::BadVersion`].
    pub fn read<S: Scope>(&mut self, bytes: &[u8]) -> Result<(RawVersion, Encoding), FormatError> {
        let words = bytes.as_chunks().0;
        let encoding = encoding_of(words.first().ok_or(FormatError::Truncated)?)?;
        let number = Variant(encoding.u64_of(words.get(1).ok_or(FormatError::Truncated)?)).number();
        let version = S::version_of(number).ok_or(FormatError::bad_version(number))?;
        let mut numbers = self.numbers();
        for (index, field) in fields(version).iter().enumerate() {
            numbers.set(*field, encoding.u64_of(words.get(index).ok_or(FormatError::Truncated)?));
        }
        self.set_numbers(numbers);
        Ok((version, encoding))
    }

    /// Returns the header at the start of `bytes`, of any machine and raw version. Errors: those of [`Header::read`], which the archive
    /// uses: to copy a header takes `memcpy`.
    #[inline]
    pub fn decode(bytes: &[u8]) -> Result<(Header, RawVersion, Encoding), FormatError> {
        let mut header = Header::default();
        let (version, encoding) = header.read::<All>(bytes)?;
        Ok((header, version, encoding))
    }
}

/// The fields of a header by the word that has them.
#[derive(Clone, Copy, Debug)]
pub struct Numbers([u64; MAX_WORDS - 1]);

impl Numbers {
    /// Returns the number in a word of the header.
    #[inline(always)]
    pub fn get(&self, field: Field, word: WordSize) -> u64 {
        match self.0.get(field.index()) {
            Some(number) => *number,
            // The magic is in no field.
            None => magic(word),
        }
    }

    /// Sets the number in a word of the header. The magic is in no field: it gives the [`Encoding`].
    #[inline(always)]
    fn set(&mut self, field: Field, value: u64) {
        if let Some(number) = self.0.get_mut(field.index()) {
            *number = value;
        }
    }
}

/// Returns the machine that wrote this magic.
#[inline]
fn encoding_of(bytes: &[u8; 8]) -> Result<Encoding, FormatError> {
    for word in [WordSize::W64, WordSize::W32] {
        for endian in [Endian::Little, Endian::Big] {
            let encoding = Encoding { word, endian };
            if encoding.u64_of(bytes) == magic(word) {
                return Ok(encoding);
            }
        }
    }
    Err(FormatError::BadMagic)
}

#[cfg(test)]
mod tests;
