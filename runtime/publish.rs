//! Publishes a profile: a complete new file takes the name, or a file gets one more profile. A process that is killed at any instruction leaves
//! no file, the old file, or the complete new one, but for the exceptions in docs/DATA-SAFETY.md.
//!
//! ```text
//! Publication::publish   starts over while the name changes its meaning
//!   Place::open          opens the directory, in which the name is looked up from here on, without links
//!   create               nothing has the name: a file without a name is written, and linked to the name; else an empty file goes to lock_old
//!   open_old             a regular file has it: the old file
//!     lock_old           locks the old file; `create` and `through_link` reach it too
//!     write_to_old       the name must still mean it
//!       Content::prepare   reads the old file
//!       append             `Way::Append` and a file that is not empty, or `Way::InPlace` without a merge. Not atomic where the file cannot be locked
//!                          or read
//!       replace_by_new     writes a new file; gives it owner and mode of the old one
//!                          links it to the second name ([`place`]), exchanges the names, removes the second name
//!       write_in_place     `Way::InPlace` with a merge, or the target of a link: writes into the old file, as LLVM's runtime does
//!   replace_closed       in the place of create and open_old, where a file that is open cannot be replaced (Windows)
//!   through_link, write_special   a link, a pipe, a device: written in place
//!
//! A kill leaves                    under the name      under the second name
//!   while the new file is filled   the old file        nothing; without O_TMPFILE a part of the new file
//!   after the link                 the old file        the new file
//!   after the exchange             the new file        the old file
//!   after the removal              the new file        nothing
//!   in write_in_place              parts of both       nothing
//!   in append                      the old profiles    nothing (a placeholder behind them is skipped)
//!   without unnamed files: in create, an empty file may stay under the name
//! ```
//!
//! Nothing waits for a lock here: a file that another process has locked is [`Error::FILE_IN_USE`], and the caller retries. Writes into pipes wait.

use core::ffi::c_int;
use core::ops::Range;

use crate::error::{Error, Result};
use crate::native::RAW_VERSION;
use crate::os;
use crate::os::file::{self, At, Fd, Lock, Status};
use crate::path::{PathBuf, Text};
use crate::report::{Grade, print};
use crate::sink::Sink;
use crate::sink::file::File;

mod append;
mod closed;
mod place;

use append::Appended;
use place::{Place, discard, exchange, free, raw_version};
pub use place::{is_raw, make_directories, remove_old};

/// How often a write starts over because the name means another file, before the caller waits.
const ATTEMPTS: u32 = 1000;

/// What is at the name before a write.
#[derive(Clone, Copy)]
pub enum Old<'a> {
    /// No file or an empty one.
    Nothing,
    /// What is only written to, maybe again: a pipe, a device, standard output.
    Stream,
    /// A regular file, perhaps an empty one, with its status. A new one replaces it.
    File(&'a Fd, &'a Status),
    /// Such a file that is written in place. In its status `link` says whether a link leads to it.
    InPlace(&'a Fd, &'a Status),
    /// A regular file whose profiles stay, and whether ours will be found where it is appended: the file is locked, and can be read.
    Kept(&'a Fd, bool),
}

/// What is written to the name.
pub trait Content {
    /// Prepares the profile for a write in the place of `old`, or after it. After an error nothing is written.
    fn prepare(&mut self, old: Old<'_>) -> Result;

    /// Writes the prepared profile. Called again where a first new file could not get the name.
    fn write(&mut self, sink: &mut dyn Sink) -> Result;

    /// Takes note of where the profile is, when it is complete in a regular file. A new file is not linked to the name yet.
    fn written(&mut self, _file: &Fd, _at: Range<u64>) -> Result {
        Ok(())
    }
}

/// How a profile gets to its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// By a new file, or after the profiles that the file has. One that does not begin as a profile is [`Error::BAD_MAGIC`].
    Append,
    /// By a new file.
    Replace,
    /// Into the old file: a sum in the place of the profile, where a kill can leave a truncated one; else as [`Way::Append`].
    InPlace,
    /// By a new file, if nothing has the name. Else `EEXIST`, or [`Error::NOT_REGULAR`].
    Claim,
    /// By a new file that this process goes on to count in, which may replace another one. This user stays its owner: an owner can truncate a
    /// file, which would kill the process that has it mapped.
    Adopt,
    /// By a new file as with [`Way::Adopt`], in the place of the one with this device and inode, which this process has locked. Another file:
    /// [`Error::EEXIST`].
    Renew([u64; 2]),
}

/// A profile to publish.
pub struct Publication<'a> {
    /// The profile.
    pub content: &'a mut dyn Content,
    /// The profile is the sum of the old file's and ours, so that it cannot go to a pipe or a device.
    pub merges: bool,
    /// The signal mask for writes into pipes, which may wait for their reader; `None`: that in force.
    pub mask: Option<u64>,
    /// How.
    pub way: Way,
}

impl Publication<'_> {
    /// Publishes the profile under a name. Errors: [`Error::FILE_IN_USE`], [`Error::READ_LOCKED`] and a pipe without a reader
    /// ([`Error::ENXIO`]) may be gone later; the other errors are final for this way.
    pub fn publish(&mut self, path: &PathBuf) -> Result {
        for _ in 0..ATTEMPTS {
            match self.attempt(path) {
                // The name means another file by now; on network file systems, of another machine.
                Err(Error::OVERTAKEN | Error::ESTALE) => {}
                // Another process has a lease on the file, which the system asks it to give back.
                Err(Error::EAGAIN) => break,
                result => return result,
            }
        }
        Err(Error::FILE_IN_USE)
    }

    #[inline(never)]
    fn attempt(&mut self, path: &PathBuf) -> Result {
        let place = Place::open(path)?;
        // Before `Place::status`, which on Windows opens the file: the open handles of all waiting processes would keep the writer from replacing it.
        if !file::REPLACES_OPEN && self.merges && self.way != Way::InPlace {
            match self.replace_closed(&place) {
                Err(Error::NOT_REGULAR) => {}
                result => return result,
            }
        }
        match &place.status() {
            Ok(status) if self.way == Way::Claim => {
                Err(if status.regular || status.directory { Error::EEXIST } else { Error::NOT_REGULAR })
            }
            Ok(status) if status.regular && (file::REPLACES_OPEN || self.writes_into(status.size)) => {
                self.open_old(&place)
            }
            Ok(status) if status.regular => self.replace_closed(&place),
            Ok(_) if matches!(self.way, Way::Renew(_)) => Err(Error::EEXIST),
            Ok(status) if status.directory => Err(Error::EISDIR),
            Ok(status) if place.is_untrusted(status) => Err(Error::NOT_REGULAR),
            Ok(_) if self.way == Way::Adopt => Err(Error::NOT_REGULAR),
            Ok(status) if status.link => self.through_link(&place),
            Ok(status) => self.write_special(&place, status, false),
            Err(Error::ENOENT) => self.create(&place),
            Err(error) => Err(*error),
        }
    }

    /// Returns whether a file of this size is written into.
    fn writes_into(&self, size: u64) -> bool {
        self.way == Way::InPlace || self.way == Way::Append && size > 0
    }

    /// Publishes a new file under a name that nothing has. Where a file without a name is not possible, creates an empty one under the name,
    /// and replaces that under its lock.
    fn create(&mut self, place: &Place<'_>) -> Result {
        if !file::REPLACES_OPEN {
            return self.replace_closed(place);
        }
        self.content.prepare(Old::Nothing)?;
        if let Ok(new) = file::create_unnamed(&place.directory) {
            self.fill(&new)?;
            // Only a pool file must stay writable for later runs; for a plain one the `fstat` is saved.
            if self.merges {
                new.admit_owner(&new.status()?);
            }
            match new.link(place.at()) {
                Ok(()) => return Ok(()),
                Err(Error::EEXIST) => return Err(Error::OVERTAKEN),
                // No /proc, or a sandbox: goes on with a file that has a name from the start.
                Err(_) => {}
            }
        }
        if !file::LOCKS {
            // Nobody could lock an empty file, so there need not be one.
            return self.replace_by_new(place, None, false);
        }
        match file::create_new(place.at(), None) {
            Ok(empty) => self.lock_old(&empty, Some(place)),
            Err(Error::EEXIST) => Err(Error::OVERTAKEN),
            Err(error) => Err(error),
        }
    }

    /// Replaces the regular file that has the name, or writes into it.
    fn open_old(&mut self, place: &Place<'_>) -> Result {
        let old = file::open_or_create_no_link(place.at()).or_else(|error| match error {
            // The name is a link or a directory by now.
            Error::ELOOP | Error::EISDIR => Err(Error::OVERTAKEN),
            // A file that may be written, but not read.
            _ if !self.merges => file::open_for_appending(place.at()).map_err(|_| error),
            _ => Err(error),
        })?;
        self.lock_old(&old, Some(place))
    }

    /// Locks an old file, and replaces it or writes into it. Without a `place` (`old` is the target of a link), always writes into it.
    fn lock_old(&mut self, old: &Fd, place: Option<&Place<'_>>) -> Result {
        // Its lock is held by another descriptor, which would exclude this one.
        if let Way::Renew(identity) = self.way {
            let status = old.status()?;
            let is_ours = [status.device, status.inode] == identity;
            return if is_ours { self.write_to_old(old, place, true) } else { Err(Error::EEXIST) };
        }
        let locked = lock(old)?;
        if file::LOCKS && !locked && self.merges {
            let lost: &[u8] = b"\" cannot be locked. What processes add at the same moment may be lost.";
            print(Grade::Warning, &[b"\"", place.map_or(b"", Place::name), lost]);
        }
        let result = self.write_to_old(old, place, locked);
        if locked {
            old.unlock();
        }
        result
    }

    /// Replaces the old file, or writes into it. `locked`: this process has its lock.
    fn write_to_old(&mut self, old: &Fd, place: Option<&Place<'_>>, locked: bool) -> Result {
        let status = &mut old.status()?;
        status.link = place.is_none();
        if let Some(place) = place
            && !place.status().as_ref().is_ok_and(|now| now.is_same_file(status))
        {
            return Err(Error::OVERTAKEN);
        }
        if !file::REPLACES_OPEN && place.is_some() && !self.writes_into(status.size) {
            return Err(Error::OVERTAKEN);
        }
        // An empty file is replaced, so that it becomes a whole one at once.
        if self.way == Way::Append && status.size > 0 || self.way == Way::InPlace && !self.merges {
            return self.append(old, status.size, place.filter(|_| !locked));
        }
        if let Some(place) = place.filter(|_| self.way != Way::InPlace) {
            self.content.prepare(Old::File(old, status))?;
            return self.replace_by_new(place, Some((old, status)), locked);
        }
        self.content.prepare(Old::InPlace(old, status))?;
        self.write_in_place(old, status)
    }

    /// Writes a new file, which takes the name of the `old` one.
    fn replace_by_new(&mut self, place: &Place<'_>, old: Option<(&Fd, &Status)>, locked: bool) -> Result {
        let mut second = Text::<{ place::NAME_MAX }>::new();
        place.second_name(&mut second, locked)?;
        let second = place.directory.at(second.as_path());
        let unnamed = match file::create_unnamed(&place.directory) {
            Ok(new) => {
                self.fill(&new)?;
                self.give(&new, old);
                let mut linked = new.link(second);
                if linked == Err(Error::EEXIST) {
                    free(second)?;
                    linked = new.link(second);
                }
                match linked {
                    Ok(()) => Some(new),
                    Err(Error::EEXIST) => return Err(Error::OVERTAKEN),
                    // No /proc, or a sandbox: goes on with a file that has a name from the start.
                    Err(_) => None,
                }
            }
            Err(_) => None,
        };
        let new = if let Some(new) = unnamed { new } else { self.fill_second(second, old)? };
        exchange(place, second, &new)
    }

    /// Creates a file with the second name, which takes it from any other, and fills it. It must not be readable to anybody who cannot read the
    /// `old` one.
    fn fill_second(&mut self, second: At<'_>, old: Option<(&Fd, &Status)>) -> Result<Fd> {
        let replaced = old.map(|(_, status)| status);
        let new = file::create_new(second, replaced).or_else(|error| match error {
            Error::EEXIST => free(second).and_then(|()| file::create_new(second, replaced)),
            _ => Err(error),
        })?;
        let filled = self.fill(&new).and_then(|()| new.close_errors());
        match filled {
            Ok(()) => self.give(&new, old),
            Err(_) => discard(second, &new),
        }
        filled.map(|()| new)
    }

    /// Gives a new file to the owner of the `old` one. A file that this process goes on to count in stays its own.
    #[inline]
    fn give(&self, new: &Fd, old: Option<(&Fd, &Status)>) {
        if let Some((old, status)) = old {
            new.take_owner_of(old, status, matches!(self.way, Way::Append | Way::Replace));
        }
    }

    /// Fills a new file with the profile.
    fn fill(&mut self, new: &Fd) -> Result {
        let mut sink = File::sparse(new);
        self.content.write(sink.sink())?;
        sink.finish()?;
        self.content.written(new, 0..sink.written)
    }

    /// Writes the profile into the old file. A sum fills the holes of the old profile: reserves their space first, or fails before it overwrites.
    fn write_in_place(&mut self, file: &Fd, status: &Status) -> Result {
        if self.merges
            && let Err(error @ (Error::ENOSPC | Error::EDQUOT)) = file.allocate(status.size)
        {
            return Err(error);
        }
        let mut sink = File::new(file);
        self.content.write(sink.sink())?;
        if sink.written < status.size {
            file.set_size(sink.written)?;
        }
        self.content.written(file, 0..sink.written)
    }

    /// Appends the profile to a file of `size` bytes; a failed write restores that size. `unlocked`: the place of a file that cannot be locked:
    /// others may append meanwhile, so nothing is cut off after a failure.
    #[inline(never)]
    fn append(&mut self, file: &Fd, size: u64, unlocked: Option<&Place<'_>>) -> Result {
        // A read error (write-only file, sandbox) is no reason to refuse: the file is then assumed to hold profiles.
        let begin = raw_version(file);
        let mut old = Old::Nothing;
        if size > 0 {
            match begin {
                Ok(0) => return Err(Error::BAD_MAGIC),
                Ok(version) if version != RAW_VERSION.number() as u32 => {
                    return Err(Error::bad_version(version.into()));
                }
                _ => old = Old::Kept(file, begin.is_ok() && unlocked.is_none()),
            }
        }
        self.content.prepare(old)?;
        if let Some(place) = unlocked {
            let stream = file::open_for_appending(place.at())?;
            let mut sink = File::new(&stream);
            self.content.write(sink.sink())?;
            return self.content.written(file, size..size.wrapping_add(sink.written));
        }
        // `open_old` opened a write-only file with O_APPEND.
        let written = if begin.is_err() && file.appends() {
            self.content.write(File::new(file).sink())
        } else {
            let mut sink = Appended::new(file, size);
            let written = self.content.write(&mut sink).and_then(|()| sink.finish());
            written.and_then(|at| self.content.written(file, at))
        };
        if written.is_err() {
            let _ = file.set_size(size);
        }
        written
    }

    /// Writes into the file to which the link with this name leads: in place, because a new file cannot take its name without a race. Only
    /// if it is empty, a raw profile, or one that can be merged.
    #[cold]
    fn through_link(&mut self, place: &Place<'_>) -> Result {
        match &file::status(place.at()) {
            Ok(status) if status.directory => return Err(Error::EISDIR),
            Ok(status) if !status.regular => return self.write_special(place, status, true),
            Ok(status) => {
                // Later output of the program follows the profile, through its own descriptor.
                for &standard in &file::STANDARD_OUTPUTS {
                    if file::borrowed(standard).status().as_ref().is_ok_and(|now| now.is_same_file(status)) {
                        return self.write_stream(standard);
                    }
                }
            }
            // Its target is created.
            Err(Error::ENOENT) => {}
            Err(error) => return Err(*error),
        }
        let target = file::open_or_create(place.at())?;
        if self.way == Way::Replace && !self.merges && target.status()?.size > 0 && is_raw(&target) != Ok(true) {
            return Err(Error::BAD_MAGIC);
        }
        self.lock_old(&target, None)
    }

    /// Writes the profile to a device, a pipe or the like.
    #[cold]
    fn write_special(&mut self, place: &Place<'_>, status: &Status, link: bool) -> Result {
        if self.merges {
            return Err(Error::NOT_REGULAR);
        }
        let stream = file::open_stream(place.at(), status, link)?;
        self.write_stream(stream.number())
    }

    /// Writes the profile to an open file, at its position. The reader of a pipe may make this wait, so signals are delivered meanwhile.
    fn write_stream(&mut self, descriptor: c_int) -> Result {
        if self.merges {
            return Err(Error::NOT_REGULAR);
        }
        self.content.prepare(Old::Stream)?;
        os::with_mask(self.mask, || self.content.write(File::new(&file::borrowed(descriptor)).sink()))
    }
}

/// Locks a file. Returns `false` where the file system has no locks.
pub fn lock(file: &Fd) -> Result<bool> {
    match file.try_lock() {
        Lock::Taken => Ok(true),
        Lock::Busy => Err(Error::FILE_IN_USE),
        Lock::HeldByReader => Err(Error::READ_LOCKED),
        Lock::Impossible(error @ Error::ESTALE) => Err(error),
        Lock::Impossible(_) => Ok(false),
    }
}
