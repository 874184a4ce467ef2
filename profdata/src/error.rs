//! Errors as data: what was found where, the likely cause, and what to do.

use std::borrow::Cow;
use std::fmt;

use derive_more::{Display, TryFrom};

/// The class of an [`Error`], after LLVM's own (`instrprof_error`). Partial results have the numbers, which stay.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Display, TryFrom)]
#[try_from(repr)]
#[repr(u8)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The input has no bytes.
    #[display("the input is empty")]
    Empty,
    /// The bytes are no profile that this crate knows.
    #[display("not a profile")]
    Unrecognized,
    /// A sample profile, which this crate does not read.
    #[display("a sample profile")]
    SampleProfile,
    /// A raw MemProf profile, which this crate does not read.
    #[display("a raw MemProf profile")]
    RawMemProf,
    /// The header contradicts itself or the input's size.
    #[display("bad header")]
    BadHeader,
    /// A version that this crate does not know.
    #[display("unsupported version")]
    UnsupportedVersion,
    /// A hash type other than MD5.
    #[display("unsupported hash type")]
    UnsupportedHashType,
    /// A size or count does not fit the field or buffer.
    #[display("too large")]
    TooLarge,
    /// The input ends too early.
    #[display("truncated")]
    Truncated,
    /// A part contradicts itself.
    #[display("malformed")]
    Malformed,
    /// The profile needs its binary or debug info, and none is given.
    #[display("needs its binary")]
    MissingCorrelation,
    /// A binary is given, and the profile does not need it.
    #[display("needs no binary")]
    UnexpectedCorrelation,
    /// The binary does not fit the profile.
    #[display("the binary does not fit")]
    UnableToCorrelate,
    /// A counter is above 2^56.
    #[display("counter above 2^56")]
    CounterTooLarge,
    /// Compressed bytes cannot be decompressed.
    #[display("cannot be decompressed")]
    UncompressFailed,
    /// Two inputs of kinds that have no meaning together: front end and IR, or byte coverage and counts.
    #[display("incompatible kinds")]
    Incompatible,
    /// A file cannot be read or written.
    #[display("cannot be read or written")]
    Io,
    /// The profile has a part that the output format cannot represent.
    #[display("cannot be written")]
    Unwritable,
}

/// Why an input could not be read, or a profile not be written.
#[derive(Clone, PartialEq, Eq)]
pub struct Error(Box<Details>);

/// The fields of an [`Error`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Details {
    /// Class.
    pub kind: ErrorKind,
    /// Name of the input, where the caller has given one ([`Error::in_input`]).
    pub input: Option<String>,
    /// Field or part of the format, under LLVM's name.
    pub field: Cow<'static, str>,
    /// Where it starts, in bytes from the start of the input.
    pub offset: Option<u64>,
    /// What a sound input has there.
    pub expected: Option<String>,
    /// What this input has there.
    pub found: Option<String>,
}

impl From<Details> for Error {
    fn from(details: Details) -> Error {
        Error(Box::new(details))
    }
}

impl Error {
    /// Returns an error of this class about a field.
    #[cold]
    pub fn new(kind: ErrorKind, field: impl Into<Cow<'static, str>>) -> Error {
        let field = field.into();
        Details { kind, input: None, field, offset: None, expected: None, found: None }.into()
    }

    /// Adds where the field starts, in bytes from the start of the input.
    pub fn at(mut self, offset: impl TryInto<u64>) -> Error {
        self.0.offset = offset.try_into().ok();
        self
    }

    /// Returns an error whose offset counted from `start`, and now counts from the start of the input.
    pub(crate) fn after(self, start: u64) -> Error {
        let offset = self.0.offset.unwrap_or(0);
        self.at(start.saturating_add(offset))
    }

    /// Adds what a sound input has there.
    pub fn expected(mut self, expected: impl fmt::Display) -> Error {
        self.0.expected = Some(expected.to_string());
        self
    }

    /// Adds what this input has there.
    pub fn found(mut self, found: impl fmt::Display) -> Error {
        self.0.found = Some(found.to_string());
        self
    }

    /// Adds the name of the input, unless the error has one.
    pub fn in_input(mut self, input: impl Into<String>) -> Error {
        self.0.input.get_or_insert_with(|| input.into());
        self
    }

    /// Returns the class.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// Returns all fields.
    pub fn details(&self) -> &Details {
        &self.0
    }

    /// Returns the likely cause.
    pub fn cause(&self) -> &'static str {
        match self.kind() {
            ErrorKind::Empty => "the program was killed before it wrote, or its disk was full",
            ErrorKind::Unrecognized => "the file is not a profile, or its first bytes were overwritten",
            ErrorKind::SampleProfile => "the file comes from a sampling profiler",
            ErrorKind::RawMemProf => "the file comes from a program built with -fmemory-profile",
            ErrorKind::BadHeader | ErrorKind::Truncated | ErrorKind::TooLarge => {
                "the file was cut when the program was killed, when the disk was full, or when it was copied"
            }
            ErrorKind::UnsupportedVersion => {
                "a newer compiler than this crate knows wrote the file, or its first bytes were overwritten"
            }
            ErrorKind::UnsupportedHashType | ErrorKind::Malformed | ErrorKind::UncompressFailed => {
                "the file is damaged"
            }
            ErrorKind::MissingCorrelation => "the program was built with -profile-correlate",
            ErrorKind::UnexpectedCorrelation => "the program was built without -profile-correlate",
            ErrorKind::UnableToCorrelate => "the binary is not the one that ran, or it was stripped",
            ErrorKind::CounterTooLarge => "other bytes were written over the counters, in memory or in the file",
            ErrorKind::Incompatible => "the inputs come from builds with different flags",
            ErrorKind::Unwritable => "the output format is too old for a part of the profile",
            ErrorKind::Io => "the path is wrong, or the system refuses access",
        }
    }

    /// Returns what a user can do.
    pub fn remedy(&self) -> &'static str {
        match self.kind() {
            ErrorKind::Empty | ErrorKind::Truncated | ErrorKind::BadHeader | ErrorKind::TooLarge => {
                "run the program again, or leave the file out"
            }
            ErrorKind::Unrecognized => "give files that an instrumented program or llvm-profdata wrote",
            ErrorKind::SampleProfile | ErrorKind::RawMemProf => "use llvm-profdata for this file",
            ErrorKind::UnsupportedVersion => "use a newer release of this crate, or the compiler's own llvm-profdata",
            ErrorKind::UnsupportedHashType | ErrorKind::Malformed | ErrorKind::UncompressFailed => {
                "copy or make the file again"
            }
            ErrorKind::MissingCorrelation => "give the binary that ran, or its debug info",
            ErrorKind::UnexpectedCorrelation => "leave the binary out",
            ErrorKind::UnableToCorrelate => "give the unstripped binary with the build id that the profile names",
            ErrorKind::CounterTooLarge => "salvage the other functions",
            ErrorKind::Incompatible => "merge each kind by itself",
            ErrorKind::Unwritable => "write a newer version, or leave that part out",
            ErrorKind::Io => "check the path and its permissions",
        }
    }
}

impl fmt::Display for Error {
    /// Writes one line: input, field, offset, expected and found.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let details = self.details();
        if let Some(input) = &details.input {
            write!(f, "{input}: ")?;
        }
        write!(f, "{}", details.field)?;
        if let Some(offset) = details.offset {
            write!(f, " at byte {offset}")?;
        }
        write!(f, ": {}", self.kind())?;
        if let Some(expected) = &details.expected {
            write!(f, "; expected {expected}")?;
        }
        if let Some(found) = &details.found {
            write!(f, "; found {found}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    /// Writes the same line, which is what a `main` that returns the error shows.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_says_all() {
        let error = Error::new(ErrorKind::Truncated, "NamesSize").at(56u64).expected("1024 bytes").found("12 bytes");
        let line = "a.profraw: NamesSize at byte 56: truncated; expected 1024 bytes; found 12 bytes";
        assert_eq!(error.in_input("a.profraw").to_string(), line);
    }
}
