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
        if !slot_status(path, number, &mut name).is_ok_and(|status| status.regular) {
            continue;
        }
        let removed = match file::open_or_create_no_link(name.as_path().into()) {
            Ok(file) if file.try_lock() == Lock::Taken && (number == 0 || is_raw(&file) == Ok(true)) => {
                // A process that goes on with another file has given that the name by now.
                let now = slot_status(path, number, &mut name);
                match file.status() {
                    Ok(status) if now.is_ok_and(|now| now.is_same_file(&status)) => file::remove(name.as_path().into()),
                    _ => Ok(()),
                }
            }
            other => other.map(drop),
        };
        if let Err(error) = removed {
            // One warning is enough: anybody could have created any number of such files.
            let parts: [&[u8]; 4] =
                [b"\"", name.as_bytes(), b"\" is of another run and cannot be removed: ", reason(error)];
            return print(Grade::Warning, &parts);
        }
    }
}

/// Returns the status of what has the name of a slot, which is stored in `name`.
fn slot_status(path: &PathBuf, number: u32, name: &mut PathBuf) -> Result<Status> {
    name.set(path.as_bytes())?;
    if number > 0 {
        add_number(name, u64::from(number))?;
    }
    file::status_of_name(name.as_path().into())
}
