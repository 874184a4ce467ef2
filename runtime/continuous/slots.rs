//! The files of an earlier run.

use super::SLOTS;
use crate::error::Result;
use crate::filename::add_number;
use crate::os::file::{self, Lock, Status};
use crate::path::PathBuf;
use crate::publish::is_raw;
use crate::report::{Grade, print, reason};

/// Removes `NAME`, `NAME-1`, … of an earlier run, up to the first number that is missing. Keeps files that a process has locked and, except `NAME`,
/// those that are not raw profiles. The largest number goes first, so that a kill leaves no gap.
pub fn remove_slots(path: &PathBuf) {
    let mut name = PathBuf::new();
    let end = (1..SLOTS).find(|number| slot_status(path, *number, &mut name).is_err()).unwrap_or(SLOTS);
    for number in (0..end).rev() {
        if let Err(error) = remove_slot(path, number, &mut name) {
            // One warning is enough: anybody could have created any number of such files.
            let text = b"\"@\" is of another run and cannot be removed: @";
            return print(Grade::Warning, &[text, name.as_bytes(), reason(error)]);
        }
    }
}

/// Removes the file of one slot, if it is to be removed. Stores its name in `name`.
fn remove_slot(path: &PathBuf, number: u32, name: &mut PathBuf) -> Result {
    if slot_status(path, number, name).is_ok_and(|status| status.regular) {
        let file = file::open_or_create_no_link(name.as_path().into())?;
        if file.try_lock() == Lock::Taken
            && (number == 0 || is_raw(&file) == Ok(true))
            // A process that goes on with another file has given that the name by now.
            && let (Ok(now), Ok(status)) = (&slot_status(path, number, name), &file.status())
            && now.is_same_file(status)
        {
            return file::remove(name.as_path().into());
        }
    }
    Ok(())
}

/// Returns the status of what has the name of a slot, which is stored in `name`.
fn slot_status(path: &PathBuf, number: u32, name: &mut PathBuf) -> Result<Status> {
    name.set(path.as_bytes())?;
    if number > 0 {
        add_number(name, u64::from(number))?;
    }
    file::status_of_name(name.as_path().into())
}
