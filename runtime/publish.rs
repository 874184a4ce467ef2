//! Publishes a profile: a complete temporary file replaces the file that has the name. A process killed at any instruction leaves no
//! file, the previous file, or the file with the complete profile.
//!
//! docs/DATA-SAFETY.md has the exceptions, in which a kill can leave an empty or a truncated file; [`in_place`] writes most of them.
//!
//! The executable and the shared objects of a process, and its children, have one file, in which each has a **share**: its own
//! complete profile. A write without `%m` does one of three things to an existing file:
//! - it **replaces the file** of an earlier run ([`Publisher::earlier_fingerprint`]);
//! - it **replaces this image's share** ([`written_share`]), if this image remembers a write to the file ([`recent`]) and its counters
//!   were not reset since, so that no count is in the file twice;
//! - it **appends** a share to the file.
//!
//! With `%m` it **merges** the profile in the file with this image's ([`merged`]).
//!
//! Replacing, appending and merging all write a temporary file (without a name where the file system has such files): the bytes of
//! the old file that stay, and the new profile. Then the temporary file gets the name. The old file is locked meanwhile, so that two
//! writers do not overtake each other. A writer starts over when the name means another file than the one that it has locked.
//!
//! # A write into a plain file
//!
//! ```text
//! lifecycle::start    at_exit              registered by the constructor
//! lifecycle::write    write_file           locks the state of the profile file
//!                     write_locked         plans the profile; destination() expands the name
//!                     write_plain          makes a Publication, whose content is dump::write_all
//! publish             Publisher::publish   retries while the name changes its meaning
//!                       find               opens the file that has the name
//!                       create             if nothing has the name
//!                         new_file_somewhere   makes missing directories and the temporary file
//!                         fill                 see below
//!                         give_name            by Fd::link or rename_if_free
//!                       update             else: locks the old file (wait_for_lock)
//!                         update_locked
//!                           find_replaced      finds the bytes that the profile replaces: all, our share, or none
//!                           replace_file
//!                             new_file         makes the temporary file
//!                             fill             copies the old bytes that stay; between them
//!                               PlainContent::write_profile
//!                                 dump::write_all    header, records, counters, ..., values
//!                                   sink::file::File::write writes spans; leaves holes for zeros
//!                             rename_over      gives the file the name: published
//!                             copy_appended    copies what LLVM's runtime has appended since `fill`
//!                             remember         the share, for the next write (in `create`, too)
//!                         (update)             unlocks the old file
//! ```
//!
//! [`crate::merge`] has the same for a pool file.

use core::mem;
use core::sync::atomic::Ordering;

use crate::error::classes::{is_not_writable, needs_write_in_place};
use crate::error::{Error, Result};
use crate::os::file::{self, Fd, Lock, Status};
use crate::os::{self, Deadline};

pub mod claim;
mod content;
mod fill;
mod find;
mod fingerprint;
pub mod hash;
mod in_place;
mod leftovers;
mod merged;
mod new_file;
mod publisher;
pub mod recent;
mod written_share;

pub use content::{PlainContent, ProfileContent, Publication, QuarantineName};
pub use fill::without_size_signal;
use find::Found;
use fingerprint::fingerprint;
pub use fingerprint::{Since, fingerprint_of};
use in_place::write_to;
pub use new_file::make_directories;
use publisher::Resolution;
pub use publisher::{Publisher, WriteWait};
use recent::Key;
use written_share::WrittenShare;

/// Attempts to lock a file that a process with a read lock has locked: about a second.
const READER_ATTEMPTS: u32 = 1000;
/// How many times, a millisecond apart, the writer copies what others have appended to the old file without its lock.
const LATE: u32 = 100;
/// Attempts, a millisecond apart, to find a file that another machine has replaced on a network file system (`ESTALE`).
const STALE: u32 = 100;

/// What becomes of a new file once it has the real name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NewFileUse {
    /// It is complete, and is closed.
    Complete,
    /// This process goes on to count in it, so this user stays its owner, and it stays open.
    Mapped,
}

impl Publisher {
    /// Publishes the profile in the file `name`. (Steps are not inlined: their copies of the profile's fields would take stack here.)
    pub fn publish(&mut self, name: &[u8], publication: &mut Publication<'_>) -> Result {
        let mut stale: u32 = 0;
        let mut deadline = mem::replace(&mut self.time_left, Deadline::new());
        let result = loop {
            let result = match self.find(name) {
                Ok(Found::File(old)) => self.update(&old, publication, &mut deadline),
                Ok(Found::Nothing) => self.create(publication),
                Ok(Found::Directory) => Err(Error::EISDIR),
                // A merge needs the counts of earlier runs, which cannot be read from there.
                Ok(Found::Special | Found::Open(_)) if publication.merges => Err(Error::NOT_REGULAR),
                Ok(Found::Special) => break self.write_special(name, publication, &mut deadline),
                Ok(Found::Open(fd)) => {
                    break os::with_mask(self.mask_of_waits(), || write_to(&file::borrowed(fd), publication));
                }
                Err(error) => Err(error),
            };
            match result {
                Err(Error::OVERTAKEN | Error::CREATE_AGAIN | Error::EAGAIN | Error::ESTALE) if deadline.is_over() => {
                    break Err(Error::FILE_IN_USE);
                }
                Err(Error::OVERTAKEN | Error::CREATE_AGAIN) => {}
                // Another process has a lease on the file, which the system asks it to give back.
                Err(Error::EAGAIN) => {}
                Err(Error::ESTALE) if stale < STALE => stale = stale.wrapping_add(1),
                _ => break result,
            }
            if matches!(result, Err(Error::EAGAIN | Error::ESTALE))
                && let Err(begin_again) = self.pause(1000)
            {
                break Err(begin_again);
            }
        };
        self.close_directory();
        if result == Err(Error::BEGIN_AGAIN) {
            // Handlers that fork or reset in each wait must not keep the write from its end.
            self.time_left = deadline;
        }
        result
    }

    /// Publishes a new file under a name that nothing has, if the name is still free at the end.
    #[inline(never)]
    fn create(&mut self, publication: &mut Publication<'_>) -> Result {
        self.replaced = 0..0;
        let new = match self.new_file_somewhere(publication.directory_mode) {
            Err(error) if needs_write_in_place(error) && self.directory.is_some() => {
                return self.create_in_place(error, publication);
            }
            other => other?,
        };
        self.fill(&new, publication, None)?;
        match self.give_name(&new, NewFileUse::Complete) {
            Ok(()) => {
                if self.uses_named_files {
                    new.unlock();
                }
                self.remember(publication, &new);
                Ok(())
            }
            Err(Error::EEXIST) => Err(Error::OVERTAKEN),
            Err(error) if needs_write_in_place(error) => self.create_in_place(error, publication),
            other => other,
        }
    }

    /// Gives a complete new file the real name if that is free, and else fails with `EEXIST`. A failure leaves no new file.
    fn give_name(&mut self, new: &Fd, new_use: NewFileUse) -> Result {
        if self.uses_named_files {
            if new_use == NewFileUse::Complete
                && let Err(error) = new.close_errors()
            {
                self.remove_temporary(new);
                return Err(error);
            }
            return self.rename_if_free(new);
        }
        match new.link(self.at(&self.real)) {
            // Without /proc a file without a name cannot get one.
            Err(error) if error != Error::EEXIST => Err(self.retry_with_named_file()),
            other => other,
        }
    }

    /// Records the status of a file.
    fn record_status(&mut self, file: &Fd) -> Result {
        self.status = file.status()?;
        // With an access control list the bits of the group are the most that anybody in the list may do. The group itself may do less,
        // and the new file has no such list.
        if self.status.mode & 0o070 != 0 && file.has_access_list() {
            self.status.mode &= !0o070;
        }
        Ok(())
    }

    /// Renames a temporary file to the real name if that is free, else removes it. Where the system cannot rename so, the file gets the real
    /// name as a second one; where the file system has no second names, it replaces whatever has the real name.
    fn rename_if_free(&mut self, file: &Fd) -> Result {
        let (temporary, real) = (self.at(&self.temporary), self.at(&self.real));
        let mut renamed = file::rename_if_free(temporary, real);
        // `EPERM`: a filter of system calls that does not know this one. (Not where a sandbox lets no name be removed, `EACCES`: the
        // second name would stay, and readers would count the profile twice.)
        if matches!(renamed, Err(Error::ENOSYS | Error::EINVAL | Error::EOPNOTSUPP | Error::EPERM)) {
            renamed = match file::link(temporary, real) {
                Ok(()) => file::remove(temporary).or(Ok(())),
                // A file system without hard links.
                Err(Error::EPERM | Error::EOPNOTSUPP | Error::ENOSYS | Error::EMLINK) => file::rename(temporary, real),
                other => other,
            };
        }
        renamed.inspect_err(|_| self.remove_temporary(file))
    }

    /// Sleeps for some microseconds. Signals, which the lock of the state holds back, may come meanwhile. [`Error::BEGIN_AGAIN`]: a handler has
    /// forked this process, or the counters were reset.
    pub(super) fn pause(&self, micros: u32) -> Result {
        let Some(wait) = self.wait else {
            os::pause_for(micros);
            return Ok(());
        };
        let now = || (os::process_key(), wait.resets.load(Ordering::Relaxed));
        let before = now();
        wait.is_waiting.store(true, Ordering::Relaxed);
        os::with_mask(Some(wait.mask), || os::pause_for(micros));
        wait.is_waiting.store(false, Ordering::Relaxed);
        if now() == before { Ok(()) } else { Err(Error::BEGIN_AGAIN) }
    }

    /// Locks the existing file, and publishes a new one in its place.
    #[inline(never)]
    fn update(&mut self, old: &Fd, publication: &mut Publication<'_>, deadline: &mut Deadline) -> Result {
        file::close_inherited();
        let updated = self.wait_for_lock(old, deadline).and_then(|unlocked| {
            if let Some(reason) = unlocked {
                publication.content.warn_unlocked(reason);
            }
            self.update_locked(old, publication)
        });
        if self.locked {
            old.unlock();
        }
        updated
    }

    /// Waits until the existing file is locked, or returns why it cannot be. Fails if the name means another file by then.
    fn wait_for_lock(&mut self, old: &Fd, deadline: &mut Deadline) -> Result<Option<Error>> {
        let mut attempt: u32 = 0;
        loop {
            let lock = old.try_lock();
            self.locked = lock == Lock::Taken;
            self.record_status(old)?;
            match lock {
                Lock::Impossible(error @ Error::ESTALE) => return Err(error),
                // The owner of the lock gives the name to another file and then unlocks this one; a child of the owner may have kept the lock.
                _ if !self.is_still() => return Err(Error::OVERTAKEN),
                Lock::Busy => {}
                // A read lock comes from a process that may not be able to write. Wait one second (a backup is done by then), then
                // go on without the lock: anybody who may read the file could keep it.
                Lock::HeldByReader if attempt < READER_ATTEMPTS && !deadline.is_over() => {}
                Lock::HeldByReader => return Ok(Some(Error::EAGAIN)),
                Lock::Impossible(reason) => return Ok(Some(reason)),
                Lock::Taken => return Ok(None),
            }
            if deadline.is_over() {
                return Err(Error::FILE_IN_USE);
            }
            // In a child, the lock of a file that was opened before the fork would be the parent's, too.
            self.pause(1000.min(50 << attempt.min(5)))?;
            attempt = attempt.wrapping_add(1);
        }
    }

    /// Publishes a new file in the place of the locked one, or writes into that one where the directory does not allow a new file.
    fn update_locked(&mut self, old: &Fd, publication: &mut Publication<'_>) -> Result {
        if publication.merges {
            return self.update_merged(old, publication);
        }
        self.find_replaced(old, publication)?;
        if self.replace_file(old, publication)? { Ok(()) } else { self.write_in_place(old, publication) }
    }

    /// Publishes a new file in the place of the locked one. Returns `false` where only the locked file itself may still be written.
    fn replace_file(&mut self, old: &Fd, publication: &mut Publication<'_>) -> Result<bool> {
        if self.resolution == Resolution::Unknown {
            return Ok(false);
        }
        let new = match self.new_file() {
            Err(error) if is_not_writable(error) => return Ok(false),
            other => other?,
        };
        match self.fill(&new, publication, Some(old)) {
            // There is no room for the file twice, but there may be for one profile more.
            Err(Error::ENOSPC | Error::EDQUOT) if self.replaced.start == self.status.size => return Ok(false),
            other => other?,
        }
        match self.rename_over(&new, NewFileUse::Complete) {
            // The file itself is a mount point, or another's in a directory where only owners rename.
            Err(error) if error == Error::EBUSY || needs_write_in_place(error) => return Ok(false),
            other => other?,
        }
        self.copy_appended(old, &new);
        new.unlock();
        self.remember(publication, &new);
        Ok(true)
    }

    /// Gives the complete new file the real name, and the group, owner and mode of the file that has it.
    fn rename_over(&mut self, new: &Fd, new_use: NewFileUse) -> Result {
        let own = new.status();
        if let Ok(own) = &own {
            // The owner of a file can truncate it, which would kill the process that has mapped it.
            new.take_owner(&self.status, own, new_use == NewFileUse::Complete);
        }
        if !self.uses_named_files {
            // A temporary file that cannot be renamed could not be removed either. (`new_file` has checked it for files with a name.)
            file::check_rename_allowed(self.at(&self.real))?;
            if self.link_temporary(new).is_err() {
                return Err(self.retry_with_named_file());
            }
        }
        let renamed = match new_use {
            // The caller has the lock of the old file, and the new one is not closed.
            NewFileUse::Mapped => file::rename(self.at(&self.temporary), self.at(&self.real)),
            NewFileUse::Complete => self.replace_name(new, own),
        };
        match renamed {
            // Somebody has removed the temporary file, or the directory.
            Err(Error::ENOENT) => Err(Error::CREATE_AGAIN),
            other => other.inspect_err(|_| self.remove_temporary(new)),
        }
    }

    /// Renames a complete temporary file, whose status is `own`, to the real name, unless another writer has replaced the file there.
    fn replace_name(&self, new: &Fd, own: Result<Status>) -> Result {
        if self.uses_named_files {
            new.close_errors()?;
        }
        if !self.locked && !self.is_still() {
            return Err(Error::OVERTAKEN);
        }
        // `replace` exchanges the names, because some file systems (ext4) first write a file to the disk that is renamed over another. Then it
        // removes the old file, which has the temporary name meanwhile. After a kill in between, the next writer of this user must be able to
        // remove the old file as a leftover: both files must be of one user. (While this writer lives, the temporary name has a locked file:
        // the new one before the exchange, the old one after it.)
        let same_user = own.is_ok_and(|own| own.user == self.status.user);
        let rename = if same_user { file::replace } else { file::rename };
        rename(self.at(&self.temporary), self.at(&self.real))
    }

    /// Copies what was appended to the old file since [`Publisher::fill`] has copied it: LLVM's runtime appends without a lock.
    fn copy_appended(&mut self, old: &Fd, new: &Fd) {
        let mut copied = self.status.size;
        for _ in 0..LATE {
            let size = old.status().map_or(0, |status| status.size);
            if size <= copied {
                break;
            }
            let _blocked = without_size_signal();
            let Ok(complete) = new.status() else { break };
            if self.copy(new, Some(old), copied..size).is_err() {
                // A part of it would make readers refuse the whole file.
                let _ = new.set_size(complete.size);
                break;
            }
            copied = size;
            // Its writer may not be done.
            os::pause();
        }
    }

    /// Finds the bytes of the file that the new profile replaces.
    fn find_replaced(&mut self, old: &Fd, publication: &Publication<'_>) -> Result {
        let size = self.status.size;
        self.replaced = 0..size;
        if publication.replace_whole
            || (self.earlier_fingerprint != 0 && self.earlier_fingerprint == fingerprint(&self.status))
        {
            return Ok(());
        }
        self.replaced.start = size;
        if let Some(share) = self.written_shares.find(Key::new(self.name_hash(), publication.round))
            && let Some(range) = share.locate(old, size, &mut self.bytes)?
        {
            self.replaced = range;
        }
        Ok(())
    }

    /// Remembers the share that was written, so that a later write replaces it.
    fn remember(&mut self, publication: &Publication<'_>, file: &Fd) {
        let Some(ranges) = publication.recognized_by else { return };
        let share = WrittenShare::new(file, self.replaced.start, self.written, ranges, &mut self.bytes);
        self.written_shares.remember(Key::new(self.name_hash(), publication.round), share);
    }
}
