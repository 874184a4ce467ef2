//! Reasons of failures, as small numbers, with their words. Their C codes are in `abi`.

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
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Error(NonZeroI32);

const _: () = assert!(size_of::<Result>() == 4);

/// Defines errors by number and words. The words of hosted systems stand one after the other in `WORDS`, each with a NUL, in the order of
/// `NUMBERS`: references would take 40 bytes each, most of them for the loader.
macro_rules! errors {
    (
        public { $($(#[$doc:meta])* $shown:ident = $shown_number:literal, $shown_words:literal;)* }
        internal { $($name:ident = $number:literal, $words:literal;)* }
        system { $($errno:ident, $errno_words:literal;)* }
    ) => {
        impl Error {
            $($(#[$doc])* pub const $shown: Error = Error::own($shown_number);)*
            $(#[doc(hidden)] pub const $name: Error = Error::own($number);)*
            $(#[cfg(feature = "hosted")] #[doc(hidden)] pub const $errno: Error = Error::of(numbers::$errno);)*
        }

        #[cfg(feature = "hosted")]
        pub(crate) const NUMBERS: &[i16] = &[
            $($shown_number * SIGN as i16,)*
            $($number * SIGN as i16,)*
            $(numbers::$errno as i16,)*
        ];
        #[cfg(feature = "hosted")]
        pub(crate) const WORDS: &str = concat!(
            $($shown_words, "\0",)*
            $($words, "\0",)*
            $($errno_words, "\0",)*
        );

        /// On hosted systems `report` has more words.
        #[cfg(not(feature = "hosted"))]
        impl core::fmt::Display for Error {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.write_str(match *self {
                    $(Error::$shown => $shown_words,)*
                    Error::OVERFLOW => "the sections of the program do not fit together",
                    error if error.is_of_version() => "the raw versions of compiler and runtime differ",
                    _ => "the sections changed during the dump",
                })
            }
        }
    };
}

errors! {
    public {
        /// The destination has fewer bytes than the profile needs.
        NO_SPACE = 2, "the buffer is too small";
        /// Another dump is under way and the caller cannot wait for it (it interrupted that dump).
        BUSY = 4, "another dump is under way";
        /// The linker script has left records and names in the ELF file: counters can be dumped, a raw profile cannot.
        RECORDS_NOT_LOADED = 9, "records and names are not in memory";
        /// A sink other than a file refused the bytes.
        SINK = 10, "the receiver refused the bytes";
        /// There is no name to write to.
        NO_NAME = 11, "no name is set";
        /// Another core changed values while they were written.
        VALUES_CHANGED = 20, "values changed during the dump";
    }
    internal {
        OVERFLOW = 1, "the sections of the program do not fit together";
        NAME_TOO_LONG = 3, "File name too long";
        TRUNCATED = 5, "it ends too early";
        BAD_MAGIC = 6, "it is no raw profile";
        FOREIGN = 7, "it is damaged, or of another program";
        CORRUPT = 8, "its parts contradict each other";
        // The name means another file than a moment ago. Publishing starts over; continuous mode reports the error where it cannot.
        OVERTAKEN = 12, "it was replaced meanwhile";
        NOT_CHOSEN = 16, "a set-uid program writes only files that it has named itself";
        NOT_REGULAR = 17, "it is no regular file";
        FILE_IN_USE = 18, "it is locked by another process";
        READ_LOCKED = 13, "it is locked for reading by another process";
        NO_FREE_NAME = 19, "no name is free";
        NO_GCDA = 22, "it is no .gcda file";
        OTHER_BUILD = 23, "it is of another build of the object file";
        NOTHING_NEW = 24, "it has all counts";
    }
    system {
        EACCES, "Permission denied";
        EAGAIN, "Resource temporarily unavailable";
        EBADF, "Bad file descriptor";
        EBUSY, "Device or resource busy";
        EDQUOT, "Disk quota exceeded";
        EEXIST, "File exists";
        EFBIG, "File too large";
        EINTR, "Interrupted system call";
        EINVAL, "Invalid argument";
        EIO, "Input/output error";
        EISDIR, "Is a directory";
        ELOOP, "Too many levels of symbolic links";
        EMFILE, "Too many open files";
        EMLINK, "Too many links";
        ENAMETOOLONG, "File name too long";
        ENFILE, "Too many open files in system";
        ENODEV, "No such device";
        ENOENT, "No such file or directory";
        ENOLCK, "No locks available";
        ENOMEM, "Cannot allocate memory";
        ENOSPC, "No space left on device";
        ENOSYS, "Function not implemented";
        ENOTDIR, "Not a directory";
        ENXIO, "No such device or address";
        EOPNOTSUPP, "Operation not supported";
        EOVERFLOW, "Value too large for defined data type";
        EPERM, "Operation not permitted";
        EPIPE, "Broken pipe";
        EROFS, "Read-only file system";
        ESPIPE, "Illegal seek";
        ESTALE, "Stale file handle";
        ETXTBSY, "Text file busy";
        EXDEV, "Invalid cross-device link";
    }
}

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

    /// Returns our number, above 0; for an `errno`, a number below 0 on hosted systems.
    #[inline]
    const fn own_number(self) -> i32 {
        self.0.get().wrapping_mul(SIGN)
    }

    /// Returns whether the error is about a raw version, which it names.
    #[doc(hidden)]
    #[inline]
    pub const fn is_of_version(self) -> bool {
        self.own_number() >= MISMATCH
    }

    /// Returns the error for a raw version that we do not know. A number above 65535 becomes 65535.
    #[doc(hidden)]
    pub fn bad_version(number: u64) -> Error {
        Error::own(BAD_VERSION.wrapping_add(i32::from(u16::try_from(number).unwrap_or(u16::MAX))))
    }

    /// Returns the error for records whose shape is that of another raw version than this archive's, or of none (0). With this archive's own
    /// version: the counters of the records have another size than the program's version variable says.
    #[doc(hidden)]
    pub const fn mismatch(version: u8) -> Error {
        Error::own(MISMATCH.wrapping_add(version as i32))
    }

    /// Returns the version of [`Error::mismatch`].
    #[doc(hidden)]
    #[inline]
    pub fn mismatched(self) -> Option<u8> {
        u8::try_from(self.own_number().wrapping_sub(MISMATCH)).ok()
    }
}

#[cfg(feature = "hosted")]
impl Error {
    /// Returns the error of a system call that failed with this `errno`.
    #[doc(hidden)]
    #[inline]
    pub const fn os(errno: i32) -> Error {
        Error::of(errno)
    }

    /// Returns the `errno`, if a system call failed.
    #[inline]
    pub fn errno(self) -> Option<i32> {
        Some(self.0.get()).filter(|number| *number > 0)
    }

    /// Returns the number, as in `NUMBERS`.
    pub(crate) const fn number(self) -> i32 {
        self.0.get()
    }

    // Classes, named by what the caller does next. An error can be of several.

    /// Returns whether the content of a file is damaged, or not that of a profile of this image.
    fn is_unusable(self) -> bool {
        matches!(self, Error::TRUNCATED | Error::BAD_MAGIC | Error::OVERFLOW | Error::CORRUPT | Error::FOREIGN)
            || self.is_of_version() && self.mismatched().is_none()
    }

    /// Returns whether the system refuses a new file, or that it takes the name of the old one, which may still be written itself.
    pub(crate) fn is_refused(self) -> bool {
        matches!(self, Error::EACCES | Error::EPERM | Error::EROFS | Error::EBUSY | Error::ETXTBSY | Error::EXDEV)
            || matches!(self, Error::ENOSYS | Error::EOPNOTSUPP | Error::NAME_TOO_LONG)
    }

    /// Returns whether a file is left alone, and the profile goes to another one: it is damaged, foreign or another user's, no regular file, in
    /// use for too long, or cannot be replaced.
    pub(crate) fn is_not_ours(self) -> bool {
        self.is_unusable()
            || self.is_refused()
            || matches!(self, Error::NOT_REGULAR | Error::EISDIR | Error::FILE_IN_USE | Error::READ_LOCKED)
    }
}

impl core::error::Error for Error {}

#[doc(hidden)]
impl From<FormatError> for Error {
    #[cfg_attr(feature = "hosted", inline(never))]
    #[cfg_attr(not(feature = "hosted"), inline)]
    fn from(error: FormatError) -> Error {
        match error {
            FormatError::Overflow => Error::OVERFLOW,
            FormatError::Truncated => Error::TRUNCATED,
            FormatError::BadMagic => Error::BAD_MAGIC,
            FormatError::BadVersion(number) => Error::bad_version(u64::from(number)),
        }
    }
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
            assert_eq!((error.mismatched(), error.errno()), (Some(version), None));
        }
        for version in [0, 7, 255, 256, 65_535] {
            let error = Error::bad_version(version);
            assert_eq!((error.mismatched(), error.is_of_version()), (None, true));
        }
        assert_eq!(Error::bad_version(1 << 40), Error::bad_version(65_535));
        for error in [Error::OVERFLOW, Error::NO_NAME, Error::os(2)] {
            assert_eq!((error.mismatched(), error.is_of_version()), (None, false));
        }
        assert_eq!(Error::os(2).errno(), Some(2));
        assert_eq!((Error::os(0).errno(), Error::os(0).is_of_version()), (None, false));
        assert_eq!(Error::SINK.errno(), None);
    }
}

#[cfg(feature = "hosted")]
mod numbers {
    //! The numbers of errors, for [`crate::error`].

    pub use libc::*;

    // Windows has none: those of its sockets.
    #[cfg(windows)]
    pub const EDQUOT: i32 = 10069;
    #[cfg(windows)]
    pub const ESTALE: i32 = 10070;
    // macOS has two, and says this one of files.
    #[cfg(target_os = "macos")]
    pub const EOPNOTSUPP: i32 = ENOTSUP;
}
