//! What can go wrong, as small numbers. Text is made from it only in `report`, C return values only in `abi`.

/// A failure inside the runtime. `Copy`, no heap, no formatting. On devices a result is one word, which functions return in a
/// register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Error {
    /// A system call failed with this `errno`.
    #[cfg(feature = "hosted")]
    Os(i32),
    /// A size or an offset does not fit its type: the sections or the header are not what they claim to be.
    Overflow,
    /// The destination has fewer bytes than the profile needs.
    NoSpace,
    /// A name is longer than the longest path ([`crate::path::CAPACITY`]).
    NameTooLong,
    /// Another dump is under way and the caller cannot wait for it (it interrupted that dump).
    Busy,
    /// The bytes end before the thing they should hold.
    Truncated,
    /// The bytes do not begin with the magic of a raw profile.
    BadMagic,
    /// The raw version is not one of 8 to 11, but this, or a larger one than fits here.
    BadVersion(u16),
    /// The records in the image have the shape of another raw version than this archive's.
    /// The number is the raw version they seem to have, 0 if none fits.
    Mismatch(u8),
    /// The profile is well-formed, and of another program: records, names or sizes differ.
    Foreign,
    /// The parts of the profile contradict each other.
    Corrupt,
    /// The linker script has left records and names in the ELF file: counters can be dumped, a raw profile cannot.
    RecordsNotLoaded,
    /// A sink other than a file refused the bytes.
    Sink,
}

#[cfg(not(feature = "hosted"))]
const _: () = assert!(size_of::<Result>() == 4);

impl Error {
    /// The error for a raw version's number.
    pub fn bad_version(number: u64) -> Error {
        Error::BadVersion(u16::try_from(number).unwrap_or(u16::MAX))
    }
}

/// Shorthand for results of the runtime.
pub type Result<T = ()> = core::result::Result<T, Error>;
