//! Publishes merged profiles: a new file with the sum of the old file's counts and ours replaces the old file.
//!
//! The old file never changes: the counts of earlier runs must survive a kill and a full disk. Where no new file is possible, the write fails,
//! unless the content may write over the old file (`.gcda`).

use super::new_file::NAMES;
use super::publisher::{Publisher, Resolution};
use super::{NewFileUse, Publication, QuarantineName};
use crate::error::classes::{needs_old_file, needs_quarantine};
use crate::error::{Error, Result};
use crate::os;
use crate::os::file::{self, At, Fd, Status};

impl Publisher {
    /// Merges into the existing file, which is locked if [`Publisher::wait_for_lock`] could lock it.
    pub(super) fn update_merged(&mut self, old: &Fd, publication: &mut Publication<'_>) -> Result {
        let size = self.status.size;
        if size > 0
            && let Err(error) = publication.content.read_old(old, size)
        {
            return if needs_quarantine(error) { self.quarantine(old, error, publication) } else { Err(error) };
        }
        match self.replace_merged(old, publication) {
            Err(error) if publication.may_overwrite && needs_old_file(error) && old.is_writable() => {
                publication.content.overwrite(old, size, size > 0)
            }
            other => other,
        }
    }

    /// Publishes a new file with the sum in the place of the locked one.
    fn replace_merged(&mut self, old: &Fd, publication: &mut Publication<'_>) -> Result {
        if self.resolution == Resolution::Unknown {
            return Err(Error::NO_REAL_NAME);
        }
        let new = self.new_file()?;
        self.replaced = 0..self.status.size;
        self.fill(&new, publication, Some(old))?;
        self.rename_over(&new, NewFileUse::Complete)?;
        new.unlock();
        Ok(())
    }

    /// Quarantines the file because of `error`, so that the user can inspect it. Returns `OVERTAKEN` after that: the write starts over. A file of
    /// another build that may not be renamed, but written, is written over.
    fn quarantine(&mut self, old: &Fd, error: Error, publication: &mut Publication<'_>) -> Result {
        // Another writer, without locks, or another program may have given the name to a file that must stay.
        if !self.is_still() {
            return Err(Error::OVERTAKEN);
        }
        // Not through a link, nor where the file has other names: strangers may have chosen the file.
        let Status { size, links, .. } = self.status;
        let may_overwrite = publication.may_overwrite && error == Error::OTHER_BUILD && links == 1 && old.is_writable();
        match self.rename_to_quarantine(publication.quarantine) {
            Ok(name) => {
                publication.content.warn_quarantined(error, name);
                Err(Error::OVERTAKEN)
            }
            Err(Error::ENOENT | Error::ENOTDIR) => Err(Error::OVERTAKEN),
            Err(why) if may_overwrite && why != Error::LINKED => {
                publication.content.overwrite(old, size, false)?;
                publication.content.warn_overwritten(error, why);
                Ok(())
            }
            Err(why @ (Error::LINKED | Error::STRANGERS | Error::QUARANTINE_TAKEN)) => {
                publication.content.warn_not_quarantined(error, why);
                Err(error)
            }
            // The content of the file is the reason to report.
            Err(_) => Err(error),
        }
    }

    /// Renames the regular file that has the real name to its [`QuarantineName`], and returns that. Fails where
    /// [`Publisher::may_quarantine`] or [`Publisher::may_replace_quarantined`] does, or where the system refuses.
    pub fn rename_to_quarantine(&mut self, name: QuarantineName) -> Result<&[u8]> {
        self.may_quarantine()?;
        for attempt in 0..NAMES {
            self.scratch.set(self.real.as_bytes())?;
            self.scratch.push(b".corrupt")?;
            if name == QuarantineName::Numbered {
                self.scratch.push(b"-")?;
                self.scratch.push_number(u64::from(os::process_id()))?;
                if attempt > 0 {
                    self.scratch.push(b"-")?;
                    self.scratch.push_number(attempt)?;
                }
            }
            let (from, to) = (self.at(&self.real), self.at(&self.scratch));
            let mut moved = match file::rename_if_free(from, to) {
                // The system has no rename that fails if the new name exists.
                Err(Error::ENOSYS | Error::EINVAL | Error::EOPNOTSUPP) => match file::status_of_name(to) {
                    Err(_) => file::rename(from, to),
                    Ok(_) => Err(Error::EEXIST),
                },
                other => other,
            };
            if moved == Err(Error::EEXIST) && name == QuarantineName::Single {
                moved = self.replace_quarantined(from, to);
            }
            if moved != Err(Error::EEXIST) {
                return moved.map(|()| self.scratch.as_bytes());
            }
        }
        Err(Error::EEXIST)
    }

    /// Renames a file over an older quarantined one. Error: `EEXIST`, if that is gone by now.
    fn replace_quarantined(&self, from: At<'_>, to: At<'_>) -> Result {
        let older = match file::status_of_name(to) {
            Err(Error::ENOENT) => return Err(Error::EEXIST),
            other => other?,
        };
        self.may_replace_quarantined(&older)?;
        // The system does not rename a file to its own second name.
        if older.is_same_file(&self.status) { file::remove(from) } else { file::rename(from, to) }
    }
}
