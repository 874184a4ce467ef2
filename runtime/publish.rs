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
mod identity;
mod in_place;
mod merged;
mod new_file;
mod own;

pub use content::{Content, Plain, Profile};
use hash::hash_of;
pub use identity::identity_of;
use identity::{NOTHING, identity};
use own::{Part, Parts, Scratch};

/// What is known about the file, and scratch space. Small fields come first, as in the file state, of which it is a part.
#[derive(Debug)]
#[repr(C)]
pub struct Places {
    /// [`identity_of`] the file that was there when the first process of this run began: to be replaced. 0: none was.
    pub old: u64,
    /// The file that has the name, as it was when we looked last.
    status: Status,
    /// The bytes of that file which the profile takes the place of.
    dropped: Range<u64>,
    /// Bytes of the profile that was written last.
    written: u64,
    /// New files have names (in `scratch`) from the beginning, for files without one have failed here.
    named: bool,
    /// What this image has written before.
    own: Parts,
    /// The name of the file after symbolic links.
    real: PathBuf,
    /// Directories on the way, and the name of a new file.
    scratch: PathBuf,
    /// Bytes on their way from the old file to the new one; targets of links.
    bytes: Scratch,
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
            status: NOTHING,
            dropped: 0..0,
            written: 0,
            named: false,
            own: Parts::new(),
            real: PathBuf::new(),
            scratch: PathBuf::new(),
            bytes: [0; 4096],
        }
    }

    /// Whether a write has to know how our part begins, for it has written before.
    pub fn looks_for_header(&self) -> bool {
        !self.own.is_empty()
    }

    /// Writes the profile into the file `name`. (Steps are not inlined: what they read of the profile would be put on the stack here.)
    pub fn publish(&mut self, name: &[u8], profile: &mut Profile<'_>) -> Result {
        self.real.set(name)?;
        if is_stream(name) {
            return self.write_stream(profile);
        }
        for attempt in 0..ATTEMPTS {
            let result = match file::status(self.real.as_path()) {
                Ok(status) if status.regular => self.update(profile),
                Ok(status) if status.directory && profile.merges => {
                    self.status = status;
                    self.move_directory_aside(profile)
                }
                Ok(status) if status.directory => Err(Error::EISDIR),
                Ok(_) => self.write_stream(profile),
                Err(Error::ENOENT) => {
                    // Only a link to nowhere is both: not there, and in the way.
                    let followed = if attempt > 0 { self.follow_links() } else { Ok(()) };
                    followed.and_then(|()| self.create(profile))
                }
                Err(error) => Err(error),
            };
            if result != Err(Error::OVERTAKEN) {
                return result;
            }
        }
        Err(Error::BUSY)
    }

    /// A device, a pipe, a terminal: the bytes are simply written.
    fn write_stream(&self, profile: &mut Profile<'_>) -> Result {
        let fd = file::open_stream(self.real.as_path())?;
        let _quiet = Quiet::begin();
        profile.content.write(None, File::new(&fd).sink())
    }

    /// The file is not there: the new one gets the name if it is still free then.
    #[inline(never)]
    fn create(&mut self, profile: &mut Profile<'_>) -> Result {
        let new = self.new_file_somewhere(profile.directory_mode)?;
        self.dropped = 0..0;
        self.fill(&new, profile, None)?;
        let linked = if self.named {
            let linked = new.settle().and_then(|()| file::link(self.scratch.as_path(), self.real.as_path()));
            match linked {
                // A file system without hard links.
                Err(Error::EPERM | Error::EOPNOTSUPP | Error::ENOSYS | Error::EMLINK) => self.rename_if_free(),
                _ => {
                    file::remove(self.scratch.as_path());
                    linked
                }
            }
        } else {
            new.link(self.real.as_path())
        };
        match linked {
            Ok(()) => {
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
        Ok(())
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
    #[inline(never)]
    fn update(&mut self, profile: &mut Profile<'_>) -> Result {
        self.follow_links()?;
        let old = match file::open_existing(self.real.as_path()) {
            Ok(old) => old,
            Err(Error::ENOENT) => return Err(Error::OVERTAKEN),
            Err(error) => return Err(error),
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
            self.look_at(&old)?;
            let current = self.is_still();
            if lock == Lock::Busy && current {
                os::pause();
                continue;
            }
            let updated = if current {
                if let Lock::Impossible(reason) = lock {
                    profile.content.warn(reason, None);
                }
                self.update_locked(&old, profile)
            } else {
                Err(Error::OVERTAKEN)
            };
            if lock != Lock::Busy {
                old.unlock();
            }
            return updated;
        }
        Err(Error::BUSY)
    }

    fn update_locked(&mut self, old: &Fd, profile: &mut Profile<'_>) -> Result {
        if profile.merges {
            return self.update_merged(old, profile);
        }
        self.find_dropped(old, profile)?;
        'beside: {
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
        if let Ok(own) = new.status() {
            new.take_owner(&self.status, &own);
        }
        if !self.named && self.name_new_file(Some(new)).is_err() {
            return Err(self.without_unnamed());
        }
        let ready = if self.named && !held { new.settle() } else { Ok(()) };
        let rename = if held { file::rename } else { file::replace };
        let renamed = ready.and_then(|()| rename(self.scratch.as_path(), self.real.as_path()));
        if renamed.is_err() {
            file::remove(self.scratch.as_path());
        }
        renamed
    }

    /// Finds the bytes of the file that the new profile takes the place of.
    fn find_dropped(&mut self, old: &Fd, profile: &Profile<'_>) -> Result {
        let size = self.status.size;
        self.dropped = 0..size;
        if profile.alone || (self.old != 0 && self.old == identity(&self.status)) {
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
            self.discard();
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
        let Some((from, bytes)) = profile.again else { return };
        let (live, offset) = ((from, bytes.min(MOST_HASHED)), self.dropped.start);
        if let Ok(hash) = own::hash_of_live(file, offset, live, &mut self.bytes) {
            let name = hash_of(self.real.as_bytes());
            let process = os::process_id();
            self.own.remember(Part { name, process, round: profile.round, offset, len: self.written, live, hash });
        }
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

/// While what this gives lives, a write to a regular file that grows too large fails, and does not kill the program.
pub fn quiet() -> Option<Quiet> {
    os::file_size_limited().then(Quiet::begin)
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
