//! Puts a profile into a file so that the file is always whole: a process killed at any instruction leaves no file, the
//! file as it was, or the file with the whole profile in it.
//!
//! Executable and shared objects of a process, and its children, share one file, each adding its own profile. So a write
//! is one of three things to the file that is there:
//! - **replace** it, when it is from an earlier run ([`Places::old`] tells);
//! - **replace our part** of it, when this image has written to it before and was not reset since: every count reaches
//!   the file once;
//! - **append** to it.
//!
//! All three write a new file beside (without a name, where the file system can) from the parts of the old one that stay
//! and the new profile, and then give it the name. The old file is locked meanwhile, so that two writers do not overtake
//! each other; who finds that the name means another file than the one it locked begins again.

use core::ops::Range;

use crate::error::{Error, Result};
use crate::os::file::{self, Fd, Lock, Status};
use crate::os::{self, Quiet};
use crate::path::{PathBuf, directory};
use crate::sink::file::File;

pub mod claim;
mod content;
pub mod hash;
mod in_place;
mod merged;
mod new_file;
mod own;

pub use content::{Content, Plain, Profile};
use hash::hash_of;
use new_file::NewFile;
use own::{Part, Parts};

/// Which file it is, in which state: another write gives another identity, also where inode numbers are used again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Device, inode, size, and time of the last change in seconds and nanoseconds.
    pub fields: [u64; 5],
}

impl Identity {
    /// A number that stands for it, not 0: what others are told.
    pub fn hash(&self) -> u64 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let hash = self.fields.iter().fold(ODD, |hash, field| (hash ^ field).wrapping_mul(ODD).rotate_left(29));
        hash.max(1)
    }
}

impl From<Status> for Identity {
    fn from(status: Status) -> Identity {
        let Status { device, inode, size, modified, modified_nanos, .. } = status;
        Identity { fields: [device, inode, size, modified as u64, modified_nanos as u64] }
    }
}

/// What is known about the file, and scratch space.
#[derive(Debug)]
pub struct Places {
    /// [`Identity::hash`] of the file that was there when the first process of this run began: to be replaced. 0: none was.
    pub old: u64,
    /// What this image has written before.
    own: Parts,
    /// The name of the file after symbolic links.
    real: PathBuf,
    /// Directories on the way, and the name of a new file.
    scratch: PathBuf,
    /// Bytes on their way from the old file to the new one; targets of links.
    bytes: [u8; 4096],
    /// Files without a name have failed here.
    only_named: bool,
}

/// Whether the file is done, or is another one by now.
enum Outcome {
    Done,
    Again,
}

/// How often we begin again when others keep replacing the file.
const ATTEMPTS: u32 = 100_000;
/// Bytes of counters that tell our part from others.
const MOST_HASHED: u64 = 64 * 1024;
/// At which of the attempts a locked file is looked at.
const LOOKS: u32 = 16;

impl Places {
    /// Nothing known.
    pub const fn new() -> Places {
        Places {
            old: 0,
            own: Parts::new(),
            real: PathBuf::new(),
            scratch: PathBuf::new(),
            bytes: [0; 4096],
            only_named: false,
        }
    }

    /// Whether a write has to know how our part begins, for it has written before.
    pub fn looks_for_header(&self) -> bool {
        !self.own.is_empty()
    }

    /// Writes the profile into the file `name`.
    pub fn publish(&mut self, name: &[u8], profile: &mut Profile<'_>) -> Result {
        self.real.set(name)?;
        if is_stream(name) {
            return self.write_stream(profile);
        }
        for attempt in 0..ATTEMPTS {
            let outcome = match file::status(self.real.as_path()) {
                Ok(status) if status.regular => self.update(profile),
                Ok(status) if status.directory && profile.content.merges() => {
                    self.move_directory_aside(&status, profile)
                }
                Ok(status) if status.directory => Err(Error::EISDIR),
                Ok(_) => return self.write_stream(profile),
                Err(Error::ENOENT) => {
                    // Only a link to nowhere is both: not there, and in the way.
                    if attempt > 0 {
                        self.follow_links()?;
                    }
                    self.create(profile)
                }
                Err(error) => Err(error),
            };
            match outcome? {
                Outcome::Done => return Ok(()),
                Outcome::Again => {}
            }
        }
        Err(Error::BUSY)
    }

    /// A device, a pipe, a terminal: the bytes are simply written.
    fn write_stream(&self, profile: &mut Profile<'_>) -> Result {
        let fd = file::open_stream(self.real.as_path())?;
        let _quiet = Quiet::begin();
        profile.content.write(None, &mut File::new(&fd))
    }

    /// The file is not there: the new one gets the name if it is still free then.
    fn create(&mut self, profile: &mut Profile<'_>) -> Result<Outcome> {
        profile.content.start_over();
        let new = match self.new_file() {
            Err(Error::ENOENT) => {
                self.make_directories(profile.directory_mode)?;
                self.new_file()?
            }
            other => other?,
        };
        let len = self.fill(&new, profile, None, 0..0)?;
        let linked = if new.named {
            let linked = new.fd.settle().and_then(|()| file::link(self.scratch.as_path(), self.real.as_path()));
            match linked {
                // A file system without hard links.
                Err(Error::EPERM | Error::EOPNOTSUPP | Error::ENOSYS | Error::EMLINK) => self.rename_if_free(),
                _ => {
                    file::remove(self.scratch.as_path());
                    linked
                }
            }
        } else {
            new.fd.link(self.real.as_path())
        };
        match linked {
            Ok(()) => Ok(self.done(profile, &new.fd, 0, len)),
            Err(Error::EEXIST) => Ok(Outcome::Again),
            Err(error) if new.named => Err(error),
            // Without /proc a file without a name cannot get one.
            Err(_) => Ok(self.without_unnamed()),
        }
    }

    /// Gives the new file the real name where there are no hard links: free when the system can tell, else whatever
    /// stands there. Nothing is left behind.
    fn rename_if_free(&mut self) -> Result {
        let (new, real) = (self.scratch.as_path(), self.real.as_path());
        let renamed = match file::rename_if_free(new, real) {
            Err(Error::ENOSYS | Error::EINVAL | Error::EOPNOTSUPP) => file::rename(new, real),
            other => other,
        };
        if renamed.is_err() {
            file::remove(new);
        }
        renamed
    }

    /// The file is there: replaced, or with our part in it.
    fn update(&mut self, profile: &mut Profile<'_>) -> Result<Outcome> {
        self.follow_links()?;
        let old = match file::open_existing(self.real.as_path()) {
            Err(Error::ENOENT) => return Ok(Outcome::Again),
            other => other?,
        };
        file::close_inherited();
        (profile.before_lock)();
        for attempt in 0..os::PATIENCE {
            let lock = old.try_lock();
            // Whoever has the file locked will give its name to another one, and then it is free. Only now and then is that
            // looked at before, for a child of his may have kept the lock.
            if lock == Lock::Busy && attempt % LOOKS != LOOKS - 1 {
                os::pause_for(1000.min(50 << attempt.min(5)));
                continue;
            }
            let status = old.status()?;
            let current = self.is_still(&status);
            if let Lock::Impossible(reason) = lock
                && current
            {
                profile.content.unlocked(reason);
            }
            if lock != Lock::Busy {
                let outcome = if current { self.update_locked(&old, &status, profile) } else { Ok(Outcome::Again) };
                old.unlock();
                return outcome;
            }
            if !current {
                return Ok(Outcome::Again);
            }
            os::pause();
        }
        Err(Error::BUSY)
    }

    fn update_locked(&mut self, old: &Fd, status: &Status, profile: &mut Profile<'_>) -> Result<Outcome> {
        if profile.content.merges() {
            return self.update_merged(old, status, profile);
        }
        let dropped = if profile.alone { 0..status.size } else { self.dropped_range(old, status, profile)? };
        let offset = dropped.start;
        let new = match self.new_file() {
            Err(Error::EACCES | Error::EPERM | Error::EROFS) => {
                return self.write_in_place(old, status, dropped, profile);
            }
            other => other?,
        };
        let len = match self.fill(&new, profile, Some((old, status)), dropped.clone()) {
            // There is no room for the file twice, but there may be for one profile more.
            Err(Error::ENOSPC | Error::EDQUOT) if offset == status.size => {
                drop(new);
                return self.write_in_place(old, status, dropped, profile);
            }
            other => other?,
        };
        match self.rename_over(&new, status) {
            Ok(Outcome::Done) => Ok(self.done(profile, &new.fd, offset, len)),
            // The file itself is a mount point, or another's in a directory where only owners rename.
            Err(Error::EBUSY | Error::EXDEV | Error::EPERM | Error::EACCES) => {
                self.write_in_place(old, status, dropped, profile)
            }
            other => other,
        }
    }

    /// Gives the new file, which is whole, the real name, and the owner and mode of the one that has it.
    fn rename_over(&mut self, new: &NewFile, status: &Status) -> Result<Outcome> {
        if let Ok(own) = new.fd.status() {
            new.fd.take_owner(status, &own);
        }
        if new.named
            && let Err(error) = new.fd.settle()
        {
            file::remove(self.scratch.as_path());
            return Err(error);
        }
        if !new.named && self.name_new_file(|path| new.fd.link(path)).is_err() {
            return Ok(self.without_unnamed());
        }
        let renamed = file::replace(self.scratch.as_path(), self.real.as_path());
        if renamed.is_err() {
            file::remove(self.scratch.as_path());
        }
        renamed.map(|()| Outcome::Done)
    }

    /// The bytes of the file that the new profile takes the place of.
    fn dropped_range(&mut self, old: &Fd, status: &Status, profile: &Profile<'_>) -> Result<Range<u64>> {
        if self.old != 0 && self.old == Identity::from(*status).hash() {
            return Ok(0..status.size);
        }
        let name = hash_of(self.real.as_bytes());
        let part = self.own.find(name, os::process_id(), profile.round);
        let range = match part {
            Some(part) => own::locate(old, status.size, &part, profile.header, &mut self.bytes)?,
            None => None,
        };
        Ok(range.unwrap_or(status.size..status.size))
    }

    /// Writes the new file: what stays of the old one, and the profile. The profile's length. Leaves no file behind when
    /// it fails.
    fn fill(
        &mut self,
        new: &NewFile,
        profile: &mut Profile<'_>,
        old: Option<(&Fd, &Status)>,
        dropped: Range<u64>,
    ) -> Result<u64> {
        let quiet = os::file_size_limited().then(Quiet::begin);
        let mut copy = |from: u64, to: u64| match old {
            Some((fd, _)) if from < to => {
                let copied = new.fd.copy_from(fd, from, to.wrapping_sub(from), &mut self.bytes)?;
                if copied == to.wrapping_sub(from) { Ok(()) } else { Err(Error::EIO) }
            }
            _ => Ok(()),
        };
        let mut sink = File::sparse(&new.fd, dropped.start, profile.expected);
        let size = old.map_or(0, |(_, status)| status.size);
        let merged = old.filter(|_| size > 0 && profile.content.merges()).map(|(fd, _)| fd);
        let written = copy(0, dropped.start)
            .and_then(|()| profile.content.write(merged, &mut sink))
            .and_then(|()| sink.finish())
            .and_then(|()| copy(dropped.end, size));
        drop(quiet);
        match written {
            Ok(()) => Ok(sink.written),
            Err(error) => {
                if new.named {
                    file::remove(self.scratch.as_path());
                }
                Err(error)
            }
        }
    }

    /// Remembers what we have written, so that a later write takes its place.
    fn done(&mut self, profile: &Profile<'_>, file: &Fd, offset: u64, len: u64) -> Outcome {
        if let Some((from, bytes)) = profile.again
            && !profile.alone
        {
            let live = (from, bytes.min(MOST_HASHED));
            if let Ok(hash) = own::hash_of_live(file, offset, live, &mut self.bytes) {
                let name = hash_of(self.real.as_bytes());
                let process = os::process_id();
                self.own.remember(Part { name, process, round: profile.round, offset, len, live, hash });
            }
        }
        Outcome::Done
    }

    /// Makes the directories on the way to the file.
    fn make_directories(&mut self, mode: u32) -> Result {
        make_directories(self.real.as_bytes(), mode, &mut self.scratch)
    }

    /// Replaces `real` by what it links to, so that a rename replaces the file and not the link.
    fn follow_links(&mut self) -> Result {
        const LINKS: u32 = 40;
        for _ in 0..LINKS {
            let len = match file::read_link(self.real.as_path(), &mut self.bytes) {
                Err(Error::EINVAL | Error::ENOENT) => return Ok(()),
                other => other?,
            };
            let target = self.bytes.get(..len).unwrap_or(&[]);
            if target.first() == Some(&b'/') {
                self.real.set(target)?;
            } else {
                let len = directory(self.real.as_bytes()).len();
                self.real.truncate(len);
                self.real.push(target)?;
            }
        }
        Err(Error::ELOOP)
    }
}

/// Makes all directories in `path`, which ends at its last `/`. `scratch` is overwritten.
pub fn make_directories(path: &[u8], mode: u32, scratch: &mut PathBuf) -> Result {
    let mut result = Ok(());
    for (at, byte) in path.iter().enumerate() {
        if *byte == b'/' && at > 0 {
            scratch.set(path.get(..at).unwrap_or(&[]))?;
            // An inner one may be there and not be ours to make: only the last answer counts.
            result = file::make_directory(scratch.as_path(), mode);
        }
    }
    result
}

/// Names that lead to something open already, whatever kind it is.
fn is_stream(name: &[u8]) -> bool {
    match name {
        [b'/', b'd', b'e', b'v', b'/', rest @ ..] => !matches!(rest, [b's', b'h', b'm', b'/', ..]),
        [b'/', b'p', b'r', b'o', b'c', b'/', ..] => true,
        _ => false,
    }
}
