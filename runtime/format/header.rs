//! The header of a raw profile: words of 8 bytes, in the order its raw version gives.

use super::encoding::{Encoding, Endian, WordSize};
use super::version::{RawVersion, Variant};
use crate::error::FormatError;
use crate::parts::{Part, words};

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

/// What a word of the header says of its part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Raw version and flags.
    Version,
    /// The number of its elements.
    Count,
    /// The zero bytes after it.
    Padding,
    /// Its address minus the address of the records.
    Delta,
    /// Its address.
    Address,
    /// The number of the last value kind.
    LastKind,
}

/// Defines [`Header`], [`Field`] and all that names each field, from the table of words.
macro_rules! header {
    ($($(#[$doc:meta])* $name:ident, $field:ident = $role:ident of $part:ident;)*) => {
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

        /// The fields of the newest raw version, in file order, with their parts.
        const FIELDS: &[(Field, Part)] = &[(Field::Magic, Part::Header), $((Field::$field, Part::$part),)*];

        impl Field {
            /// Returns the field that says this of a part, if there is one.
            #[inline(always)]
            pub const fn of(role: Role, part: Part) -> Option<Field> {
                match (role, part) {
                    $((Role::$role, Part::$part) => Some(Field::$field),)*
                    _ => None,
                }
            }

            /// Returns LLVM's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Field::$field => stringify!($field),)*
                    Field::Magic => "Magic",
                }
            }
        }

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

            /// Passes the words of a raw version after the magic to `each`, in file order. Unrolled: a loop over fields would be a jump table.
            #[inline(always)]
            pub(crate) fn each(&self, version: RawVersion, mut each: impl FnMut(u64)) {
                $(if Part::$part.is_in(version) {
                    each(self.$name);
                })*
            }

            /// Returns the place of the number in a word of the header. The magic is in no field: it gives the [`Encoding`].
            #[inline(always)]
            const fn number_mut(&mut self, field: Field) -> Option<&mut u64> {
                match field {
                    $(Field::$field => Some(&mut self.$name),)*
                    Field::Magic => None,
                }
            }
        }
    };
}
words!(header);

impl Header {
    /// Sets what the header says of a part, if it says that.
    #[inline(always)]
    pub(crate) const fn set(&mut self, role: Role, part: Part, number: u64) {
        if let Some(field) = Field::of(role, part)
            && let Some(to) = self.number_mut(field)
        {
            *to = number;
        }
    }
}

impl RawVersion {
    /// Words (of 8 bytes) in the header.
    #[inline]
    pub const fn header_words(self) -> usize {
        let (mut rest, mut words): (_, usize) = (FIELDS, 0);
        while let [(_, part), others @ ..] = rest {
            if part.is_in(self) {
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
    FIELDS.iter().filter(move |(_, part)| part.is_in(version)).map(|(field, _)| *field)
}

impl Header {
    /// Reads the words of a raw version from the start of `bytes`. Fields that the version does not have stay as they are. Checks nothing:
    /// sizes are checked by [`crate::layout::Plan::check`]. Error: [`FormatError::Truncated`].
    #[inline]
    pub(crate) fn read(&mut self, version: RawVersion, encoding: Encoding, bytes: &[u8]) -> Result<(), FormatError> {
        let mut words = bytes.as_chunks().0.iter();
        for (field, part) in FIELDS {
            if part.is_in(version) {
                let number = encoding.u64_of(words.next().ok_or(FormatError::Truncated)?);
                if let Some(to) = self.number_mut(*field) {
                    *to = number;
                }
            }
        }
        Ok(())
    }

    /// Returns the header at the start of `bytes`, of any machine and raw version. (The archive has [`crate::layout::Plan::read`]: to copy a
    /// header takes `memcpy`.)
    ///
    /// Errors: [`FormatError::Truncated`], [`FormatError::BadMagic`], [`FormatError::BadVersion`].
    #[inline]
    pub fn decode(bytes: &[u8]) -> Result<(Header, RawVersion, Encoding), FormatError> {
        let (number, encoding) = kind(bytes)?;
        let version = RawVersion::from_number(number).ok_or(FormatError::bad_version(number))?;
        let mut header = Header::default();
        header.read(version, encoding, bytes)?;
        Ok((header, version, encoding))
    }
}

/// Returns the number of the raw version of the profile that `bytes` begin with, and the machine that wrote it.
///
/// Errors: [`FormatError::Truncated`], [`FormatError::BadMagic`].
#[inline]
pub fn kind(bytes: &[u8]) -> Result<(u64, Encoding), FormatError> {
    let words = bytes.as_chunks().0;
    let first = words.first().ok_or(FormatError::Truncated)?;
    // Both magics have this byte first where the most significant one is first.
    let endian = if first.first() == Some(&0xff) { Endian::Big } else { Endian::Little };
    let mut encoding = Encoding { word: WordSize::W64, endian };
    match encoding.u64_of(first) {
        number if number == magic(WordSize::W64) => {}
        number if number == magic(WordSize::W32) => encoding.word = WordSize::W32,
        _ => return Err(FormatError::BadMagic),
    }
    let version = encoding.u64_of(words.get(1).ok_or(FormatError::Truncated)?);
    Ok((Variant(version).number(), encoding))
}

#[cfg(test)]
mod tests;
