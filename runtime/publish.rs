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

use core::ffi::CStr;
use core::ops::Range;

use crate::error::{Error, Result};
use crate::os::file::{self, Fd, Status};
use crate::os::{self, Quiet};
use crate::path::{PathBuf, directory};
use crate::sink::Sink;
use crate::sink::count::Count;
use crate::sink::file::File;

pub mod claim;
mod new_file;
mod own;

use new_file::NewFile;
use own::{Part, Parts};

/// Which file it is, in which state: another write gives another identity, also where inode numbers are used again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Identity {
    /// Device, inode, size, and time of the last change in seconds and nanoseconds.
    pub fields: [u64; 5],
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
    /// The file that was there when the first process of this run began: to be replaced.
    pub old: Option<Identity>,
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

/// What a write of the profile needs.
pub struct Profile<'a> {
    /// Writes all of it.
    pub write: &'a mut dyn FnMut(&mut dyn Sink) -> Result,
    /// Its first bytes, which tell it from the profiles of other images and processes.
    pub header: &'a [u8],
    /// Mode of directories that are missing.
    pub directory_mode: u32,
    /// Profiles of different rounds stand side by side in the file: counters were reset in between.
    pub round: u32,
    /// The program goes on, so another write may follow, which must find our part again: where its counters are in it
    /// (from, bytes). `None` at exit, which saves looking at them.
    pub again: Option<(u64, u64)>,
    /// The file is this writer's alone: it is always replaced as a whole. No profile that images share.
    pub alone: bool,
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
/// How long the same file may be locked by another, in steps of about a millisecond.
const PATIENCE: u32 = 30_000;

impl Places {
    /// Nothing known.
    pub const fn new() -> Places {
        Places {
            old: None,
            own: Parts::new(),
            real: PathBuf::new(),
            scratch: PathBuf::new(),
            bytes: [0; 4096],
            only_named: false,
        }
    }

    /// Writes the profile into the file `name`.
    pub fn publish(&mut self, name: &CStr, profile: &mut Profile<'_>) -> Result {
        self.real.set(name.to_bytes())?;
        if is_stream(name.to_bytes()) {
            return self.write_stream(profile);
        }
        for attempt in 0..ATTEMPTS {
            let outcome = match file::status(self.real.as_c_str()) {
                Ok(status) if status.regular => self.update(profile),
                Ok(status) if status.directory => Err(Error::Os(libc::EISDIR)),
                Ok(_) => return self.write_stream(profile),
                Err(Error::Os(libc::ENOENT)) => {
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
        Err(Error::Busy)
    }

    /// A device, a pipe, a terminal: the bytes are simply written.
    fn write_stream(&self, profile: &mut Profile<'_>) -> Result {
        let fd = file::open_stream(self.real.as_c_str())?;
        let _quiet = Quiet::begin();
        (profile.write)(&mut File::new(&fd))
    }

    /// The file is not there: the new one gets the name if it is still free then.
    fn create(&mut self, profile: &mut Profile<'_>) -> Result<Outcome> {
        let new = match self.new_file() {
            Err(Error::Os(libc::ENOENT)) => {
                self.make_directories(profile.directory_mode)?;
                self.new_file()?
            }
            other => other?,
        };
        let len = self.fill(&new, profile, None, 0..0)?;
        let linked = if new.named {
            let linked = file::link(self.scratch.as_c_str(), self.real.as_c_str());
            match linked {
                // A file system without hard links.
                Err(Error::Os(libc::EPERM | libc::EOPNOTSUPP | libc::ENOSYS | libc::EMLINK)) => self.rename_if_free(),
                _ => {
                    file::remove(self.scratch.as_c_str());
                    linked
                }
            }
        } else {
            new.fd.link(self.real.as_c_str())
        };
        match linked {
            Ok(()) => Ok(self.done(profile, &new.fd, 0, len)),
            Err(Error::Os(libc::EEXIST)) => Ok(Outcome::Again),
            Err(error) if new.named => Err(error),
            // Without /proc a file without a name cannot get one.
            Err(_) => Ok(self.without_unnamed()),
        }
    }

    /// Gives the new file the real name where there are no hard links: free when the system can tell, else whatever
    /// stands there. Nothing is left behind.
    fn rename_if_free(&mut self) -> Result {
        let (new, real) = (self.scratch.as_c_str(), self.real.as_c_str());
        let renamed = match file::rename_if_free(new, real) {
            Err(Error::Os(libc::ENOSYS | libc::EINVAL | libc::EOPNOTSUPP)) => file::rename(new, real),
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
        let old = match file::open_existing(self.real.as_c_str()) {
            Err(Error::Os(libc::ENOENT)) => return Ok(Outcome::Again),
            other => other?,
        };
        file::close_inherited();
        // Whoever has the file locked will give its name to another one.
        for _ in 0..PATIENCE {
            let locked = old.try_lock();
            let status = old.status()?;
            let same = |now: Status| (now.device, now.inode) == (status.device, status.inode);
            let current = file::status(self.real.as_c_str()).is_ok_and(same);
            if locked {
                let outcome = if current { self.update_locked(&old, &status, profile) } else { Ok(Outcome::Again) };
                old.unlock();
                return outcome;
            }
            if !current {
                return Ok(Outcome::Again);
            }
            os::pause();
        }
        Err(Error::Busy)
    }

    fn update_locked(&mut self, old: &Fd, status: &Status, profile: &mut Profile<'_>) -> Result<Outcome> {
        let dropped = if profile.alone { 0..status.size } else { self.dropped_range(old, status, profile)? };
        let offset = dropped.start;
        let new = match self.new_file() {
            Err(Error::Os(libc::EACCES | libc::EPERM | libc::EROFS)) => {
                return self.write_in_place(old, status, dropped, profile);
            }
            other => other?,
        };
        let len = match self.fill(&new, profile, Some((old, status)), dropped.clone()) {
            // There is no room for the file twice, but there may be for one profile more.
            Err(Error::Os(libc::ENOSPC | libc::EDQUOT)) if offset == status.size => {
                drop(new);
                return self.write_in_place(old, status, dropped, profile);
            }
            other => other?,
        };
        if let Ok(own) = new.fd.status() {
            new.fd.take_owner(status, &own);
        }
        if !new.named && self.name_new_file(|path| new.fd.link(path)).is_err() {
            return Ok(self.without_unnamed());
        }
        match file::rename(self.scratch.as_c_str(), self.real.as_c_str()) {
            Ok(()) => Ok(self.done(profile, &new.fd, offset, len)),
            Err(error) => {
                file::remove(self.scratch.as_c_str());
                match error {
                    // The file itself is a mount point, or another's in a directory where only owners rename.
                    Error::Os(libc::EBUSY | libc::EXDEV | libc::EPERM | libc::EACCES) => {
                        self.write_in_place(old, status, dropped, profile)
                    }
                    _ => Err(error),
                }
            }
        }
    }

    /// The bytes of the file that the new profile takes the place of.
    fn dropped_range(&mut self, old: &Fd, status: &Status, profile: &Profile<'_>) -> Result<Range<u64>> {
        if self.old == Some(Identity::from(*status)) {
            return Ok(0..status.size);
        }
        let name = own::hash_of(self.real.as_bytes());
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
                if copied == to.wrapping_sub(from) { Ok(()) } else { Err(Error::Os(libc::EIO)) }
            }
            _ => Ok(()),
        };
        let mut sink = File::new(&new.fd);
        let size = old.map_or(0, |(_, status)| status.size);
        let written =
            copy(0, dropped.start).and_then(|()| (profile.write)(&mut sink)).and_then(|()| copy(dropped.end, size));
        drop(quiet);
        match written {
            Ok(()) => Ok(sink.written),
            Err(error) => {
                if new.named {
                    file::remove(self.scratch.as_c_str());
                }
                Err(error)
            }
        }
    }

    /// The directory takes no new file, or the name cannot be given to one: the file itself is written to. The one case
    /// in which a kill can leave a torn file; a failing write leaves an appended-to file as it was.
    fn write_in_place(
        &mut self,
        old: &Fd,
        status: &Status,
        dropped: Range<u64>,
        profile: &mut Profile<'_>,
    ) -> Result<Outcome> {
        let mut count = Count(0);
        (profile.write)(&mut count)?;
        // What stands behind our part stays where it is: only a part of the same length takes its place. (It gets longer
        // when a site has seen a new value; then both stay.)
        let fits = dropped.end == status.size || dropped.end.wrapping_sub(dropped.start) == count.0;
        let offset = if fits { dropped.start } else { status.size };
        let at_end = !fits || dropped.end == status.size;
        let quiet = os::file_size_limited().then(Quiet::begin);
        old.seek(offset)?;
        let mut sink = File::new(old);
        let written = (profile.write)(&mut sink);
        drop(quiet);
        match written {
            Ok(()) => {
                if at_end {
                    old.set_size(offset.wrapping_add(sink.written))?;
                }
                Ok(self.done(profile, old, offset, sink.written))
            }
            Err(error) => {
                // An unreadable rest would make readers refuse all of the file.
                if at_end {
                    old.set_size(offset)?;
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
                let name = own::hash_of(self.real.as_bytes());
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
            let len = match file::read_link(self.real.as_c_str(), &mut self.bytes) {
                Err(Error::Os(libc::EINVAL | libc::ENOENT)) => return Ok(()),
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
        Err(Error::Os(libc::ELOOP))
    }
}

/// Makes all directories in `path`, which ends at its last `/`. `scratch` is overwritten.
pub fn make_directories(path: &[u8], mode: u32, scratch: &mut PathBuf) -> Result {
    let mut result = Ok(());
    for (at, byte) in path.iter().enumerate() {
        if *byte == b'/' && at > 0 {
            scratch.set(path.get(..at).unwrap_or(&[]))?;
            // An inner one may be there and not be ours to make: only the last answer counts.
            result = file::make_directory(scratch.as_c_str(), mode);
        }
    }
    result
}

/// Names that lead to something open already, whatever kind it is.
fn is_stream(name: &[u8]) -> bool {
    name.starts_with(b"/proc/") || name.starts_with(b"/dev/") && !name.starts_with(b"/dev/shm/")
}
