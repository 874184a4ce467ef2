//! Classes of errors, named by what the caller does next. An error can be of several classes.

use super::Error;

/// Returns whether the content of a file is damaged, or not that of a profile of this image.
pub fn is_unusable(error: Error) -> bool {
    matches!(error, Error::TRUNCATED | Error::BAD_MAGIC | Error::OVERFLOW | Error::CORRUPT | Error::FOREIGN)
        || error.is_of_version() && error.mismatched().is_none()
}

/// Returns whether the system refuses a new file, or that it takes the name of the old one, which may still be written itself.
pub fn is_refused(error: Error) -> bool {
    matches!(error, Error::EACCES | Error::EPERM | Error::EROFS | Error::EBUSY | Error::ETXTBSY | Error::EXDEV)
        || matches!(error, Error::ENOSYS | Error::EOPNOTSUPP | Error::NAME_TOO_LONG)
}

/// Returns whether a file is left alone, and the profile goes to another one: it is damaged, foreign or another user's, no regular file, in use
/// for too long, or cannot be replaced.
pub fn is_not_ours(error: Error) -> bool {
    is_unusable(error)
        || is_refused(error)
        || matches!(error, Error::NOT_REGULAR | Error::EISDIR | Error::FILE_IN_USE | Error::READ_LOCKED)
}
