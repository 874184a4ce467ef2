//! What may go wrong with a new file on its way to the name.

use crate::error::{Error, Result};
use crate::os::file::{self, At, Fd};

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
