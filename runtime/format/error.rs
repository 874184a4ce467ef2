//! What is wrong with bytes or sizes.

use core::fmt;

/// An error of a header or of a plan.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FormatError {
    /// A size or an offset does not fit its type: the sections or the header are not what they claim to be.
    Overflow,
    /// The bytes end before the end of the header.
    Truncated,
    /// The bytes do not begin with the magic of a raw profile.
    BadMagic,
    /// The raw version has this number, and no reader for it exists.
    BadVersion(u32),
}

impl FormatError {
    /// Returns the error of a raw version with this number.
    #[inline]
    pub fn bad_version(number: u64) -> FormatError {
        FormatError::BadVersion(u32::try_from(number).unwrap_or(u32::MAX))
    }
}

impl fmt::Display for FormatError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FormatError::Overflow => f.write_str("its sizes add up to more than any file holds"),
            FormatError::Truncated => f.write_str("the bytes end within it"),
            FormatError::BadMagic => f.write_str("no raw profile begins here"),
            FormatError::BadVersion(number) => write!(f, "raw version {number} is not known"),
        }
    }
}

impl core::error::Error for FormatError {}
