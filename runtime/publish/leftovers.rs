//! Removes the temporary files of writers that were killed.
//!
//! Readers take every file of a directory for a profile (`llvm-profdata merge DIR`), so they count a leftover temporary file a second time.
//! A kill leaves one where a new file has a name before it is the profile: between its link and its rename, or during the whole write on file
//! systems that have no files without a name. So every writer removes the leftovers of others before it creates a file.
//!
//! Names of temporary files are random, not numbered: on a file system whose locks other machines do not see, a writer may take the file of a
//! live writer for a leftover. Then that writer's rename fails, and it starts over; with a reused name it would publish another writer's file.

use super::new_file::{set_sibling, temporary_name};
use super::publisher::Publisher;
use crate::error::{Error, Result};
use crate::os::file::{self, At, Entries, Status};
use crate::os::user_id;

/// How many times entries are read: about 800 files in all. The rest of a larger directory is not read.
const READS: u32 = 8;

impl Publisher {
    /// Removes leftovers from the open directory, if this user may read it. Overwrites `scratch`.
    pub(super) fn remove_leftovers(&mut self) {
        for _ in 0..READS {
            let Some(directory) = &self.directory else { return };
            let read = directory.read_entries(&mut self.bytes).unwrap_or(0);
            if read == 0 {
                return;
            }
            for entry in Entries(self.bytes.get(..read).unwrap_or(&[])) {
                if let Some(name) = temporary_name(entry)
                    && set_sibling(&mut self.scratch, self.real.as_bytes(), name).is_ok()
                {
                    let _ = remove_leftover(self.at(&self.scratch), &self.status);
                }
            }
        }
    }
}

/// Removes a temporary file that no writer has locked; empties it if it cannot be removed, because readers skip empty files. Only regular
/// files of this user are removed, by root of any user. `profile`: the file to be replaced, which this writer has locked; a writer that was
/// killed between a link and the removal of the first name leaves that file with both names.
fn remove_leftover(at: At<'_>, profile: &Status) -> Result {
    let file = file::open_no_link(at)?;
    let status = file.status()?;
    let user = user_id();
    if !status.regular || user != status.user && user != 0 {
        return Ok(());
    }
    // A writer unlocks its file once that is the profile: the file may have become the profile before its name is checked again.
    if !status.is_same_file(profile) && !file.hold()? || !status.is_same_file(&file::status_of_name(at)?) {
        return Ok(());
    }
    match file::remove(at) {
        Ok(()) | Err(Error::ENOENT) => Ok(()),
        // The other names of the file need its content.
        Err(_) if status.is_same_file(profile) || file.status()?.links > 1 => Ok(()),
        Err(_) => file.set_size(0),
    }
}
