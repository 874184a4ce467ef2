//! What may go wrong with a new file on its way to the name.

use crate::error::{Error, Result};
use crate::os;
use crate::os::file::{self, At, Fd, Status};

/// Returns whether a file system or a kernel that has no files without a name fails so, or a sandbox that refuses only these.
pub fn lacks_unnamed_files(error: Error) -> bool {
    matches!(error, Error::EOPNOTSUPP | Error::EISDIR | Error::EINVAL)
        || matches!(error, Error::EPERM | Error::EACCES | Error::ENOENT)
}

/// Removes what has the second name. A stranger may have put a directory there: then no new file can take the name.
pub fn free(second: At<'_>) -> Result {
    match file::remove(second) {
        Ok(()) | Err(Error::ENOENT) => Ok(()),
        Err(_) => Err(Error::EBUSY),
    }
}

/// Removes a new file that does not get the name. One that cannot be removed is emptied: readers of the directory would count it.
pub fn discard(second: At<'_>, new: &Fd) {
    if !matches!(file::remove(second), Ok(()) | Err(Error::ENOENT)) {
        let _ = new.set_size(0);
    }
}

/// Copies what was appended to the old file since it was copied: LLVM's runtime appends without a lock.
pub fn copy_appended(old: &Fd, status: &Status, new: &Fd) {
    /// How often, a millisecond apart: anybody may append for ever.
    const LOOKS: u32 = 100;
    let mut copied = status.size;
    for _ in 0..LOOKS {
        let Ok(now) = old.status() else { break };
        if now.size <= copied {
            break;
        }
        let Ok(complete) = new.status() else { break };
        if new.copy_from(old, copied, now.size.wrapping_sub(copied)).is_err() {
            // A part of it would make readers refuse the whole file.
            let _ = new.set_size(complete.size);
            break;
        }
        copied = now.size;
        // Its writer may not be done.
        os::pause();
    }
}
