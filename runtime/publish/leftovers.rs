//! Removes the temporary files of writers that were killed.
//!
//! Readers take every file of a directory for a profile (`llvm-profdata merge DIR`), so a temporary file that stays is counted a second time.
//! A kill leaves one where a new file has a name before it is the profile: between its link and its rename, or during the whole write on file
//! systems that have no files without a name. No arrangement of names, modes and kinds of files closes that gap: a new file cannot replace
//! an old one without a name of its own. So every writer removes what others have left before it makes a file itself.
//!
//! Names of temporary files are random, not numbered: on a file system whose locks other machines do not see, a live writer's file may be
//! taken for a leftover. Then its rename fails, and it begins again; with a name that is used again it would publish another writer's file.
//! The price is that the directory has to be read, of which large ones are only read in part.

use super::new_file::{set_beside, temporary_name};
use super::publisher::Publisher;
use crate::error::{Error, Result};
use crate::os::file::{self, At, Entries, Status};
use crate::os::user_id;

/// How many times entries are read: together, of about 800 files. A directory of more is read to there.
const READS: u32 = 8;

impl Publisher {
    /// Removes leftovers from the directory that was found, where this user may read it. Overwrites `scratch`.
    pub(super) fn remove_leftovers(&mut self) {
        for _ in 0..READS {
            let Some(directory) = &self.directory else { return };
            let read = directory.read_entries(&mut self.bytes).unwrap_or(0);
            if read == 0 {
                return;
            }
            for entry in Entries(self.bytes.get(..read).unwrap_or(&[])) {
                if let Some(name) = temporary_name(entry)
                    && set_beside(&mut self.scratch, self.real.as_bytes(), name).is_ok()
                {
                    let _ = remove_leftover(self.at(&self.scratch), &self.status);
                }
            }
        }
    }
}

/// Removes a temporary file whose writer has ended, which its lock tells; what cannot be removed is emptied, for readers skip empty files.
/// Only a regular file of this user, or of any user for root. `profile`: the file that is to be replaced, which we have locked ourselves; a
/// writer that was killed between a link and the removal of the first name leaves it with both.
fn remove_leftover(at: At<'_>, profile: &Status) -> Result {
    let file = file::open_no_link(at)?;
    let status = file.status()?;
    let user = user_id();
    if !status.regular || user != status.user && user != 0 {
        return Ok(());
    }
    // A writer unlocks its file when that is the profile: before its name is looked at again, it may be that by now.
    if !status.is_same_file(profile) && !file.hold()? || !status.is_same_file(&file::status_of_name(at)?) {
        return Ok(());
    }
    match file::remove(at) {
        Ok(()) | Err(Error::ENOENT) => Ok(()),
        // A file with more names has its content for the others.
        Err(_) if status.is_same_file(profile) || file.status()?.links > 1 => Ok(()),
        Err(_) => file.set_size(0),
    }
}
