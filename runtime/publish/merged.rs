//! The file holds one profile, the union of all runs: it is read, ours is added, and the sum takes its place.
//!
//! Never in place: what earlier runs have gathered must not be at stake when we are killed or the disk is full. So where
//! the directory takes no new file, the old one stays as it is, and the failure is reported.

use super::Profile;
use super::new_file::NAMES;
use super::publisher::{Publisher, Resolution};
use crate::error::{Error, Result};
use crate::os::file::{self, Fd};

/// Whether the reason is what the file contains, and not the system: then it has to go out of the way.
pub fn is_of_content(error: Error) -> bool {
    matches!(error, Error::FOREIGN | Error::CORRUPT | Error::TRUNCATED | Error::BAD_MAGIC | Error::OVERFLOW)
        || error.is_difference()
        || error.unknown_version().is_some()
}

impl Publisher {
    /// The file is there and locked, or cannot be.
    pub(super) fn update_merged(&mut self, old: &Fd, profile: &mut Profile<'_>) -> Result {
        let size = self.status.size;
        if size > 0
            && let Err(error) = profile.content.take_in(old, size)
        {
            return if is_of_content(error) { self.move_aside(error, profile) } else { Err(error) };
        }
        if self.resolution == Resolution::Unknown {
            return Err(Error::NO_REAL_NAME);
        }
        let new = self.new_file()?;
        self.dropped = 0..size;
        self.fill(&new, profile, Some(old))?;
        // Where there are no locks, another may have been faster.
        if !self.is_still() {
            self.discard(&new);
            return Err(Error::OVERTAKEN);
        }
        self.rename_over(&new, false)
    }

    /// Gives the file another name, so that counting goes on and the user can look at it. A file that has this name already is
    /// left alone.
    fn move_aside(&mut self, error: Error, profile: &mut Profile<'_>) -> Result {
        // Where there are no locks, another may have been faster.
        if !self.is_still() {
            return Err(Error::OVERTAKEN);
        }
        match self.rename_aside() {
            Ok(()) => {
                profile.content.warn(error, Some(self.scratch.as_bytes()));
                Err(Error::OVERTAKEN)
            }
            Err(Error::ENOENT | Error::ENOTDIR) => Err(Error::OVERTAKEN),
            Err(why @ (Error::LINKED | Error::STRANGERS)) => {
                profile.content.stays(error, why);
                Err(error)
            }
            // The file is what is wrong; that it stays is said by the reason.
            Err(_) => Err(error),
        }
    }

    /// Renames the regular file that has the real name to `NAME.corrupt-PID`, or to the first name behind that which nothing has; it is
    /// in `scratch`. Error: [`Publisher::may_move_aside`], or the system refuses.
    pub(super) fn rename_aside(&mut self) -> Result {
        self.may_move_aside()?;
        let len = self.real.as_bytes().len();
        for attempt in 0..NAMES {
            self.name_by_process(len, b".corrupt-")?;
            if attempt > 0 {
                self.scratch.push(b"-")?;
                self.scratch.push_number(attempt)?;
            }
            let (from, to) = (self.at(&self.real), self.at(&self.scratch));
            let moved = match file::rename_if_free(from, to) {
                // A file system that cannot do both at once.
                Err(Error::ENOSYS | Error::EINVAL | Error::EOPNOTSUPP) => match file::status_of_name(to) {
                    Err(_) => file::rename(from, to),
                    Ok(_) => Err(Error::EEXIST),
                },
                other => other,
            };
            if moved != Err(Error::EEXIST) {
                return moved;
            }
        }
        Err(Error::EEXIST)
    }
}
