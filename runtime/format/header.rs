//! The header of a raw profile: 11 to 19 words of 8 bytes, in the order its raw version gives.

use super::encoding::{Encoding, Endian, WordSize};
use super::version::{RawVersion, Variant};
use crate::error::FormatError;

/// The number of words in the longest header.
pub const MAX_WORDS: usize = FIELDS.len();

/// Returns the magic of a word size: `ff 'l' 'p' 'r' 'o' 'f' 'r' 81` from the most significant byte down, `'R'` for 32 bits.
#[inline]
pub const fn magic(word: WordSize) -> u64 {
    match word {
        WordSize::W64 => u64::from_be_bytes(*b"\xfflprofr\x81"),
        WordSize::W32 => u64::from_be_bytes(*b"\xfflprofR\x81"),
    }
}

/// Defines [`Header`], [`Field`] and all that names each field, from one list in file order. `$since` is the first raw version that has
/// the word.
macro_rules! header {
    ($($(#[$doc:meta])* $name:ident, $field:ident since $since:ident;)*) => {
        /// The fields of a header after the magic. Fields that a raw version does not have are 0.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        #[repr(C)]
        pub struct Header {
            $($(#[$doc])* pub $name: u64,)*
        }

        /// A word of the header, under LLVM's name.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs, reason = "the fields of `Header` say what they are")]
        pub enum Field {
            $($field,)*
            Magic,
        }

        /// The fields of the newest raw version, in file order, with the first version that has them.
        const FIELDS: &[(Field, RawVersion)] = &[(Field::Magic, RawVersion::V8), $((Field::$field, RawVersion::$since),)*];

        impl Header {
            /// Creates a header with `number` in all fields.
            #[inline(always)]
            pub const fn of(number: u64) -> Header {
                Header { $($name: number,)* }
            }

            /// Returns the number in a word of the header.
            #[inline]
            pub const fn number(&self, field: Field, word: WordSize) -> u64 {
                match field {
                    $(Field::$field => self.$name,)*
                    Field::Magic => magic(word),
                }
            }

            /// Sets the number in a word of the header. The magic is in no field: it gives the [`Encoding`].
            #[inline]
            const fn set_number(&mut self, field: Field, number: u64) {
                match field {
                    $(Field::$field => self.$name = number,)*
                    Field::Magic => {}
                }
            }
        }
    };
}

header! {
    /// Raw version and variant flags.
    version, Version since V8;
    /// Bytes of all binary-id entries.
    binary_ids_size, BinaryIdsSize since V8;
    /// Control records.
    num_data, NumData since V8;
    /// Zero bytes between the records and the counters.
    padding_before_counters, PaddingBytesBeforeCounters since V8;
    /// Counters (not bytes).
    num_counters, NumCounters since V8;
    /// Zero bytes after the counters.
    padding_after_counters, PaddingBytesAfterCounters since V8;
    /// Bytes of MC/DC bitmaps.
    num_bitmap_bytes, NumBitmapBytes since V9;
    /// Zero bytes after the bitmaps.
    padding_after_bitmap, PaddingBytesAfterBitmapBytes since V9;
    /// Uniform counters.
    num_uniform_counters, NumUniformCounters since V11;
    /// Zero bytes after the uniform counters.
    padding_after_uniform_counters, PaddingBytesAfterUniformCounters since V11;
    /// Address of the uniform counters minus address of the records.
    uniform_counters_delta, UniformCountersDelta since V11;
    /// Bytes of names.
    names_size, NamesSize since V8;
    /// Address of the counters minus address of the records.
    counters_delta, CountersDelta since V8;
    /// Address of the bitmaps minus address of the records.
    bitmap_delta, BitmapDelta since V9;
    /// Address of the names.
    names_delta, NamesDelta since V8;
    /// Vtable records.
    num_vtables, NumVTables since V10;
    /// Bytes of vtable names.
    vnames_size, VNamesSize since V10;
    /// Number of the last value kind: 1, or 2 from version 10.
    value_kind_last, ValueKindLast since V8;
}

impl RawVersion {
    /// Words (of 8 bytes) in the header.
    #[inline]
    pub const fn header_words(self) -> usize {
        let (mut rest, mut words): (_, usize) = (FIELDS, 0);
        while let [(_, since), others @ ..] = rest {
            if since.number() <= self.number() {
                words = words.wrapping_add(1);
            }
            rest = others;
        }
        words
    }
}

/// Returns the words of a raw version, in file order.
#[inline]
pub fn fields(version: RawVersion) -> impl Iterator<Item = Field> {
    FIELDS.iter().filter(move |(_, since)| since.number() <= version.number()).map(|(field, _)| *field)
}

impl Header {
    /// Reads the header at the start of `bytes`, of any machine and raw version. Fields that the version does not have stay as
    /// they are. Checks nothing but magic, version and length: sizes are checked by [`crate::layout::Plan::check`].
    ///
    /// Errors: [`FormatError::Truncated`], [`FormatError::BadMagic`], [`FormatError::BadVersion`].
    #[inline]
    pub fn read(&mut self, bytes: &[u8]) -> Result<(RawVersion, Encoding), FormatError> {
        let words = bytes.as_chunks().0;
        let encoding = encoding_of(words.first().ok_or(FormatError::Truncated)?)?;
        let number = Variant(encoding.u64_of(words.get(1).ok_or(FormatError::Truncated)?)).number();
        let version = RawVersion::from_number(number).ok_or(FormatError::bad_version(number))?;
        for (index, field) in fields(version).enumerate() {
            self.set_number(field, encoding.u64_of(words.get(index).ok_or(FormatError::Truncated)?));
        }
        Ok((version, encoding))
    }

    /// Returns the header at the start of `bytes`, of any machine and raw version. Errors: those of [`Header::read`], which the archive
    /// uses: to copy a header takes `memcpy`.
    #[inline]
    pub fn decode(bytes: &[u8]) -> Result<(Header, RawVersion, Encoding), FormatError> {
        let mut header = Header::default();
        let (version, encoding) = header.read(bytes)?;
        Ok((header, version, encoding))
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
