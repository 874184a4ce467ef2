//! Reasons of failures, as small numbers. On hosted systems `report::reasons` has their messages; here is the text that devices and
//! debuggers show. Their C codes are in `abi`.

use core::num::NonZeroI32;

use crate::format::FormatError;

/// The reason why no profile was written: an `errno`, or a number of ours.
///
/// ```no_run
/// # let mut sink = profrt::sink::Bytes(|_: &[u8]| Ok::<(), ()>(()));
/// match profrt::capture(&mut sink) {
///     Err(profrt::Error::SINK) => { /* the program's function failed */ }
///     Err(error) => eprintln!("no profile: {error}"),
///     Ok(()) => {}
/// }
/// ```
///
/// One integer, so that `Result<()>` is one word: 0 for success.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error(NonZeroI32);

const _: () = assert!(size_of::<Result>() == 4);

/// The errors of ours that have a name, and text for those who debug.
macro_rules! ours {
    (public { $($(#[$shown_doc:meta])* $shown:ident = $shown_number:literal;)* }
     internal { $($(#[$doc:meta])* $name:ident = $number:literal;)* }) => {
        impl Error {
            $($(#[$shown_doc])* pub const $shown: Error = Error::own($shown_number);)*
            $($(#[$doc])* #[doc(hidden)] pub const $name: Error = Error::own($number);)*
        }

        impl core::fmt::Debug for Error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match *self {
                    $(Error::$shown => f.write_str(stringify!($shown)),)*
                    $(Error::$name => f.write_str(stringify!($name)),)*
                    Error(number) => write!(f, "Error({number})"),
                }
            }
        }
    };
}

ours! {
    public {
    /// The destination has fewer bytes than the profile needs.
    NO_SPACE = 2;
    /// Another dump is under way and the caller cannot wait for it (it interrupted that dump).
    BUSY = 4;
    /// The linker script has left records and names in the ELF file: counters can be dumped, a raw profile cannot.
    RECORDS_NOT_LOADED = 9;
    /// A sink other than a file refused the bytes.
    SINK = 10;
    /// There is no name to write to.
    NO_NAME = 11;
    /// Another core changed values while they were written.
    VALUES_CHANGED = 20;
    }
    internal {
    /// A size or an offset does not fit its type: the sections or the header are not what they claim to be.
    OVERFLOW = 1;
    /// A name is longer than the longest path ([`crate::path::CAPACITY`]).
    NAME_TOO_LONG = 3;
    /// The bytes end before the thing they should hold.
    TRUNCATED = 5;
    /// The bytes do not begin with the magic of a raw profile.
    BAD_MAGIC = 6;
    /// The profile is well-formed, and of another program: records, names or sizes differ.
    FOREIGN = 7;
    /// The parts of the profile contradict each other.
    CORRUPT = 8;
    /// The caller retries. Never reported. The name means another file than a moment ago, or the next attempt creates its new file in
    /// another way.
    OVERTAKEN = 12;
    /// The name is a symbolic link.
    LINKED = 13;
    /// The directory belongs to another user, or everybody may write there.
    STRANGERS = 14;
    /// The name is a symbolic link, and the system does not tell the name of the file that it leads to.
    NO_REAL_NAME = 15;
    /// The process has more rights than its caller, and nobody but the caller has chosen the file.
    NOT_CHOSEN = 16;
    /// The name is that of a device, a pipe or the like.
    NOT_REGULAR = 17;
    /// Other processes use the file longer than we wait: one has locked it, or they replace it all the time.
    FILE_IN_USE = 18;
    /// All names that were tried are in use.
    NO_FREE_NAME = 19;
    /// The profile's header has another version than this program: it is damaged, or of another program ([`Error::is_difference`]).
    VERSION_DIFFERS = 0x20;
    /// The header has another number of records.
    NUM_DATA_DIFFERS = 0x21;
    /// The header has another number of counters.
    NUM_COUNTERS_DIFFERS = 0x22;
    /// The header has another number of bytes of bitmaps.
    NUM_BITMAP_BYTES_DIFFERS = 0x23;
    /// The header has another number of uniform counters.
    NUM_UNIFORM_COUNTERS_DIFFERS = 0x24;
    /// The header has another number of bytes of names.
    NAMES_SIZE_DIFFERS = 0x25;
    /// The header has another number of vtables.
    NUM_VTABLES_DIFFERS = 0x26;
    /// The header has another number of bytes of names of vtables.
    VNAMES_SIZE_DIFFERS = 0x27;
    /// The header has another number of kinds of values.
    VALUE_KIND_LAST_DIFFERS = 0x28;
    /// A record has another hash of its function's name.
    NAME_REF_DIFFERS = 0x29;
    /// A record has another hash of its function's control flow.
    FUNC_HASH_DIFFERS = 0x2a;
    /// A record's counters are at another place.
    COUNTER_PTR_DIFFERS = 0x2b;
    /// A record's bitmap is at another place.
    BITMAP_PTR_DIFFERS = 0x2c;
    /// A record has another number of counters.
    RECORD_NUM_COUNTERS_DIFFERS = 0x2d;
    /// A record has another number of bytes of bitmap.
    RECORD_NUM_BITMAP_BYTES_DIFFERS = 0x2e;
    /// A record has another number of value sites.
    NUM_VALUE_SITES_DIFFERS = 0x2f;
    /// The names differ.
    NAMES_DIFFER = 0x30;
    /// The names of vtables differ.
    VNAMES_DIFFER = 0x31;
    /// The vtables differ.
    VTABLES_DIFFER = 0x32;
    }
}

/// The first and the last of the differences.
const DIFFERENCES: core::ops::RangeInclusive<i32> = 0x20..=0x32;

/// From this on ours are about a raw version: this and the one that records seem to have,
const MISMATCH: i32 = 0x80;
/// or this and one that is not known.
const BAD_VERSION: i32 = 0x1_0000;

/// Our numbers are those below 0, or above where there is no `errno`: CPUs of devices have short instructions for them.
const SIGN: i32 = if cfg!(feature = "hosted") { -1 } else { 1 };

impl Error {
    #[inline]
    const fn of(number: i32) -> Error {
        match NonZeroI32::new(number) {
            Some(number) => Error(number),
            // No `errno` is 0, and none of ours.
            None => Error(NonZeroI32::MIN),
        }
    }

    #[inline]
    const fn own(number: i32) -> Error {
        Error::of(number.wrapping_mul(SIGN))
    }

    /// Above 0 if it is one of ours.
    #[inline]
    const fn own_number(self) -> i32 {
        self.0.get().wrapping_mul(SIGN)
    }

    /// A system call failed with this `errno`.
    #[cfg(feature = "hosted")]
    #[doc(hidden)]
    #[inline]
    pub const fn os(errno: i32) -> Error {
        Error::of(errno)
    }

    /// The `errno`, if a system call failed.
    #[cfg(feature = "hosted")]
    #[inline]
    pub fn errno(self) -> Option<i32> {
        Some(self.0.get()).filter(|number| *number > 0)
    }

    /// The number, where two bytes hold it: not of errors that name a version.
    #[cfg(feature = "hosted")]
    #[doc(hidden)]
    #[inline]
    pub const fn short(self) -> Option<i16> {
        let number = self.0.get();
        if number > MISMATCH * SIGN && number <= i16::MAX as i32 { Some(number as i16) } else { None }
    }

    /// Whether it names one thing in which a profile and this program differ.
    #[doc(hidden)]
    #[inline]
    pub fn is_difference(self) -> bool {
        DIFFERENCES.contains(&self.own_number())
    }

    /// Whether it is about a raw version, which it names.
    #[doc(hidden)]
    #[inline]
    pub const fn is_of_version(self) -> bool {
        self.own_number() >= MISMATCH
    }

    /// The raw version is not one of 8 to 11, but this, or a larger one than fits here.
    #[doc(hidden)]
    pub fn bad_version(number: u64) -> Error {
        Error::own(BAD_VERSION.wrapping_add(i32::from(u16::try_from(number).unwrap_or(u16::MAX))))
    }

    /// The raw version that is not known.
    #[doc(hidden)]
    #[inline]
    pub fn unknown_version(self) -> Option<u16> {
        u16::try_from(self.own_number().wrapping_sub(BAD_VERSION)).ok()
    }

    /// The records in the image have the shape of another raw version than this archive's: of this one, or of none (0). With this
    /// archive's own version: their counters have another size than the program's version variable says.
    #[doc(hidden)]
    pub const fn mismatch(version: u8) -> Error {
        Error::own(MISMATCH.wrapping_add(version as i32))
    }

    /// The raw version that the records seem to have, as [`Error::mismatch`] was given it.
    #[doc(hidden)]
    #[inline]
    pub fn mismatched(self) -> Option<u8> {
        u8::try_from(self.own_number().wrapping_sub(MISMATCH)).ok()
    }
}

impl core::error::Error for Error {}

/// On hosted systems `report` has more words.
#[cfg(not(feature = "hosted"))]
impl core::fmt::Display for Error {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match *self {
            Error::NO_SPACE => "the buffer is too small",
            Error::BUSY => "another dump is under way",
            Error::VALUES_CHANGED => "values changed during the dump",
            Error::RECORDS_NOT_LOADED => "records and names are not in memory",
            Error::SINK => "the receiver refused the bytes",
            Error::OVERFLOW => "the sections of the program do not fit together",
            error if error.is_of_version() => "the raw versions of compiler and runtime differ",
            _ => "the sections changed during the dump",
        })
    }
}

#[doc(hidden)]
impl From<FormatError> for Error {
    #[inline]
    fn from(error: FormatError) -> Error {
        match error {
            FormatError::Overflow => Error::OVERFLOW,
            FormatError::Truncated => Error::TRUNCATED,
            FormatError::BadMagic => Error::BAD_MAGIC,
            FormatError::BadVersion(number) => Error::bad_version(u64::from(number)),
        }
    }
}

/// The `errno` that callers tell apart.
#[cfg(feature = "hosted")]
macro_rules! errnos {
    ($($name:ident)*) => {
        #[allow(missing_docs)]
        impl Error {
            $(#[doc(hidden)] pub const $name: Error = Error::of(libc::$name);)*
        }
    };
}

#[cfg(feature = "hosted")]
errnos! {
    EACCES EAGAIN EBADF EBUSY EDQUOT EEXIST EFBIG EINTR EINVAL EIO EISDIR ELOOP EMFILE EMLINK ENAMETOOLONG ENFILE ENODEV ENOENT
    ENOLCK ENOMEM ENOSPC ENOSYS ENOTDIR ENXIO EOPNOTSUPP EOVERFLOW EPERM EPIPE EROFS ESPIPE ESTALE ETXTBSY EXDEV
}

/// Shorthand for results of the runtime.
pub type Result<T = ()> = core::result::Result<T, Error>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_error_names_is_read_back() {
        for version in [0, 1, 10, 255] {
            let error = Error::mismatch(version);
            assert_eq!((error.mismatched(), error.unknown_version(), error.errno()), (Some(version), None, None));
        }
        for version in [0, 7, 255, 256, 65_535] {
            let error = Error::bad_version(version);
            assert_eq!((error.mismatched(), error.unknown_version()), (None, Some(version as u16)));
        }
        assert_eq!(Error::bad_version(1 << 40), Error::bad_version(65_535));
        for error in [Error::OVERFLOW, Error::NO_NAME, Error::os(2)] {
            assert_eq!((error.mismatched(), error.unknown_version(), error.is_of_version()), (None, None, false));
        }
        assert_eq!(Error::os(2).errno(), Some(2));
        assert_eq!((Error::os(0).errno(), Error::os(0).is_of_version()), (None, false));
        assert_eq!(Error::SINK.errno(), None);
    }
}
