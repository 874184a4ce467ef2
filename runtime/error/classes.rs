//! Classes of errors, named by what the caller does next. An error can be of several classes.

use super::Error;

/// Returns whether the content of a file is damaged or no profile.
pub fn is_damaged(error: Error) -> bool {
    matches!(error, Error::TRUNCATED | Error::BAD_MAGIC | Error::OVERFLOW | Error::CORRUPT)
}

/// Returns whether the content of a file is damaged or foreign. Such a pool file is quarantined.
pub fn needs_quarantine(error: Error) -> bool {
    let foreign = matches!(error, Error::FOREIGN | Error::NO_GCDA | Error::OTHER_BUILD);
    is_damaged(error) || foreign || error.is_difference() || error.unknown_version().is_some()
}

/// Returns whether no new file can take the place of the old one, which may still be written itself.
pub fn needs_old_file(error: Error) -> bool {
    needs_write_in_place(error)
        || is_not_writable(error)
        || matches!(error, Error::EBUSY | Error::NO_REAL_NAME | Error::EMFILE | Error::ENFILE)
        || matches!(error, Error::ENOSPC | Error::EDQUOT)
}

/// Returns whether a file system or a sandbox refuses to create, link or rename a temporary file, but may allow a write under the real name.
pub fn needs_write_in_place(error: Error) -> bool {
    matches!(error, Error::EPERM | Error::EACCES | Error::EXDEV)
}

/// Returns whether we may not write to a file or a directory: another user's, or one of a read-only file system. It may be readable, and a
/// numbered file of some run.
pub fn is_not_writable(error: Error) -> bool {
    matches!(error, Error::EACCES | Error::EPERM | Error::EROFS)
}

/// Returns whether a mapped file needs another name in the same directory, because this one cannot be claimed.
pub fn needs_next_name(error: Error) -> bool {
    is_not_writable(error)
        || matches!(error, Error::EBUSY | Error::ETXTBSY | Error::EISDIR | Error::ELOOP)
        || matches!(error, Error::ENXIO | Error::ENODEV | Error::NO_REAL_NAME)
}

/// Returns whether the name of a pool file belongs to something that we may not use, so that the next private pool file is tried: we may not
/// write to it, it is a directory, a device, a pipe, or a link that leads to none of our files; or it can be neither merged nor quarantined.
pub fn needs_next_private_file(error: Error) -> bool {
    needs_quarantine(error)
        || is_not_writable(error)
        || matches!(error, Error::EISDIR | Error::ELOOP | Error::ENOENT | Error::ENOTDIR)
        || matches!(error, Error::NOT_REGULAR | Error::NO_REAL_NAME)
}

/// Returns whether the profile goes to a private pool file, because the pool file is locked by a process that does not continue (stopped, or
/// in continuous mode); we may not replace it (a mount point, no space for the file twice); or something else has its name.
pub fn needs_private_file(error: Error) -> bool {
    needs_next_private_file(error)
        || matches!(error, Error::FILE_IN_USE | Error::NO_FREE_NAME | Error::EBUSY | Error::EXDEV)
        || matches!(error, Error::ENOSPC | Error::EDQUOT)
}
