//! Classes of errors: what may still succeed after an error. An error can be of several classes.

use super::Error;

/// Returns whether the content of a file is damaged or no profile.
pub fn is_damaged(error: Error) -> bool {
    matches!(error, Error::TRUNCATED | Error::BAD_MAGIC | Error::OVERFLOW | Error::CORRUPT)
}

/// Returns whether the content of a file is damaged or foreign. Such a pool file is quarantined.
pub fn is_of_content(error: Error) -> bool {
    let foreign = matches!(error, Error::FOREIGN | Error::NO_GCDA | Error::OTHER_BUILD);
    is_damaged(error) || foreign || error.is_difference() || error.unknown_version().is_some()
}

/// Returns whether a file system or a sandbox refuses this one operation, but may allow another one with the same result.
pub fn is_refusal(error: Error) -> bool {
    matches!(error, Error::EPERM | Error::EACCES | Error::EXDEV)
}

/// Returns whether a file that may not be used for this reason may belong to another user, and so be a numbered file of some run.
pub fn is_of_other_user(error: Error) -> bool {
    matches!(error, Error::EACCES | Error::EPERM | Error::EROFS)
}

/// Returns whether another name in the same directory may be claimed for a mapped file, although this one cannot.
pub fn is_of_this_name(error: Error) -> bool {
    is_of_other_user(error)
        || matches!(error, Error::EBUSY | Error::ETXTBSY | Error::EISDIR | Error::ELOOP)
        || matches!(error, Error::ENXIO | Error::ENODEV | Error::NO_REAL_NAME)
}

/// Returns whether the name of a pool file belongs to something that we may not use: we may not open it for writing (another user's file, a
/// sandbox), it is a directory, a device, a pipe, or a link that leads to none of our files; or it can be neither merged nor quarantined.
pub fn is_in_the_way(error: Error) -> bool {
    is_of_content(error)
        || is_of_other_user(error)
        || matches!(error, Error::EISDIR | Error::ELOOP | Error::ENOENT | Error::ENOTDIR)
        || matches!(error, Error::NOT_REGULAR | Error::NO_REAL_NAME)
}

/// Returns whether a write may succeed with another file in the same directory: the pool file is locked by a process that does not continue
/// (it is stopped, or has mapped the file for continuous mode); we may not replace it (a mount point, no space for the file twice); or
/// something else has its name.
pub fn is_of_pool_file(error: Error) -> bool {
    is_in_the_way(error)
        || matches!(error, Error::FILE_IN_USE | Error::NO_FREE_NAME | Error::EBUSY | Error::EXDEV)
        || matches!(error, Error::ENOSPC | Error::EDQUOT)
}
