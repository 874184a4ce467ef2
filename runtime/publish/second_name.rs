//! The **second name** of `NAME` is `.NAME.profrt`. A file that has it was left by a killed writer, or is the old file that a writer has not
//! removed yet: whoever has the lock of the file with the name removes it. A writer whose second name is gone before the exchange starts
//! over. Where files cannot be locked, the second name ends in the process number.

use super::Place;
use crate::error::{Error, Result};
use crate::os::file::{self, At, Fd};

/// Gives the new file, which has the second name, the name of the old one, and removes the old one.
pub fn exchange(place: &Place<'_>, second: At<'_>, new: &Fd) -> Result {
    let exchanged = match file::exchange(second, place.at()) {
        Err(Error::ENOSYS | Error::EINVAL | Error::EOPNOTSUPP) => file::rename(second, place.at()),
        // Gone by then: the next owner of the lock was faster.
        Ok(()) => match file::remove(second) {
            Ok(()) | Err(Error::ENOENT) => return Ok(()),
            // A rename removes the old file where a sandbox lets nothing else do that.
            Err(_) if file::exchange(second, place.at()).is_ok() => file::rename(second, place.at()),
            Err(_) => return Ok(()),
        },
        other => other,
    };
    exchanged.map_err(|error| {
        discard(second, new);
        if error == Error::ENOENT { Error::OVERTAKEN } else { error }
    })
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
