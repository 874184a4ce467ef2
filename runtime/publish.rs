//! Puts a profile into a file so that the file is always whole: a process killed at any instruction leaves no file, the
//! file as it was, or the file with the whole profile in it.
//!
//! Executable and shared objects of a process, and its children, share one file, each adding its own profile. So a write
//! is one of three things to the file that is there:
//! - **replace** it, when it is from an earlier run ([`Publisher::old`] tells);
//! - **replace our part** of it, when this image has written to it before and was not reset since: every count reaches
//!   the file once;
//! - **append** to it.
//!
//! All three write a new file beside (without a name, where the file system can) from the parts of the old one that stay
//! and the new profile, and then give it the name. The old file is locked meanwhile, so that two writers do not overtake
//! each other; who finds that the name means another file than the one it locked begins again.

use core::ops::Range;

use crate::error::{Error, Result};
use crate::os::file::{self, Fd, Lock};
use crate::os::{self, Deadline, Quiet};
use crate::sink::file::File;

pub mod claim;
mod content;
mod directories;
mod find;
pub mod hash;
mod identity;
mod in_place;
mod leftovers;
mod merged;
mod new_file;
mod own;
mod publisher;
mod special_file;

pub use content::{PlainContent, Profile, ProfileContent};
pub use directories::make_directories;
use find::Found;
use hash::hash_of;
use identity::identity;
pub use identity::identity_of;
pub use merged::is_of_content;
use own::{Fingerprint, WrittenPart};
pub use publisher::Publisher;
use publisher::Resolution;
use special_file::write_to;

/// Bytes of counters that tell our part from others.
const MOST_HASHED: u64 = 64 * 1024;
/// At which of the attempts a locked file is looked at.
const LOOKS: u32 = 16;
/// How often, a millisecond apart, a file is looked for again of which a network file system says that it is gone (`ESTALE`), for it was
/// replaced by another machine.
const STALE: u32 = 100;

impl Publisher {
    /// Writes the profile into the file `name`. (Steps are not inlined: what they read of the profile would be put on the stack here.)
    pub fn publish(&mut self, name: &[u8], profile: &mut Profile<'_>) -> Result {
        let mut stale: u32 = 0;
        let mut deadline = Deadline::new();
        let result = loop {
            let result = match self.find(name) {
                Ok(Found::File(old)) => self.update(&old, profile, &mut deadline),
                Ok(Found::Nothing) => self.create(profile),
                Ok(Found::Directory) => Err(Error::EISDIR),
                // What earlier runs have gathered cannot be read from there.
                Ok(Found::Stream | Found::Open(_)) if profile.merges => Err(Error::NOT_REGULAR),
                Ok(Found::Stream) => break self.write_stream(name, profile, &mut deadline),
                Ok(Found::Open(fd)) => break write_to(&file::borrowed(fd), profile),
                Err(error) => Err(error),
            };
            match result {
                Err(Error::OVERTAKEN | Error::EAGAIN) if deadline.is_over() => break Err(Error::BUSY),
                Err(Error::OVERTAKEN) => {}
                // Another process has a lease on the file, which the system asks it to give back.
                Err(Error::EAGAIN) => os::pause(),
                Err(Error::ESTALE) if stale < STALE => {
                    stale = stale.wrapping_add(1);
                    os::pause();
                }
                _ => break result,
            }
        };
        self.leave();
        result
    }

    /// The file is not there: the new one gets the name if it is still free then.
    #[inline(never)]
    fn create(&mut self, profile: &mut Profile<'_>) -> Result {
        self.dropped = 0..0;
        let new = match self.new_file_somewhere(profile.directory_mode) {
            Err(error) if is_refusal(error) && self.directory.is_some() => return self.create_in_place(error, profile),
            other => other?,
        };
        self.fill(&new, profile, None)?;
        let published = if self.named {
            let settled = new.settle();
            if settled.is_err() {
                self.discard(&new);
            }
            match settled.and_then(|()| self.rename_if_free(&new)) {
                Err(error) if is_refusal(error) => return self.create_in_place(error, profile),
                other => other,
            }
        } else {
            new.link(self.at(&self.real))
        };
        match published {
            Ok(()) => {
                if self.named {
                    new.unlock();
                }
                self.remember(profile, &new);
                Ok(())
            }
            Err(Error::EEXIST) => Err(Error::OVERTAKEN),
            Err(error) if self.named => Err(error),
            // Without /proc a file without a name cannot get one.
            Err(_) => Err(self.without_unnamed()),
        }
    }

    /// Keeps what the file is.
    fn look_at(&mut self, file: &Fd) -> Result {
        match file.status() {
            Ok(status) => self.status = status,
            Err(error) => return Err(error),
        }
        // With an access control list the bits of the group are the most that anybody in the list may do. The group itself may do less,
        // and the new file has no such list.
        if self.status.mode & 0o070 != 0 && file.has_access_list() {
            self.status.mode &= !0o070;
        }
        Ok(())
    }

    /// Gives a temporary file the real name if that is free; where the system cannot do both at once, by a second name, or whatever has
    /// the real name. A file that does not get it is removed.
    fn rename_if_free(&mut self, file: &Fd) -> Result {
        let (temporary, real) = (self.at(&self.scratch), self.at(&self.real));
        let renamed = match file::rename_if_free(temporary, real) {
            // `EPERM`: a filter of system calls that does not know this one. (Not where a sandbox lets no name be removed, `EACCES`: the
            // second name would stay, and readers would count the profile twice.)
            Err(Error::ENOSYS | Error::EINVAL | Error::EOPNOTSUPP | Error::EPERM) => {
                match file::link(temporary, real) {
                    Ok(()) => {
                        let _ = file::remove(temporary);
                        Ok(())
                    }
                    // A file system without hard links.
                    Err(Error::EPERM | Error::EOPNOTSUPP | Error::ENOSYS | Error::EMLINK) => {
                        file::rename(temporary, real)
                    }
                    other => other,
                }
            }
            other => other,
        };
        if renamed.is_err() {
            self.remove_temporary(file);
        }
        renamed
    }

    /// The file is there: replaced, or with our part in it.
    #[inline(never)]
    fn update(&mut self, old: &Fd, profile: &mut Profile<'_>, deadline: &mut Deadline) -> Result {
        file::close_inherited();
        let mut attempt: u32 = 0;
        loop {
            let lock = old.try_lock();
            if lock == Lock::Busy && deadline.is_over() {
                return Err(Error::BUSY);
            }
            attempt = attempt.wrapping_add(1);
            // Whoever has the file locked will give its name to another one, and then it is free. Only now and then is that
            // looked at before, for a child of his may have kept the lock.
            if lock == Lock::Busy && !attempt.is_multiple_of(LOOKS) {
                os::pause_for(1000.min(50 << attempt.min(5)));
                continue;
            }
            let current = self.look_at(old).map(|()| self.is_still());
            if lock == Lock::Busy && current == Ok(true) {
                os::pause();
                continue;
            }
            let updated = match (current, lock) {
                (Err(error), _) | (_, Lock::Impossible(error @ Error::ESTALE)) => Err(error),
                (Ok(false), _) => Err(Error::OVERTAKEN),
                (Ok(true), _) => {
                    if let Lock::Impossible(reason) = lock {
                        profile.content.warn(reason, None);
                    }
                    self.update_locked(old, profile)
                }
            };
            if lock != Lock::Busy {
                old.unlock();
            }
            return updated;
        }
    }

    fn update_locked(&mut self, old: &Fd, profile: &mut Profile<'_>) -> Result {
        if profile.merges {
            return self.update_merged(old, profile);
        }
        self.find_dropped(old, profile)?;
        'beside: {
            if self.resolution == Resolution::Unknown {
                break 'beside;
            }
            let new = match self.new_file() {
                Ok(new) => new,
                Err(Error::EACCES | Error::EPERM | Error::EROFS) => break 'beside,
                Err(error) => return Err(error),
            };
            match self.fill(&new, profile, Some(old)) {
                Ok(()) => {}
                // There is no room for the file twice, but there may be for one profile more.
                Err(Error::ENOSPC | Error::EDQUOT) if self.dropped.start == self.status.size => break 'beside,
                Err(error) => return Err(error),
            }
            match self.rename_over(&new, false) {
                Ok(()) => {
                    self.remember(profile, &new);
                    return Ok(());
                }
                // The file itself is a mount point, or another's in a directory where only owners rename.
                Err(Error::EBUSY | Error::EXDEV | Error::EPERM | Error::EACCES) => {}
                Err(error) => return Err(error),
            }
        }
        self.write_in_place(old, profile)
    }

    /// Gives the new file, which is whole, the real name, and the owner and mode of the one that has it. `held`: it stays open,
    /// so that nothing is heard of it when it is closed.
    fn rename_over(&mut self, new: &Fd, held: bool) -> Result {
        let own = new.status();
        if let Ok(own) = &own {
            // Who owns a file can cut it, which would kill the process that has mapped it.
            new.take_owner(&self.status, own, !held);
        }
        if !self.named {
            // A temporary file that cannot be renamed could not be removed either. (`new_file` has asked where it makes one with a name.)
            file::renames_refused(self.at(&self.real))?;
            if self.name_new_file(Some(new)).is_err() {
                return Err(self.without_unnamed());
            }
        }
        let ready = if self.named && !held { new.settle() } else { Ok(()) };
        // What a kill leaves has to be a file of ours, for the next writer removes no other: no exchange with another user's.
        let ours = own.is_ok_and(|own| own.user == self.status.user);
        let rename = if held || !ours { file::rename } else { file::replace };
        match ready.and_then(|()| rename(self.at(&self.scratch), self.at(&self.real))) {
            // Somebody has removed the temporary file, or the directory.
            Err(Error::ENOENT) => Err(Error::OVERTAKEN),
            Err(error) => {
                self.remove_temporary(new);
                Err(error)
            }
            Ok(()) => {
                // Only now, for whoever finds the file under its temporary name and unlocked removes it.
                if !held {
                    new.unlock();
                }
                Ok(())
            }
        }
    }

    /// Finds the bytes of the file that the new profile takes the place of.
    fn find_dropped(&mut self, old: &Fd, profile: &Profile<'_>) -> Result {
        let size = self.status.size;
        self.dropped = 0..size;
        if profile.replace_whole || (self.old != 0 && self.old == identity(&self.status)) {
            return Ok(());
        }
        let name = hash_of(self.real.as_bytes());
        self.dropped.start = size;
        if let Some(part) = self.own.find(name, os::process_id(), profile.round)
            && let Some(at) = own::locate(old, size, part, profile.header, &mut self.bytes)?
        {
            self.dropped = at..at.wrapping_add(part.len);
        }
        Ok(())
    }

    /// Writes the new file: what stays of the old one, and the profile. Leaves no file behind when it fails.
    fn fill(&mut self, new: &Fd, profile: &mut Profile<'_>, old: Option<&Fd>) -> Result {
        let quiet = quiet();
        let filled = self.fill_quietly(new, profile, old);
        drop(quiet);
        if filled.is_err() {
            self.discard(new);
        }
        filled
    }

    fn fill_quietly(&mut self, new: &Fd, profile: &mut Profile<'_>, old: Option<&Fd>) -> Result {
        let Range { start, end } = self.dropped;
        self.copy(new, old, 0..start)?;
        let mut sink = File::sparse(new, start, profile.expected);
        let merged = old.filter(|_| profile.merges && self.status.size > 0);
        profile.content.write(merged, sink.sink())?;
        sink.finish()?;
        self.written = sink.written;
        self.copy(new, old, end..self.status.size)
    }

    /// Appends bytes of the old file, if there is one.
    fn copy(&mut self, new: &Fd, old: Option<&Fd>, from: Range<u64>) -> Result {
        match (old, from.end.checked_sub(from.start)) {
            (Some(old), Some(len)) if new.copy_from(old, from.start, len, &mut self.bytes)? != len => Err(Error::EIO),
            _ => Ok(()),
        }
    }

    /// Remembers what we have written, so that a later write takes its place.
    fn remember(&mut self, profile: &Profile<'_>, file: &Fd) {
        let Some((from, bytes)) = profile.live_range else { return };
        let (live, offset) = ((from, bytes.min(MOST_HASHED)), self.dropped.start);
        let fingerprint = Fingerprint::of(file, offset, live, &mut self.bytes);
        let name = hash_of(self.real.as_bytes());
        let process = os::process_id();
        self.own.remember(WrittenPart {
            name,
            process,
            round: profile.round,
            offset,
            len: self.written,
            live,
            fingerprint,
        });
    }
}

/// Whether a file system or a sandbox does not let us do this one thing with a file, but may let us do another.
fn is_refusal(error: Error) -> bool {
    matches!(error, Error::EPERM | Error::EACCES | Error::EXDEV)
}

/// While what this gives lives, a write to a regular file that grows too large fails, and does not kill the program.
pub fn quiet() -> Option<Quiet> {
    os::file_size_limited().then(Quiet::begin)
}
