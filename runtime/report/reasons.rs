//! The words for errors, packed.

use crate::error::Error;

const REASONS: [(Error, &str); 71] = [
    (Error::EACCES, "Permission denied"),
    (Error::EAGAIN, "Resource temporarily unavailable"),
    (Error::EBADF, "Bad file descriptor"),
    (Error::EBUSY, "Device or resource busy"),
    (Error::EDQUOT, "Disk quota exceeded"),
    (Error::EEXIST, "File exists"),
    (Error::EFBIG, "File too large"),
    (Error::EINTR, "Interrupted system call"),
    (Error::EINVAL, "Invalid argument"),
    (Error::EIO, "Input/output error"),
    (Error::EISDIR, "Is a directory"),
    (Error::ELOOP, "Too many levels of symbolic links"),
    (Error::EMFILE, "Too many open files"),
    (Error::EMLINK, "Too many links"),
    (Error::ENAMETOOLONG, "File name too long"),
    (Error::NAME_TOO_LONG, "File name too long"),
    (Error::ENFILE, "Too many open files in system"),
    (Error::ENODEV, "No such device"),
    (Error::ENOENT, "No such file or directory"),
    (Error::ENOLCK, "No locks available"),
    (Error::ENOMEM, "Cannot allocate memory"),
    (Error::ENOSPC, "No space left on device"),
    (Error::ENOSYS, "Function not implemented"),
    (Error::EOPNOTSUPP, "Operation not supported"),
    (Error::EOVERFLOW, "Value too large for defined data type"),
    (Error::ENOTDIR, "Not a directory"),
    (Error::ENXIO, "No such device or address"),
    (Error::EPERM, "Operation not permitted"),
    (Error::EPIPE, "Broken pipe"),
    (Error::EROFS, "Read-only file system"),
    (Error::ESPIPE, "Illegal seek"),
    (Error::ESTALE, "Stale file handle"),
    (Error::ETXTBSY, "Text file busy"),
    (Error::EXDEV, "Invalid cross-device link"),
    (Error::OVERFLOW, "the sections of the program do not fit together"),
    (Error::NO_SPACE, "the buffer is too small"),
    (Error::BUSY, "another dump is under way"),
    (Error::FILE_IN_USE, "it is in use by another process"),
    (Error::NO_FREE_NAME, "no name is free"),
    (Error::VALUES_CHANGED, "values changed during the dump"),
    (Error::TRUNCATED, "it ends too early"),
    (Error::BAD_MAGIC, "it is no raw profile"),
    (Error::RECORDS_NOT_LOADED, "records and names are not in memory"),
    (Error::FOREIGN, "it is the profile of another program"),
    (Error::CORRUPT, "its parts contradict each other"),
    (Error::SINK, "the receiver refused the bytes"),
    (Error::NO_NAME, "no name is set"),
    (Error::LINKED, "the name is a symbolic link"),
    (Error::STRANGERS, "other users may write in the directory"),
    (Error::NO_REAL_NAME, "the name is a symbolic link, and without /proc nobody knows to what file"),
    (Error::NOT_REGULAR, "it is no regular file"),
    (Error::NOT_CHOSEN, "a set-uid program writes only files that it has named itself"),
    (Error::VERSION_DIFFERS, "it is damaged, or of another program: Version in its header differs"),
    (Error::NUM_DATA_DIFFERS, "it is damaged, or of another program: NumData in its header differs"),
    (Error::NUM_COUNTERS_DIFFERS, "it is damaged, or of another program: NumCounters in its header differs"),
    (Error::NUM_BITMAP_BYTES_DIFFERS, "it is damaged, or of another program: NumBitmapBytes in its header differs"),
    (
        Error::NUM_UNIFORM_COUNTERS_DIFFERS,
        "it is damaged, or of another program: NumUniformCounters in its header differs",
    ),
    (Error::NAMES_SIZE_DIFFERS, "it is damaged, or of another program: NamesSize in its header differs"),
    (Error::NUM_VTABLES_DIFFERS, "it is damaged, or of another program: NumVTables in its header differs"),
    (Error::VNAMES_SIZE_DIFFERS, "it is damaged, or of another program: VNamesSize in its header differs"),
    (Error::VALUE_KIND_LAST_DIFFERS, "it is damaged, or of another program: ValueKindLast in its header differs"),
    (Error::NAME_REF_DIFFERS, "it is damaged, or of another program: NameRef in a record differs"),
    (Error::FUNC_HASH_DIFFERS, "it is damaged, or of another program: FuncHash in a record differs"),
    (Error::COUNTER_PTR_DIFFERS, "it is damaged, or of another program: CounterPtr in a record differs"),
    (Error::BITMAP_PTR_DIFFERS, "it is damaged, or of another program: BitmapPtr in a record differs"),
    (Error::RECORD_NUM_COUNTERS_DIFFERS, "it is damaged, or of another program: NumCounters in a record differs"),
    (
        Error::RECORD_NUM_BITMAP_BYTES_DIFFERS,
        "it is damaged, or of another program: NumBitmapBytes in a record differs",
    ),
    (Error::NUM_VALUE_SITES_DIFFERS, "it is damaged, or of another program: NumValueSites in a record differs"),
    (Error::NAMES_DIFFER, "it is damaged, or of another program: a function name differs"),
    (Error::VNAMES_DIFFER, "it is damaged, or of another program: a vtable name differs"),
    (Error::VTABLES_DIFFER, "it is damaged, or of another program: a vtable record differs"),
];

/// The table as bytes: number, length, text. References would take 40 bytes each, most of them for the loader.
#[allow(clippy::indexing_slicing, clippy::panic, reason = "evaluated at compile time")]
pub static PACKED: [u8; packed_len()] = {
    let mut bytes = [0; packed_len()];
    let mut at = 0;
    let mut entry = 0;
    while entry < REASONS.len() {
        let (error, text) = REASONS[entry];
        let Some(number) = error.short() else { panic!("the number of a reason takes more than two bytes") };
        [bytes[at], bytes[at + 1]] = number.to_le_bytes();
        assert!(text.len() <= 255);
        bytes[at + 2] = text.len() as u8;
        let mut byte = 0;
        while byte < text.len() {
            bytes[at + 3 + byte] = text.as_bytes()[byte];
            byte += 1;
        }
        at += 3 + text.len();
        entry += 1;
    }
    bytes
};

#[allow(clippy::indexing_slicing, reason = "evaluated at compile time")]
const fn packed_len() -> usize {
    let mut len = 0;
    let mut entry = 0;
    while entry < REASONS.len() {
        len += 3 + REASONS[entry].1.len();
        entry += 1;
    }
    len
}

#[cfg(test)]
mod tests {
    use std::format;
    use std::string::ToString;

    use super::*;
    use crate::report::reason;

    #[test]
    fn each_has_its_words() {
        for (error, text) in REASONS {
            assert_eq!(reason(error), text.as_bytes(), "{error:?}");
        }
    }

    #[test]
    fn those_of_the_system_are_its_own() {
        for (error, text) in REASONS {
            if let Some(errno) = error.errno() {
                let system = std::io::Error::from_raw_os_error(errno).to_string();
                assert_eq!(system, format!("{text} (os error {errno})"));
            }
        }
    }

    #[test]
    fn others_have_words_too() {
        let unknown: &[u8] = b"the system refused it for a reason without a name here";
        for errno in [0, 4000, i32::MAX] {
            assert_eq!(reason(Error::os(errno)), unknown);
        }
        let versions: &[u8] = b"the raw versions differ";
        for error in [Error::mismatch(0), Error::mismatch(255), Error::bad_version(0), Error::bad_version(u64::MAX)] {
            assert_eq!(reason(error), versions);
        }
    }
}
